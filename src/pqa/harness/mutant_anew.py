"""Mutant anew: a loaded module of the tree is run again on changed code, within a fork, for code that runs at import.

That only ever finds a kill quickly: who stays green is judged in a fresh process. It is done for a module only where a
control holds: run again unchanged, it leaves what the tree's modules hold as it was, and every test green.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any, Optional

import mutant_code
import naming
from mutant_bodies import pairs
from mutant_runner import PASSED

KEPT = (
    "__name__",
    "__file__",
    "__spec__",
    "__loader__",
    "__package__",
    "__path__",
    "__builtins__",
    "__cached__",
    "__doc__",
)
COMMON = (int, str, bytes, float, bool, complex, type(None), types.ModuleType)
Undo = list[Callable[[], None]]


class Anew:
    """Knows the live functions and the modules of the tree."""

    def __init__(self, bodies: Any, names: naming.Naming) -> None:
        self.bodies, self.names = bodies, names
        self.found: dict[str, types.ModuleType] = {}
        self.foreign: set[str] = set()

    def module(self, path: str) -> Optional[types.ModuleType]:
        """The one module that was loaded from a file; None where there is none, or more."""
        known = self.found.get(path)
        if known is not None and sys.modules.get(known.__name__) is known:
            return known
        wanted = self.names.relative(path)
        found = [module for _, module in self.names.modules() if self.names.relative(str(module.__file__)) == wanted]
        if len(found) != 1:
            return None
        self.found[path] = found[0]
        return found[0]

    def others(self, space: dict[str, Any]) -> Iterator[dict[str, Any]]:
        """What the other modules below the tree's folder hold."""
        for name, module in [pair for pair in sys.modules.items() if pair[0] not in self.foreign]:
            place = getattr(module, "__file__", None) if type(module) is types.ModuleType else None
            if not isinstance(place, str) or not place.startswith(self.names.source):
                self.foreign.add(name)
            elif vars(module) is not space:
                yield vars(module)

    def run(self, source: Any, made: list[types.CodeType], undo: Undo) -> bool:
        """Run the pieces in the module, and let everybody who holds a part of it have the new one; False where it raises.

        What is to be done to have all as it was is added to `undo`, the last first.
        """
        module = self.module(source.path)
        if module is None:
            return False
        space = vars(module)
        old = dict(space)
        undo.append(space_back(space))
        for name in [name for name, value in old.items() if not is_kept(module, name, value)]:
            del space[name]
        try:
            for piece in made:
                exec(piece, space)
        except BaseException:
            return False
        self.hand_over(source, made, dict(written(space)), undo)
        self.rebind(old, space, undo)
        return True

    def hand_over(self, source: Any, made: list[types.CodeType], new: dict[tuple[str, int], Any], undo: Undo) -> None:
        """The functions from before get the bodies and defaults of the new ones: others hold them."""
        for root in source.roots:
            names = [*(holder.name for holder in source.classes[id(root)]), root.name]
            found = (mutant_code.inner_code(piece, names) for piece in made)
            code = next((each for each in found if each is not None), None)
            for function in self.bodies.live(source.file, root):
                fresh = new.get((root.name, function.__code__.co_firstlineno))
                if fresh is not None:
                    undo.append(defaults_back(function))
                    function.__defaults__, function.__kwdefaults__ = fresh.__defaults__, fresh.__kwdefaults__
                if code is not None:
                    for before, after in pairs(function.__code__, code):
                        self.exchange(before, after, undo)

    def exchange(self, before: types.CodeType, after: types.CodeType, undo: Undo) -> None:
        """All functions of one code get another."""
        for holder in self.bodies.by_code.get(id(before), ()):
            if before.co_freevars == after.co_freevars:
                undo.append(code_back(holder))
                holder.__code__ = after

    def rebind(self, old: dict[str, Any], new: dict[str, Any], undo: Undo) -> None:
        """Other modules of the tree that took an object by name get the new one."""
        moved = {id(value): new[name] for name, value in old.items() if name in new and new[name] is not value}
        kinds = {id(value) for value in old.values() if isinstance(value, (*COMMON, types.FunctionType))}
        for space in self.others(new):
            for name, value in list(space.items()):
                if id(value) in moved and (id(value) not in kinds or name in old):
                    undo.append(name_back(space, name, value))
                    space[name] = moved[id(value)]


def is_kept(module: types.ModuleType, name: str, value: Any) -> bool:
    """Whether a name of a module is not of its own code's making."""
    return name in KEPT or (isinstance(value, types.ModuleType) and value.__name__ == module.__name__ + "." + name)


def written(space: dict[str, Any], depth: int = 4) -> Iterator[tuple[tuple[str, int], Any]]:
    """The functions that a module or class holds, by name and line."""
    for name, value in list(space.items()):
        if isinstance(value, type) and depth and value.__module__ == space.get("__name__", space.get("__module__")):
            yield from written(dict(vars(value)), depth - 1)
            continue
        value = getattr(value, "fget", None) or value
        for function in naming.functions_below(value, name):
            yield (function.__code__.co_name, function.__code__.co_firstlineno), function


def defaults_back(function: Any) -> Callable[[], None]:
    """Gives a function the defaults that it has now."""
    held = (function.__defaults__, function.__kwdefaults__)

    def back() -> None:
        function.__defaults__, function.__kwdefaults__ = held

    return back


def code_back(function: Any) -> Callable[[], None]:
    """Gives a function the code that it has now."""
    held = function.__code__

    def back() -> None:
        function.__code__ = held

    return back


def space_back(space: dict[str, Any]) -> Callable[[], None]:
    """Gives a module all the names that it has now."""
    held = dict(space)

    def back() -> None:
        space.clear()
        space.update(held)

    return back


def name_back(space: dict[str, Any], name: str, value: Any) -> Callable[[], None]:
    """Gives a name its value."""

    def back() -> None:
        space[name] = value

    return back


def undone(undo: Undo) -> None:
    """All as it was."""
    while undo:
        undo.pop()()


def may_run(collector: Any, source: Any) -> bool:
    """The control, in a fork: an unchanged module run again changes nothing and leaves every test green."""
    undo: Undo = []
    if not collector.anew.run(source, collector.pieces(source).clean, undo):
        return False
    if collector.state.look() != collector.untouched:
        return False
    red = [name for name, item, after in collector.each_item() if collector.runner.run(item, after) != PASSED]
    undone(undo)
    return not red
