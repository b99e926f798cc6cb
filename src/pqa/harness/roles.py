"""Roles: what a code object is to the recorder: a public function or method, inner code, a test, or none of these."""

from __future__ import annotations

import os
import sys
import types
from typing import Any, Optional

import naming
import states


class Role:
    """`kind` is "function", "static", "class", "method", "init", "wrapper", "inner" or "test"."""

    __slots__ = ("function", "is_branch", "kind", "name", "records")

    def __init__(self, kind: str, name: str = "", function: Any = None) -> None:
        self.kind, self.name, self.function = kind, name, function
        self.records = kind in ("function", "static", "class", "method", "init")
        self.is_branch = kind != "test"


DEPTH = 5
INNER, WRAPPER, TEST = Role("inner"), Role("wrapper"), Role("test")


class Roles:
    """Finds the role of a frame's code object, once for each."""

    def __init__(self, names: naming.Naming, test_root: str) -> None:
        self.naming = names
        self.test_roots = (names.source + os.sep, os.path.realpath(test_root) + os.sep)
        self.states = states.States()
        self._by_code: dict[int, Optional[Role]] = {}
        self._kept: list[types.CodeType] = []
        self._indexed: set[str] = set()

    def of(self, frame: types.FrameType) -> Optional[Role]:
        """The role; None for the standard library and everything else outside the tree."""
        code = frame.f_code
        try:
            return self._by_code[id(code)]
        except KeyError:
            return self._learn(frame, code)

    def is_branch(self, frame: Optional[types.FrameType]) -> bool:
        """Whether the frame runs the branch's code."""
        role = None if frame is None else self.of(frame)
        return role is not None and role.is_branch

    def public_name(self, thing: Any) -> Optional[str]:
        """The dotted name of a function or class that the branch itself offers, by which it can be found again."""
        if isinstance(thing, type):
            return self.naming.class_name(thing)
        if self.naming.relative(thing.__code__.co_filename) is None:
            return None
        self._index(thing.__module__)
        role = self._by_code.get(id(thing.__code__))
        return role.name if role is not None and role.kind in ("function", "static") and role.name else None

    def is_outermost(self, frame: types.FrameType) -> bool:
        """Whether a test made the call, and not the branch itself."""
        caller = frame.f_back
        while caller is not None:
            role = self.of(caller)
            if role is TEST:
                return True
            if role is not None and role is not WRAPPER:
                return False
            caller = caller.f_back
        return True

    def _learn(self, frame: types.FrameType, code: types.CodeType) -> Optional[Role]:
        filename = code.co_filename
        if filename.startswith("<"):
            self._index_generated(frame, code)
        elif self.naming.relative(filename) is not None:
            self._index(frame.f_globals.get("__name__"))
            self._remember(code, INNER)
        elif os.path.realpath(filename).startswith(self.test_roots):
            self._remember(code, TEST)
            self.states.read(filename)
        if id(code) not in self._by_code:
            self._kept.append(code)
            self._by_code[id(code)] = None
        return self._by_code[id(code)]

    def _remember(self, code: types.CodeType, role: Role) -> None:
        if id(code) not in self._by_code:
            self._kept.append(code)
            self._by_code[id(code)] = role

    def _index_generated(self, frame: types.FrameType, code: types.CodeType) -> None:
        """Methods that a dataclass wrote by itself belong to no file; they are found through their instance."""
        if not code.co_argcount:
            return
        kind = type(frame.f_locals.get(code.co_varnames[0]))
        for each in type.__getattribute__(kind, "__mro__"):
            module = type.__getattribute__(each, "__dict__").get("__module__")
            if each is not object and self.naming.holds_module(module):
                self._index(module)

    def _index(self, name: Any) -> None:
        if type(name) is not str or name in self._indexed or not self.naming.holds_module(name):
            return
        self._indexed.add(name)
        space = dict(vars(sys.modules[name]))
        own_names_first = sorted(
            space, key=lambda each: (each[:1] == "_", getattr(space[each], "__name__", "") != each)
        )
        for attribute in own_names_first:
            value = space[attribute]
            if isinstance(value, type):
                if value.__module__ == name:
                    self._index_class(value, 0)
            else:
                self._index_callable(name, attribute, value)

    def _index_callable(self, module: str, attribute: str, value: Any) -> None:
        chain = [each for each in naming.functions_below(value, attribute) if each.__module__ == module]
        if not chain:
            return
        public = self.naming.public_name(module, attribute, value)
        self._assign(chain, Role("function", public, chain[-1]) if public else INNER)

    def _assign(self, chain: list[types.FunctionType], role: Role) -> None:
        for outer in chain[:-1]:
            if self.naming.relative(outer.__code__.co_filename) is not None:
                self._remember(outer.__code__, WRAPPER)
        self._remember(chain[-1].__code__, role)

    def _index_class(self, kind: type, depth: int) -> None:
        owner = self.naming.class_name(kind)
        for attribute, value in list(type.__getattribute__(kind, "__dict__").items()):
            if isinstance(value, type):
                inner = value.__module__ == kind.__module__ and value.__qualname__.startswith(kind.__qualname__ + ".")
                if depth < DEPTH and inner:
                    self._index_class(value, depth + 1)
                continue
            chain = list(naming.functions_below(value, attribute))
            if chain and chain[-1].__module__ == kind.__module__:
                self._assign(chain, self._method_role(attribute, value, chain[-1], owner))

    @staticmethod
    def _method_role(attribute: str, value: Any, function: types.FunctionType, owner: Optional[str]) -> Role:
        if attribute == "__init__":
            return Role("init", attribute, function)
        if not naming.is_public_method(attribute):
            return INNER
        if isinstance(value, classmethod):
            return Role("class", attribute, function)
        if isinstance(value, staticmethod):
            return Role("static", owner + "." + attribute, function) if owner else INNER
        return Role("method", attribute, function)


def is_made_from_nothing(instance: Any) -> bool:
    """Whether an instance that was not seen to be built is as good as `Class()`."""
    kind = type(instance)
    for method in ("__init__", "__new__"):
        holder = next((each for each in kind.__mro__ if method in each.__dict__), object)
        if holder is not object:
            return False
    try:
        return not object.__getattribute__(instance, "__dict__")
    except AttributeError:
        return True
