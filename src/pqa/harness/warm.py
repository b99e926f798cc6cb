"""Warm: import a tool with all that it would import later by itself, once, in the fork server."""

from __future__ import annotations

import importlib
import importlib.metadata
import sys
from typing import Any

PLUGIN_GROUP = "pytest11"
PARTS = {
    "coverage": ("control", "collector", "inorout", "multiproc", "report", "sqldata", "tracer", "python", "results"),
    "pytest": (),
}
LATER = (
    *(
        "pdb",
        "unittest.mock",
        "concurrent.futures.thread",
        "faulthandler",
        "gzip",
        "fractions",
        "sysconfig",
        "zoneinfo",
    ),
    *("hypothesis", "hypothesis.internal.conjecture.engine", "hypothesis.strategies", "xdist.newhooks"),
)


def load(name: str) -> None:
    """Import `name`, and for pytest its built-in plug-ins and those that the environment registers."""
    importlib.import_module(name)
    for part in PARTS.get(name, ()):
        _attempt(name + "." + part)
    if name == "pytest":
        for plugin in sys.modules["_pytest.config"].default_plugins:
            _attempt("_pytest." + plugin)
        for point in _registered():
            _attempt(point.value.partition(":")[0])
        for module in LATER:
            _attempt(module)
        _attempt(getattr(sys.modules.get("sysconfig"), "_get_sysconfigdata_name", str)())


def _registered() -> list[Any]:
    """Entry points of the plug-in group; `entry_points` takes a group from Python 3.10 on."""
    if sys.version_info >= (3, 10):
        return list(importlib.metadata.entry_points(group=PLUGIN_GROUP))
    return list(importlib.metadata.entry_points().get(PLUGIN_GROUP, ()))


def _attempt(module: str) -> None:
    """A part that cannot be imported here is left to whoever needs it."""
    try:
        importlib.import_module(module)
    except Exception:
        return
