"""Clocks: which callables that a test passed in turn out to be clocks, by watching what they return to the branch."""

from __future__ import annotations

import datetime
import functools
import inspect
import math
import time
import types
from collections.abc import Callable
from typing import Any, Optional

TIME_FUNCTIONS = {id(function): function for function in (time.time, time.monotonic, time.perf_counter)}
NANOSECOND_FUNCTIONS = {id(function) for function in (time.time_ns, time.monotonic_ns, time.perf_counter_ns)}
DATE_CLASSES = (datetime.datetime, datetime.date)
DATE_READERS = ("now", "utcnow", "today")


class Candidate:
    """A callable that was passed as an argument; a clock once the branch called it and got a plain number."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing
        self.last: Any = None
        self.is_clock = False
        self.calls: list[Any] = []
        self.function: Optional[types.FunctionType] = None
        self.bound = self.waits = False
        self.refuted = False

    def read(self, value: Any) -> None:
        """Take what one call returned; a clock never gives anything but a number."""
        if type(value) in (int, float) and math.isfinite(value) and not self.refuted:
            self.last, self.is_clock = value, True
        else:
            self.refuted, self.is_clock = True, False


class Watch:
    """All candidates, found again by the code object that runs when they are called."""

    def __init__(self) -> None:
        self.by_code: dict[int, list[Candidate]] = {}
        self.by_identity: dict[int, Candidate] = {}
        self.builtins: dict[int, Candidate] = {}
        self.public_name: Callable[[Any], Optional[str]] = lambda _thing: None
        self.making: Optional[Callable[..., Any]] = None

    def add(self, thing: Any) -> Optional[Candidate]:
        """A candidate for `thing`; None when it is a class or cannot be called."""
        if isinstance(thing, type) or not callable(thing):
            return None
        known = self.by_identity.get(id(thing))
        if known is not None:
            return known
        inner = thing
        while isinstance(inner, functools.partial):
            inner = inner.func
        candidate = self.by_identity[id(thing)] = Candidate(thing)
        if id(inner) in TIME_FUNCTIONS:
            self.builtins[id(inner)] = candidate
        else:
            candidate.function, candidate.bound = function_of(inner)
            candidate.waits = takes_nothing(thing)
            if candidate.function is not None:
                self.by_code.setdefault(id(candidate.function.__code__), []).append(candidate)
        return candidate

    def called(self, frame: types.FrameType) -> Optional[Candidate]:
        """The candidate whose code a frame runs, the latest of several."""
        return next((each for each in reversed(self.by_code.get(id(frame.f_code), [])) if is_run_by(each, frame)), None)

    def returned(self, frame: types.FrameType, value: Any) -> None:
        """A watched code object returned `value` to the branch."""
        for candidate in self.by_code.get(id(frame.f_code), ()):
            if candidate.waits and is_run_by(candidate, frame):
                candidate.read(value)

    def read_builtin(self, function: Any) -> None:
        """The branch called one of the time module's functions; if a test passed it in, it is a clock."""
        candidate = self.builtins.get(id(function))
        if candidate is not None:
            candidate.read(function())


def is_run_by(candidate: Candidate, frame: types.FrameType) -> bool:
    """Whether a frame runs the candidate's code, for its owner and in its closure."""
    code, thing, function = frame.f_code, candidate.thing, candidate.function
    if function is None or function.__code__ is not code:
        return False
    if candidate.bound and code.co_argcount:
        owner = thing.__self__ if isinstance(thing, types.MethodType) else thing
        return frame.f_locals.get(code.co_varnames[0]) is owner
    for name, cell in zip(code.co_freevars, function.__closure__ or ()):
        try:
            if frame.f_locals.get(name) is not cell.cell_contents:
                return False
        except ValueError:
            continue
    return True


def reads_time(function: Any) -> bool:
    """Whether a built-in that the branch called tells the machine's time."""
    if id(function) in TIME_FUNCTIONS or id(function) in NANOSECOND_FUNCTIONS:
        return True
    return function.__name__ in DATE_READERS and getattr(function, "__self__", None) in DATE_CLASSES


def takes_nothing(thing: Any) -> bool:
    """Whether it can be called without arguments."""
    try:
        inspect.signature(thing).bind()
    except Exception:
        return False
    return True


def function_of(thing: Any) -> tuple[Optional[types.FunctionType], bool]:
    """The function that runs when `thing` is called, and whether its first argument tells which one it is."""
    if isinstance(thing, types.FunctionType):
        return thing, False
    if isinstance(thing, types.MethodType) and isinstance(thing.__func__, types.FunctionType):
        return thing.__func__, True
    for kind in type(thing).__mro__:
        call = kind.__dict__.get("__call__")
        if isinstance(call, types.FunctionType):
            return call, True
    return None, False
