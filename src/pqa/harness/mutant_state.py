"""Mutant state: what a test run leaves behind in the tree's modules, classes, closures and caches, as one comparable value.

Where one mutant leaves something, the next one of the same process could be judged by it; then it gets a fresh fork.
"""

from __future__ import annotations

import os
import sys
import threading
import types
from collections import deque
from collections.abc import Iterable
from typing import Any

PLAIN = (int, str, bytes, float, bool, complex, type(None))
BY_OTHERS = frozenset(("__slotnames__", "__annotations__", "_abc_impl", "tearDown_exceptions", "_class_cleanups"))
"""Attributes that copying, typing and test runners put on classes; they tell nothing."""
MOST, DEEP = 20_000, 6


class State:
    """Looks at all modules loaded from below a folder, the tests' own among them."""

    def __init__(self, source: str, functions: Iterable[types.FunctionType]) -> None:
        self.source = os.path.realpath(source) + os.sep
        self.functions = list(functions)
        self.left = 0
        self.seen: set[int] = set()
        self.own: dict[str, bool] = {}

    def look(self) -> int:
        """A number that changes with what is held; never runs code of the tree."""
        self.left, self.seen = MOST, set()
        parts: list[Any] = [threading.active_count(), os.getcwd(), sorted(os.environ.items()).__repr__()]
        for name in sorted(sys.modules):
            module = sys.modules.get(name)
            if type(module) is types.ModuleType and self.is_own(vars(module).get("__file__")):
                space = vars(module)
                parts.append([(each, self.held(space[each], DEEP)) for each in sorted(space) if each != "__builtins__"])
        for function in self.functions:
            cells = function.__closure__ or ()
            parts.append([self.cell(cell) for cell in cells])
            parts.append((self.held(function.__defaults__, 3), self.held(function.__dict__, 3)))
        return hash(repr(parts))

    def is_own(self, place: Any) -> bool:
        """Whether a file lies below the folder."""
        if type(place) is not str:
            return False
        if place not in self.own:
            self.own[place] = os.path.realpath(place).startswith(self.source)
        return self.own[place]

    def cell(self, cell: Any) -> Any:
        """What a variable of an outer function holds."""
        try:
            return self.held(cell.cell_contents, DEEP)
        except ValueError:
            return None

    def held(self, value: Any, depth: int) -> Any:
        """A value as far as it can be told without asking it."""
        kind = type(value)
        if kind in PLAIN:
            return value if kind is not str else hash(value)
        self.left -= 1
        if depth <= 0 or self.left <= 0 or id(value) in self.seen:
            return kind.__name__
        self.seen.add(id(value))
        if issubclass(kind, dict):
            return [
                (key if type(key) in PLAIN else type(key).__name__, self.held(each, depth - 1))
                for key, each in list(dict.items(value))
                if key != "__builtins__"
            ]
        if issubclass(kind, (list, tuple, set, frozenset, deque)):
            items = [self.held(each, depth - 1) for each in list(value) if kind.__iter__ in ITERATORS]
            return sorted(items, key=repr) if issubclass(kind, (set, frozenset)) else items
        if hasattr(kind, "cache_info") and kind.__module__ == "functools":
            return tuple(value.cache_info())[3]
        return self.inside(value, kind, depth)

    def inside(self, value: Any, kind: type, depth: int) -> Any:
        """The attributes of a class or an instance of the tree's."""
        holder = value if issubclass(kind, type) else kind
        module = sys.modules.get(str(type.__getattribute__(holder, "__dict__").get("__module__")))
        if type(module) is not types.ModuleType or not self.is_own(vars(module).get("__file__")):
            return kind.__name__
        try:
            space = (
                type.__getattribute__(value, "__dict__")
                if holder is value
                else object.__getattribute__(value, "__dict__")
            )
        except Exception:
            return kind.__name__
        return [(name, self.held(each, depth - 1)) for name, each in list(space.items()) if name not in BY_OTHERS]


ITERATORS = tuple(kind.__iter__ for kind in (list, tuple, set, frozenset, deque))
