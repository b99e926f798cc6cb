"""Naming: which files are the branch's code, and by which public name a function or class of theirs goes."""

from __future__ import annotations

import os
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any, Optional

NEVER_PUBLIC = ("__init__", "__new__", "__repr__", "__del__")
ACCESS = ("__getattr__", "__getattribute__", "__setattr__", "__delattr__")
HOOKS = ("__post_init__", "__init_subclass__", "__set_name__", "__class_getitem__", "__reduce__", "__reduce_ex__")
HIDDEN_DUNDERS = frozenset((*NEVER_PUBLIC, *ACCESS, *HOOKS))


class Naming:
    """Knows the tree's code files; a name that starts with an underscore is nobody's contract."""

    def __init__(self, source: str, code: Iterable[str]) -> None:
        self.source = os.path.realpath(source)
        self.files = {os.path.realpath(os.path.join(source, name)): name for name in code}
        self._modules: dict[str, bool] = {}
        self._names: dict[int, tuple[type, Optional[str]]] = {}

    def relative(self, filename: str) -> Optional[str]:
        """The relative path of a code file of the tree; None for any other file."""
        return self.files.get(filename) or self.files.get(os.path.realpath(filename))

    def holds_module(self, name: object) -> bool:
        """Whether the module of that name was loaded from a code file of the tree."""
        if type(name) is not str:
            return False
        if name not in self._modules:
            found = getattr(sys.modules.get(name), "__file__", None)
            if not isinstance(found, str):
                return False
            self._modules[name] = self.relative(found) is not None
        return self._modules[name]

    def modules(self) -> Iterator[tuple[str, types.ModuleType]]:
        """All modules that were loaded from the tree's code files, by name."""
        for name in sorted(sys.modules.copy()):
            module = sys.modules.get(name)
            if isinstance(module, types.ModuleType) and self.holds_module(name):
                yield name, module

    def public_name(self, module: str, qualname: str, thing: object) -> Optional[str]:
        """ "module.qualname", with a public module that offers the same object where the defining one is private."""
        if "<" in qualname or any(part.startswith("_") for part in qualname.split(".")):
            return None
        if not _is_private(module):
            return module + "." + qualname
        top = qualname.partition(".")[0]
        holders = [
            name
            for name, found in self.modules()
            if not _is_private(name) and (vars(found).get(top) is thing or ("." in qualname and top in vars(found)))
        ]
        return min(holders, key=lambda name: (name.count("."), name)) + "." + qualname if holders else None

    def class_name(self, kind: type) -> Optional[str]:
        """The public name of a class of the tree; None for every other class."""
        known = self._names.get(id(kind))
        if known is None:
            space = type.__getattribute__(kind, "__dict__")
            module, qualname = space.get("__module__"), type.__getattribute__(kind, "__qualname__")
            name = None
            if self.holds_module(module) and type(qualname) is str:
                name = self.public_name(module, qualname, kind)
            known = self._names[id(kind)] = (kind, name)
        return known[1]


def _is_private(module: str) -> bool:
    return any(part.startswith("_") for part in module.split("."))


def is_public_method(name: str) -> bool:
    """Plain public names, and the dunders by which operators and built-ins call an object."""
    if name.startswith("__") and name.endswith("__"):
        return name not in HIDDEN_DUNDERS
    return not name.startswith("_")


def functions_below(value: Any, name: str) -> Iterator[types.FunctionType]:
    """The functions that stand behind an attribute, from the outermost wrapper to the one that was written."""
    if isinstance(value, (staticmethod, classmethod)):
        value = value.__func__
    for _ in range(20):
        if isinstance(value, types.FunctionType):
            yield value
        following = _own(value, "__wrapped__")
        if following is None and isinstance(value, types.FunctionType):
            following = _in_closure(value, name)
        if following is None:
            return
        value = following


def _own(value: Any, name: str) -> Any:
    try:
        return object.__getattribute__(value, "__dict__").get(name)
    except Exception:
        return None


def _in_closure(function: types.FunctionType, name: str) -> Optional[types.FunctionType]:
    for cell in function.__closure__ or ():
        try:
            held = cell.cell_contents
        except ValueError:
            continue
        if isinstance(held, types.FunctionType) and held.__name__ == name and held is not function:
            return held
    return None
