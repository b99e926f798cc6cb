"""Tampering: which built-ins, assertions and clocks does importing the branch's code replace, and do they still tell the truth?

job: {"code": [...]}; one record each: {"replaced": dotted name, "clock": bool, "lies": bool}. What counts was replaced by
something that the branch's code defines. A name lies when it accepts a falsehood, or gives another value than it must.
"""

from __future__ import annotations

import builtins
import datetime
import time
import types
import unittest
from collections.abc import Mapping
from typing import Any, Callable

import naming
import suite
import surface

CLOCKS = ("time", "time_ns", "monotonic", "monotonic_ns", "perf_counter", "perf_counter_ns", "process_time", "sleep")
MODULE_SECONDS = 5.0
FALSEHOODS: dict[str, tuple[Any, ...]] = {
    "assertEqual": (1, 2),
    "assertNotEqual": (1, 1),
    "assertTrue": (False,),
    "assertFalse": (True,),
    "assertIs": (1, None),
    "assertIsNone": (1,),
    "assertIsNotNone": (None,),
    "assertIn": (1, []),
    "assertNotIn": (1, [1]),
    "assertGreater": (1, 2),
    "assertLess": (2, 1),
    "assertAlmostEqual": (1.0, 2.0),
    "assertListEqual": ([1], [2]),
    "assertTupleEqual": ((1,), (2,)),
    "assertDictEqual": ({1: 1}, {1: 2}),
    "assertSetEqual": ({1}, {2}),
    "assertIsInstance": (1, str),
    "fail": (),
}
TRUTHS: dict[str, tuple[tuple[Any, ...], Any]] = {
    "all": (([True, False],), False),
    "any": (([False],), False),
    "len": (([1, 2],), 2),
    "sorted": (([2, 1],), [1, 2]),
    "abs": ((-3,), 3),
    "sum": (([1, 2],), 3),
    "min": (([1, 2],), 1),
    "max": (([1, 2],), 2),
    "isinstance": ((1, str), False),
    "repr": ((1,), "1"),
    "round": ((2.4,), 2),
    "callable": ((1,), False),
    "hasattr": ((1, "nothing"), False),
}
_is, _call, _code, _type = isinstance, callable, types.FunctionType, type


def run(job: Mapping[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> None:
    """Look, import, look again; what is asked afterwards uses nothing that could have been replaced."""
    spaces = watched(suite.trusted("pytest", context))
    before = {title: current(space) for title, space in spaces.items()}
    lookup = getattr
    code = [name for name in job["code"] if surface.is_library(name)]
    modules = [suite.module_of(name, context) for name in code]
    own = naming.Naming(context.source, code)
    for name in modules:
        surface.import_within(name, MODULE_SECONDS)
    for title, names in before.items():
        holder = spaces[title][0]
        for name, old in names.items():
            new = lookup(holder, name, old)
            if new is not old and is_own(new, own, modules):
                emit(
                    {
                        "replaced": title + "." + name,
                        "clock": title in ("time", "datetime"),
                        "lies": lies(title, name, new),
                    }
                )


def lying(before: Mapping[str, Mapping[str, Any]], pytest: Any) -> list[str]:
    """Dotted names that hold something else than before and accept a falsehood, whoever wrote it."""
    spaces = watched(pytest)
    now = {title: current(spaces[title]) for title in before}
    changed = [
        (title, name) for title in before for name in before[title] if now[title][name] is not before[title][name]
    ]
    return [f"{title}.{name}" for title, name in changed if lies(title, name, now[title][name])]


def watched(pytest: Any) -> dict[str, tuple[Any, list[str]]]:
    """What is looked at: the holder and the names in it."""
    case = unittest.TestCase
    spaces: dict[str, tuple[Any, list[str]]] = {
        "builtins": (builtins, list(TRUTHS)),
        "time": (time, list(CLOCKS)),
        "datetime": (datetime, ["datetime", "date"]),
        "unittest.TestCase": (case, list(FALSEHOODS)),
    }
    if pytest is not None:
        spaces["pytest"] = (pytest, ["raises", "approx", "fail"])
    return spaces


def current(space: tuple[Any, list[str]]) -> dict[str, Any]:
    """The values that the names have now."""
    return {name: getattr(space[0], name) for name in space[1]}


def is_own(value: Any, own: naming.Naming, modules: list[str]) -> bool:
    """Whether the branch's code defines it."""
    if _type(value) is _code:
        return own.relative(value.__code__.co_filename) is not None
    kind = value if _type(value) is type else _type(value)
    return type.__getattribute__(kind, "__module__") in modules


def lies(title: str, name: str, value: Any) -> bool:
    """Whether it accepts a falsehood; what cannot be asked does not lie."""
    try:
        if title == "unittest.TestCase":
            return is_silent(lambda: value(unittest.TestCase("run"), *FALSEHOODS[name]))
        if title == "builtins":
            given, right = TRUTHS[name]
            found = value(*given)
            return _type(found) is not _type(right) or found != right
        if title == "pytest" and name == "raises":
            return is_silent(lambda: expects_nothing(value))
        if title == "pytest" and name == "approx":
            return (value(1) == 2) is True
        return title == "pytest" and is_silent(lambda: value("asked"))
    except BaseException:
        return False


def expects_nothing(raises: Any) -> None:
    """Nothing is raised where something must be."""
    with raises(ValueError):
        pass


def is_silent(ask: Callable[[], Any]) -> bool:
    """Whether a falsehood passes without an exception."""
    try:
        ask()
    except BaseException:
        return False
    return True
