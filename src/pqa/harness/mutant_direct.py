"""Mutant direct: which collected tests are nothing but a call of a function, and that call.

Such a test has no fixture, no mark that means something and no hook beyond pytest's own: calling it does what pytest's
set-up, call and teardown would do, in a tenth of the time. Whatever is not known to be so is run through pytest's hooks.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Optional

HOOKS = (
    "pytest_runtest_setup",
    "pytest_runtest_call",
    "pytest_runtest_teardown",
    "pytest_pyfunc_call",
    "pytest_fixture_setup",
    "pytest_fixture_post_finalizer",
)
IDLE = ("_hypothesis_pytestplugin", "anyio.pytest_plugin", "pytest_asyncio.plugin")
"""Plug-ins whose hooks do nothing for a plain function, which has neither their decorators nor their marks."""
OWN_SET_UP = ("setup", "teardown")
LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR
KINDS = frozenset(("Session", "Dir", "Package", "Module", "Class"))
INIT = 1 << 16


def call_of(pytest: Any, item: Any) -> Optional[Callable[[], Any]]:
    """What calls the test as pytest would, or None."""
    try:
        if type(item) is not pytest.Function or not has_idle_hooks(item) or not has_plain_parents(pytest, item):
            return None
        if any(mark.name != "parametrize" for mark in item.iter_markers()):
            return None
        arguments, made, name = arguments_of(item), item.cls, item.originalname
        written = item.obj if made is None else getattr(made, name)
        if arguments is None or not is_plain(getattr(written, "__func__", written)):
            return None
    except Exception:
        return None
    if made is None:
        return lambda: written(**arguments)
    return lambda: getattr(made(), name)(**arguments)


def has_idle_hooks(item: Any) -> bool:
    """Whether only pytest itself, and plug-ins that do nothing here, take part in a run of the test."""
    for name in HOOKS:
        for found in getattr(item.ihook, name).get_hookimpls():
            place = str(getattr(found.function, "__module__", ""))
            if not place.startswith("_pytest.") and place not in IDLE:
                return False
    return True


def has_plain_parents(pytest: Any, item: Any) -> bool:
    """Whether nothing around the test is set up for it."""
    for node in item.listchain()[:-1]:
        kind = type(node)
        if kind.__name__ not in KINDS or kind is not getattr(pytest, kind.__name__, None):
            return False
        if kind.__name__ == "Package" and not is_empty(str(node.path / "__init__.py")):
            return False
        if kind.__name__ in ("Module", "Class") and any(hasattr(node.obj, name) for name in OWN_SET_UP):
            return False
    return True


def is_empty(path: str) -> bool:
    """Whether a package's file has nothing that pytest would call for it."""
    try:
        with open(path, encoding="utf-8", errors="replace") as content:
            text = content.read(INIT).lower()
    except OSError:
        return False
    return len(text) < INIT and "setup" not in text and "teardown" not in text and "import *" not in text


def arguments_of(item: Any) -> Optional[dict[str, Any]]:
    """The values of its parameters; None where one comes from a fixture, or a fixture is used without being one."""
    call: Any = getattr(item, "callspec", None)
    values: dict[str, Any] = {**getattr(call, "funcargs", {}), **getattr(call, "params", {})}
    info = item._fixtureinfo
    for name in info.names_closure:
        made = info.name2fixturedefs.get(name)
        given = made[-1].func.__name__ == "get_direct_param_fixture_func" if made else name in call.funcargs
        if name not in values or not given:
            return None
    return {name: values[name] for name in info.argnames}


def is_plain(function: Any) -> bool:
    """Whether calling the function runs the test: it is not made to be run later, nor made by a generator of examples."""
    if not inspect.isfunction(function) or any("hypothesis" in name for name in vars(function)):
        return False
    code = inspect.unwrap(function).__code__
    return not (function.__code__.co_flags | code.co_flags) & LATER
