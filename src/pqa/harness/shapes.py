"""Shapes: which arguments a call really passed, and whether a frame was left by return or by an exception."""

from __future__ import annotations

import dis
import types
from collections.abc import Mapping
from typing import Any, Optional

VARIABLE_POSITIONAL, VARIABLE_KEYWORD = 0x04, 0x08
RESUMABLE = 0x20 | 0x80 | 0x200
LEAVING = frozenset(
    dis.opmap[name]
    for name in ("RETURN_VALUE", "RETURN_CONST", "RETURN_GENERATOR", "YIELD_VALUE", "YIELD_FROM", "SEND")
    if name in dis.opmap
)
PLAIN_CALLS = ("CALL", "CALL_FUNCTION", "CALL_METHOD")
KEYWORD_CALLS = ("CALL_KW", "CALL_FUNCTION_KW")

_bytes: dict[int, tuple[types.CodeType, bytes]] = {}
_starts: dict[int, tuple[types.CodeType, int]] = {}
_shapes: dict[tuple[int, int], tuple[types.CodeType, Any]] = {}


def was_left_by_exception(frame: types.FrameType) -> bool:
    """Whether a frame that gave None stands on an instruction that does not return."""
    code = frame.f_code
    known = _bytes.get(id(code))
    if known is None:
        known = _bytes[id(code)] = (code, code.co_code)
    return 0 <= frame.f_lasti < len(known[1]) and known[1][frame.f_lasti] not in LEAVING


def is_first_entry(frame: types.FrameType) -> bool:
    """False when a generator or coroutine is resumed."""
    code = frame.f_code
    if not code.co_flags & RESUMABLE or frame.f_lasti < 0:
        return True
    known = _starts.get(id(code))
    if known is None:
        resumes = (step.offset for step in dis.get_instructions(code) if step.opname == "RESUME")
        known = _starts[id(code)] = (code, next(resumes, -1))
    return frame.f_lasti <= known[1]


def caller_shape(caller: Optional[types.FrameType]) -> Optional[tuple[int, tuple[str, ...]]]:
    """(number of positional arguments, keyword names) that the caller's current call instruction passes, if plain."""
    if caller is None:
        return None
    key = (id(caller.f_code), caller.f_lasti)
    known = _shapes.get(key)
    if known is None:
        known = _shapes[key] = (caller.f_code, _read_shape(caller.f_code, caller.f_lasti))
    shape: Optional[tuple[int, tuple[str, ...]]] = known[1]
    return shape


def _read_shape(code: types.CodeType, position: int) -> Optional[tuple[int, tuple[str, ...]]]:
    before = [step for step in dis.get_instructions(code) if step.offset <= position and step.opname != "CACHE"]
    if not before:
        return None
    last, names = before[-1], ()
    earlier = [step for step in before[-4:-1] if step.opname not in ("PRECALL", "EXTENDED_ARG")]
    count = last.arg or 0
    if last.opname in KEYWORD_CALLS and earlier and isinstance(earlier[-1].argval, tuple):
        names = earlier[-1].argval
    elif last.opname in ("CALL", "PRECALL") and earlier and earlier[-1].opname == "KW_NAMES":
        names = code.co_consts[earlier[-1].arg or 0]
    elif last.opname not in (*PLAIN_CALLS, "PRECALL"):
        return None
    return count - len(names), names


class Arguments:
    """What was passed: `args` in order, `kwargs` for what cannot be positional."""

    def __init__(self, frame: types.FrameType, function: types.FunctionType, *, skip_first: bool) -> None:
        code = frame.f_code
        self.local = dict(frame.f_locals)
        names = code.co_varnames
        count, only = code.co_argcount, code.co_kwonlyargcount
        self.first = names[0] if count else ""
        self.positional = names[1:count] if skip_first else names[:count]
        self.keyword_only = names[count : count + only]
        rest = list(names[count + only :])
        self.rest: tuple[Any, ...] = self.local.get(rest.pop(0), ()) if code.co_flags & VARIABLE_POSITIONAL else ()
        self.further: dict[str, Any] = self.local.get(rest[0], {}) if code.co_flags & VARIABLE_KEYWORD else {}
        defaults = function.__defaults__ or ()
        self.defaults: dict[str, Any] = dict(zip(names[count - len(defaults) : count], defaults))
        self.defaults.update(function.__kwdefaults__ or {})
        self.args: list[Any] = []
        self.kwargs: dict[str, Any] = {}
        self._fill(self._supplied(caller_shape(frame.f_back)))

    def _supplied(self, shape: Optional[tuple[int, tuple[str, ...]]]) -> set[str]:
        everything = [*self.positional, *self.keyword_only]
        if shape is not None:
            number, keywords = shape
            given = {*self.positional[:number], *(name for name in keywords if name in everything)}
            extra = set(keywords) - set(everything)
            fits = number <= len(self.positional) + len(self.rest)
            complete = all(name in given or self._is_default(name) for name in everything)
            if fits and complete and extra == set(self.further):
                return given
        given = {name for name in self.keyword_only if not self._is_default(name)}
        last = max((at for at, name in enumerate(self.positional) if not self._is_default(name)), default=-1)
        return given | set(self.positional if self.rest else self.positional[: last + 1])

    def _is_default(self, name: str) -> bool:
        return name in self.defaults and self.local.get(name) is self.defaults[name]

    def _fill(self, supplied: set[str]) -> None:
        gap = False
        for name in self.positional:
            if name not in supplied:
                gap = True
            elif gap:
                self.kwargs[name] = self.local.get(name)
            else:
                self.args.append(self.local.get(name))
        self.args += self.rest
        self.kwargs.update({name: self.local.get(name) for name in self.keyword_only if name in supplied})
        self.kwargs.update(self.further)


def plain_kwargs(kwargs: Mapping[Any, Any]) -> bool:
    """Whether all keyword names are ordinary text."""
    return all(type(name) is str for name in kwargs)
