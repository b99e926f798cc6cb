"""Hollow bodies: the tree's live functions by public name, and a stand-in for the code of one, signature kept.

The code object of the live function is exchanged, so everybody who holds the function, by `from x import f`, through a
decorator or as a property, meets the stand-in.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import sys
import types
import warnings
from collections.abc import Callable
from typing import Any, Optional

import naming

HOOK = "\0hook"
RUN_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR | inspect.CO_ITERABLE_COROUTINE
Hook = Callable[..., Any]


class Bodies:
    """Finds functions of the code files; `reals` are pqa's own functions that keep the true bodies."""

    def __init__(self, names: naming.Naming) -> None:
        self.names = names
        self.reals: set[int] = set()
        self.kept: list[types.FunctionType] = []
        self.own: dict[str, bool] = {}

    def offered(self) -> dict[str, types.FunctionType]:
        """Functions that can be hollowed, by public name: written in the tree, not run later, no dunder methods."""
        found: dict[str, types.FunctionType] = {}
        for function in self.live():
            name = self.names.public_name(str(function.__module__), function.__qualname__, function)
            if name is None or function.__code__.co_flags & RUN_LATER or name in found:
                continue
            written = self.find(name)
            if written is not None and written.__code__ is function.__code__:
                found[name] = written
        return found

    def live(self) -> list[types.FunctionType]:
        """All functions whose code lies in the tree's code files."""
        functions = [each for each in gc.get_objects() if type(each) is types.FunctionType]
        return [each for each in functions if self.is_own(each.__code__.co_filename) and id(each) not in self.reals]

    def is_own(self, filename: str) -> bool:
        """Whether code with this file name lies in the tree; asked for thousands of functions, so it is remembered."""
        if filename not in self.own:
            self.own[filename] = self.names.relative(filename) is not None
        return self.own[filename]

    def find(self, name: str) -> Optional[types.FunctionType]:
        """The function that was written under a public name, below its decorators; None when there is none."""
        parts = name.split(".")
        cut = next((cut for cut in range(len(parts) - 1, 0, -1) if ".".join(parts[:cut]) in sys.modules), 0)
        value: Any = sys.modules.get(".".join(parts[:cut]))
        for part in parts[cut:]:
            value = _held(value, part)
        value = getattr(value, "fget", None) or (value.func if type(value).__name__ == "cached_property" else value)
        chain = list(naming.functions_below(value, parts[-1]))
        if not chain or self.names.relative(chain[-1].__code__.co_filename) is None:
            return None
        return chain[-1]

    def swap(self, written: types.FunctionType, make_hook: Callable[[Callable[..., Any]], Hook]) -> bool:
        """Put a stand-in in the place of the code, in every live function that has it; False when none could be."""
        code = written.__code__
        stands = False
        for function in [each for each in self.live() if each.__code__ is code]:
            stand_in = standing_in(code, make_hook(self.real(function)))
            if stand_in is not None:
                function.__code__ = stand_in
                stands = True
        return stands

    def real(self, function: types.FunctionType) -> types.FunctionType:
        """A function of its own that keeps the body which `function` has now."""
        closure, defaults = function.__closure__, function.__defaults__
        kept = types.FunctionType(function.__code__, function.__globals__, function.__name__, defaults, closure)
        kept.__kwdefaults__ = function.__kwdefaults__
        kept.__qualname__, kept.__module__ = function.__qualname__, function.__module__
        self.reals.add(id(kept))
        self.kept.append(kept)
        return kept

    def copies(self, code: types.CodeType) -> int:
        """How many live functions still have a body equal to `code`: the tree was loaded a second time."""
        return sum(each.__code__ == code for each in self.live())


def _held(holder: Any, name: str) -> Any:
    try:
        kinds = holder.__mro__ if isinstance(holder, type) else (holder,)
        return next((vars(kind)[name] for kind in kinds if name in vars(kind)), None)
    except Exception:
        return None


def standing_in(code: types.CodeType, hook: Hook) -> Optional[types.CodeType]:
    """Code with the signature of `code` that hands its arguments to `hook`; None where that cannot be written."""
    positional = list(code.co_varnames[: code.co_argcount])
    last = code.co_argcount + code.co_kwonlyargcount
    by_name = list(code.co_varnames[code.co_argcount : last])
    rest = list(code.co_varnames[last:])
    many = [rest.pop(0)] if code.co_flags & inspect.CO_VARARGS else []
    more = [rest.pop(0)] if code.co_flags & inspect.CO_VARKEYWORDS else []
    if not all(name.isidentifier() for name in (*positional, *by_name, *many, *more)):
        return None
    alone = code.co_posonlyargcount
    starred = ["*" + many[0]] if many else ["*"] if by_name else []
    parameters = [*positional[:alone], *(["/"] if alone else []), *positional[alone:], *starred, *by_name]
    given = [*positional, *("*" + name for name in many), *(f"{name}={name}" for name in by_name)]
    doubled = ["**" + name for name in more]
    source = f"def stand_in({', '.join(parameters + doubled)}):\n    return {HOOK!r}({', '.join(given + doubled)})\n"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = compile(source, code.co_filename, "exec", dont_inherit=True)
    made = next(each for each in module.co_consts if isinstance(each, types.CodeType))
    constants = tuple(hook if type(each) is str and each == HOOK else each for each in made.co_consts)
    placed = made.replace(co_consts=constants, co_name=code.co_name, co_firstlineno=code.co_firstlineno)
    placed = placed.replace(
        co_freevars=code.co_freevars, co_flags=placed.co_flags | (code.co_flags & inspect.CO_NESTED)
    )
    return placed.replace(co_qualname=code.co_qualname) if sys.version_info >= (3, 11) else placed


def load(modules: list[str]) -> None:
    """Import modules that the tests will import anyway, while they run."""
    for name in modules:
        if name not in sys.modules:
            try:
                importlib.import_module(name)
            except BaseException:
                continue
