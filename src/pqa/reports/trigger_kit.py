"""Trigger kit: the helpers of trigger files, copied into them piece by piece as text; Python 3.9 and no pqa in it."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import importlib
import inspect
import itertools
import math
import random
import re
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Any

UNKNOWN = "depends on what a callable of the tests answers, which they do not show"
LISTED = (list, tuple, range, collections.deque)
PLAIN = (type(None), bool, int, float, complex, str, bytes, bytearray, set, frozenset, dict, type, *LISTED)
PLAIN_MODULES = ("decimal", "fractions", "datetime")


class Clock:
    """A clock that stands still until it is set."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@contextlib.contextmanager
def replaced_time(clock: Clock) -> Iterator[None]:
    """Let the clocks of the `time` module read `clock` for a while."""
    names = ["time", "monotonic", "perf_counter", "process_time", "thread_time"]
    before = {name: getattr(time, name) for name in [*names, *(name + "_ns" for name in names), "sleep"]}

    def sleep(seconds: float) -> None:
        clock.now += max(0.0, float(seconds))

    replacements: dict[str, Any] = {"sleep": sleep}
    for name in names:
        replacements[name] = lambda: 1_700_000_000.0 + clock.now
        replacements[name + "_ns"] = lambda: int((1_700_000_000.0 + clock.now) * 1e9)
    try:
        for name, replacement in replacements.items():
            setattr(time, name, replacement)
        yield
    finally:
        for name, original in before.items():
            setattr(time, name, original)


class Special:
    """An answer that is no value: "raises NAME", "does not return"; or a right one: "anything", "any value"."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


class Thing:
    """The right answer is an object of a class of this name with these fields."""

    def __init__(self, name: str, fields: dict[str, Any]) -> None:
        self.name, self.fields = name, fields

    def __repr__(self) -> str:
        return self.name + "(" + ", ".join(f"{key}={value!r}" for key, value in self.fields.items()) + ")"


class CannotTell(Exception):
    """Two answers of which it cannot be told whether they are alike."""


class Unanswered(BaseException):
    """A stand-in does not know what the tests' callable answers here; `happened` tells even where the branch swallows it."""

    happened = False


class Late(BaseException):
    """Raised inside a call that has used up its time."""


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise `Late` in the body when its time is up, where the system can."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return

    def late(_number: int, _frame: object) -> None:
        raise Late

    before = signal.signal(signal.SIGALRM, late)
    signal.setitimer(signal.ITIMER_REAL, seconds, 0.05)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def attempt(call: Callable[[], Any], seconds: float) -> Any:
    """What one call gives: its value, or a Special."""
    try:
        with within(seconds):
            result = call()
            if inspect.isawaitable(result):
                result = asyncio.run(settled(result))
            return list(itertools.islice(result, 2_000)) if hasattr(type(result), "__next__") else result
    except KeyboardInterrupt:
        raise
    except Late:
        return Special("does not return")
    except BaseException as error:  # noqa: BLE001 (whatever the branch raises is its answer)
        return Special("raises " + type(error).__name__)


async def settled(awaitable: Any) -> Any:
    """The result of an awaitable."""
    return await awaitable


def run(steps: Iterable[tuple[str, Callable[[], Any]]], seconds: float) -> list[tuple[str, Any]]:
    """What each call gave, in order, as (text, answer); a call that does not return ends the run."""
    random.seed(0)
    Unanswered.happened = False
    answers: list[tuple[str, Any]] = []
    for text, call in steps:
        answer = attempt(call, seconds)
        answers.append((text, Special(UNKNOWN) if Unanswered.happened else answer))
        if hangs(answers[-1][1]):
            break
    return answers


def hangs(answer: Any) -> bool:
    """Whether the answer is that there was none in time."""
    return isinstance(answer, Special) and answer.text == "does not return"


def alike(got: Any, right: Any) -> bool:
    """Whether an answer is the right one: floats to 1e-9, whatever the kind of a sequence, nan is nan."""
    if isinstance(right, Special) or isinstance(got, Special):
        return alike_special(got, right)
    if isinstance(right, Thing):
        named = type(got).__name__ == right.name
        return named and all(alike(getattr(got, key), value) for key, value in right.fields.items())
    if isinstance(got, float) or isinstance(right, float):
        if not isinstance(got, (int, float)) or not isinstance(right, (int, float)):
            return False
        return str(got) == str(right) or math.isclose(got, right, rel_tol=1e-9, abs_tol=1e-9)
    if type(got) in LISTED and type(right) in LISTED:
        return len(got) == len(right) and all(map(alike, got, right))
    if isinstance(got, dict) and isinstance(right, dict):
        return got.keys() == right.keys() and all(alike(got[key], right[key]) for key in right)
    if type(got) in PLAIN or type(got).__module__ in PLAIN_MODULES:
        return bool(got == right)
    raise CannotTell("an object of class " + type(got).__name__ + " cannot be compared")


def alike_special(got: Any, right: Any) -> bool:
    """The same where one of the two is no plain value."""
    text = right.text if isinstance(right, Special) else ""
    if isinstance(got, Special) and got.text == UNKNOWN and text != "anything":
        raise CannotTell("it " + UNKNOWN)
    if text == "any value":
        return not isinstance(got, Special)
    return not hangs(got) if text == "anything" else isinstance(got, Special) and got.text == text


def printable(value: Any) -> str:
    """The value as text that cannot steer a terminal."""
    try:
        text = ascii(value)
    except Exception:  # noqa: BLE001 (a branch's own __repr__)
        text = "<" + type(value).__name__ + ">"
    return "".join(letter if letter.isprintable() else "?" for letter in text)[:200]


def lawful(answers: list[tuple[str, Any]], rule: dict[str, Any]) -> tuple[list[tuple[str, Any]], list[Any]]:
    """The answers, and what the rule makes of them: each right answer, or that anything is right."""
    got = [answer for _, answer in answers]
    right: list[Any] = [Special("anything")] * len(got)
    single = [place for key in ("when", "then", "least") for place, _ in rule.get(key, [])]
    if any(isinstance(got[place], Special) for place in single):
        return answers, right
    if not all(alike(got[place], value) for place, value in rule.get("when", [])):
        return answers, right
    for place, value in rule.get("then", []):
        right[place] = value
    for place, number in rule.get("least", []):
        right[place] = max(got[place], number)
    for left, place in rule.get("same", []):
        if not isinstance(got[left], Special) and not isinstance(got[place], Special):
            right[place] = renamed(got[left], rule.get("renamed", {}))
    return answers, right


def renamed(value: Any, names: dict[str, str]) -> Any:
    """The value with each word that stands in `names` changed, in texts and in keys of dicts."""
    if isinstance(value, str) and names:
        words = "|".join(sorted(map(re.escape, names), key=len, reverse=True))
        return re.sub("(?<![A-Za-z])(" + words + ")(?![A-Za-z])", lambda found: names[found[0]], value)
    if isinstance(value, dict):
        return {renamed(key, names): renamed(item, names) for key, item in value.items()}
    if type(value) in (list, tuple, set, frozenset):
        return type(value)(renamed(item, names) for item in value)
    return value


def judge(answers: list[tuple[str, Any]], right: list[Any]) -> int:
    """Print each call with what came back and what is right; 10 when the flaw shows, 0 when not, 3 when unclear."""
    wrong = bool(answers) and len(answers) < len(right) and hangs(answers[-1][1])
    unclear = len(answers) != len(right)
    for position, (text, got) in enumerate(answers[: len(right)]):
        mark = ""
        try:
            if not alike(got, right[position]):
                wrong, mark = True, "   <-- wrong"
        except CannotTell as error:
            unclear, mark = True, "   <-- " + str(error)
        sys.stdout.write(f"{text}: gave {printable(got)}, right is {printable(right[position])}{mark}\n")
    status = 10 if wrong else 3 if unclear else 0
    sys.stdout.write({10: "SHOWN: the flaw is there\n", 0: "not shown\n", 3: "could not check\n"}[status])
    return status


def resolve(name: str) -> Any:
    """The object of a dotted name, importing the longest prefix that is a module."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module = ".".join(parts[:end])
        try:
            found: Any = importlib.import_module(module)  # noqa: TID251 (runs in a trigger file, never in pqa)
        except ModuleNotFoundError as error:
            if error.name is not None and (module == error.name or module.startswith(error.name + ".")):
                continue
            raise
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError("no module for " + name)


def named(name: str) -> Any:
    """The object or the module that a public name stands for."""
    try:
        return resolve(name)
    except (AttributeError, ModuleNotFoundError):
        return importlib.import_module(name)  # noqa: TID251 (runs in a trigger file, never in pqa)
