"""Plug-ins: one file here is one attack and its file name is its name; discovered, there is no registry to edit."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Sequence
from importlib.metadata import entry_points
from typing import cast

from pqa.core.errors import UsageError
from pqa.core.ports import Attack

GROUP = "pqa.attacks"


def discover() -> dict[str, Attack]:
    """Every attack by name: the files of this package, then third parties' entry points of group `pqa.attacks`."""
    names = sorted(module.name for module in pkgutil.iter_modules(__path__) if not module.name.startswith("_"))
    found = {name: cast("Attack", importlib.import_module(f"{__name__}.{name}")) for name in names}
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        found.setdefault(point.name, cast("Attack", point.load()))
    return found


def select(names: Sequence[str]) -> dict[str, Attack]:
    """The attacks of these names; when none is given, all but those that say `BY_DEFAULT = False`.

    An unknown name is a usage error that lists the known.
    """
    known = discover()
    if not names:
        return {name: attack for name, attack in known.items() if getattr(attack, "BY_DEFAULT", True)}
    for name in names:
        if name not in known:
            raise UsageError(f"there is no attack '{name}'", f"choose from: {', '.join(known)}")
    return {name: known[name] for name in known if name in names}
