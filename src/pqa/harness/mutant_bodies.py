"""Mutant bodies: the live functions of the tree by where they were written, and other code in the place of theirs."""

from __future__ import annotations

import gc
import types
from collections.abc import Iterator
from typing import Any, Optional

import hollow_bodies
import mutant_code
import naming

Swap = list[tuple[types.FunctionType, types.CodeType]]


class Bodies:
    """Made once, after collection; functions that come later are made from code that was exchanged before."""

    def __init__(self, names: naming.Naming) -> None:
        gc.collect()
        self.by_place: dict[tuple[str, int, str], list[types.FunctionType]] = {}
        self.by_code: dict[int, list[types.FunctionType]] = {}
        self.kept: list[types.CodeType] = []
        for function in hollow_bodies.Bodies(names).live():
            code = function.__code__
            file = names.relative(code.co_filename) or ""
            self.by_place.setdefault((file, code.co_firstlineno, code.co_name), []).append(function)
            self.by_code.setdefault(id(code), []).append(function)
            self.kept.append(code)

    def live(self, file: str, root: Any) -> list[types.FunctionType]:
        """The live functions made from an outermost function; none where nothing holds it."""
        return self.by_place.get((file, first_line(root), root.name), [])

    def swap(self, file: str, root: Any, code: types.CodeType) -> Optional[Swap]:
        """Let all live functions of `root`, those within it too, have the new code; None where that cannot be."""
        wanted: dict[int, tuple[types.FunctionType, types.CodeType]] = {}
        found = self.live(file, root)
        if not found:
            return None
        for function in found:
            for old, new in pairs(function.__code__, code):
                for holder in self.by_code.get(id(old), ()):
                    if old.co_freevars != new.co_freevars:
                        return None
                    wanted[id(holder)] = (holder, new)
        done: Swap = []
        for holder, new in wanted.values():
            done.append((holder, holder.__code__))
            try:
                holder.__code__ = new
            except (ValueError, TypeError):
                restore(done[:-1])
                return None
        return done


def restore(swap: Swap) -> None:
    """Every function gets its own code back."""
    for function, code in swap:
        function.__code__ = code


def first_line(root: Any) -> int:
    """The line at which Python says that a function begins: that of its first decorator."""
    return int(min([root.lineno, *(each.lineno for each in root.decorator_list)]))


def pairs(old: types.CodeType, new: types.CodeType) -> Iterator[tuple[types.CodeType, types.CodeType]]:
    """Code objects of the same place, from the outside in; what only one of them has is left."""
    yield old, new
    others: dict[tuple[str, int], list[types.CodeType]] = {}
    for each in mutant_code.codes_in(new):
        others.setdefault((each.co_name, each.co_firstlineno), []).append(each)
    for each in mutant_code.codes_in(old):
        matching = others.get((each.co_name, each.co_firstlineno))
        if matching:
            yield from pairs(each, matching.pop(0))
