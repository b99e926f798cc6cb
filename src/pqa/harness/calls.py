"""Calls: build a branch's instances and make calls on them, one plain outcome each, with a CPU deadline a call."""

from __future__ import annotations

import asyncio
import contextlib
import dis
import importlib
import inspect
import io
import random
import signal
import sys
import time
from collections.abc import Awaitable, Iterator
from types import FrameType
from typing import Any, Callable

import makings
import stand_ins
import values

Item = dict[str, Any]

MAXIMUM_OUTPUT = 2_000
MAXIMUM_MESSAGE = 300
WALL_FACTOR = 10
RAISE_OPCODES = tuple(dis.opmap[name] for name in ("RAISE_VARARGS", "RERAISE") if name in dis.opmap)
INERT_EXIT = 70
NOT_MADE = "an argument cannot be made so"
UNANSWERED = "the tests do not show what a callable that they pass answers here"


class Late(BaseException):
    """Raised inside a call that has used up its time; a BaseException so that `except Exception` lets it pass."""


class Clock:
    """A zero-argument callable giving seconds; the host sets `now` before each call."""

    def __init__(self, now: float = 0.0) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


class FrozenTime:
    """Replaces the clocks of the `time` module, so that outcomes do not depend on the machine's speed."""

    EPOCH = 1_700_000_000.0

    def __init__(self) -> None:
        self.now = 0.0
        self.reads = 0

    def _read(self) -> float:
        self.reads += 1
        return self.EPOCH + self.now

    def install(self) -> None:
        """Patch the module before any branch code is imported."""
        for name in ("time", "monotonic", "perf_counter", "process_time", "thread_time"):
            setattr(time, name, self._read)
            setattr(time, name + "_ns", lambda: int(self._read() * 1e9))
        time.sleep = self._sleep  # type: ignore[assignment]

    def _sleep(self, seconds: float) -> None:
        self.now += max(0.0, float(seconds))


class Deadline:
    """Bounds one call in CPU time, and in wall time by a larger factor, for calls that wait."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        signal.signal(signal.SIGPROF, self._late)
        signal.signal(signal.SIGALRM, self._late)

    @staticmethod
    def _late(_number: int, _frame: FrameType | None) -> None:
        raise Late()

    @contextlib.contextmanager
    def bounded(self) -> Iterator[None]:
        """Raise `Late` in the body, again and again until it leaves."""
        signal.setitimer(signal.ITIMER_PROF, self.seconds, 0.05)
        signal.setitimer(signal.ITIMER_REAL, self.seconds * WALL_FACTOR, 0.05)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
            signal.setitimer(signal.ITIMER_REAL, 0)


def resolve(name: str) -> Any:
    """The object that a dotted name stands for, importing the longest prefix that is a module."""
    parts = name.split(".")
    for end in range(len(parts) - 1, 0, -1):
        module_name = ".".join(parts[:end])
        try:
            found: Any = importlib.import_module(module_name)
        except ModuleNotFoundError as error:
            if error.name is not None and (module_name == error.name or module_name.startswith(error.name + ".")):
                continue
            raise
        for part in parts[end:]:
            found = getattr(found, part)
        return found
    raise ModuleNotFoundError("no module for " + name, name=parts[0])


def named(name: str, find: Callable[[str], Any] = resolve) -> Any:
    """The object or the module that a public name stands for; raises NotMade where the branch has no such name."""
    try:
        return find(name)
    except (AttributeError, ModuleNotFoundError) as error:
        try:
            return importlib.import_module(name)
        except ModuleNotFoundError:
            raise makings.NotMade() from error


values.MAKERS["public"] = named
values.MAKERS["made"] = lambda form: makings.make(form, named)


class Performer:
    """Holds the named instances of one case and makes its calls."""

    def __init__(self, deadline: Deadline, source: str, frozen: FrozenTime | None = None) -> None:
        self.deadline = deadline
        self.source = source
        self.frozen = frozen
        self.names: Item = {}
        self.kept: set[str] = set()
        self.clocks: list[Any] = []
        self.answered = 0
        self.keep_objects = False

    def prepare(self, item: Item) -> Item | None:
        """Carry out one set-up item; returns None, or the outcome that stopped it."""
        if "clock" in item:
            clock: Any
            if item.get("replaces") == "time" and self.frozen is not None:
                self.frozen.now = float(item["clock"])
                clock = self.frozen
            else:
                clock = Clock(item["clock"])
            self.clocks.append(clock)
            self.names[item["name"]] = clock
            return None
        if "value" in item:
            outcome, made = self._attempt(lambda: lambda: values.decode(item["value"], self.names), {"new": ""})
        else:
            outcome, made = self._attempt(lambda: resolve(item["new"]), item)
        if "value" not in outcome:
            return outcome
        self.names[item["name"]] = made
        return None

    def call(self, item: Item) -> Item:
        """Make one call; its outcome. What it gives is called `as` from then on, where the item says so."""
        if item.get("at") is not None:
            for clock in self.clocks:
                clock.now = item["at"]
        if item.get("on") is not None and item["on"] not in self.names:
            return {"skipped": "nothing has this name"}
        outcome, result = self._made(item)
        if "as" in item and "value" in outcome:
            self.names[item["as"]] = result
            self.kept.add(item["as"])
        return outcome

    def _made(self, item: Item) -> tuple[Item, Any]:
        if item.get("on") is None:
            return self._attempt(lambda: resolve(item["call"]), item)
        holder = self.names[item["on"]]
        if "set" in item:
            return self._attempt(lambda: lambda value: setattr(holder, item["set"], value), {"args": [item["value"]]})
        if "get" in item:
            return self._attempt(lambda: lambda: getattr(holder, item["get"]), {})
        return self._attempt(lambda: getattr(holder, item["call"]), item)

    def _attempt(self, find: Callable[[], Any], item: Item) -> tuple[Item, Any]:
        """Find the callable, call it, encode what it gave: all within the deadline. -> (outcome, object or None)"""
        printed, result = io.StringIO(), None
        outcome: Item = {}
        try:
            arguments = [values.decode(one, self.names) for one in item.get("args", ())]
            keywords = {key: values.decode(one, self.names) for key, one in (item.get("kwargs") or {}).items()}
            before = self._argument_forms(arguments, keywords)
            with contextlib.redirect_stdout(printed), self.deadline.bounded():
                result = find()(*arguments, **keywords)
                if inspect.isawaitable(result):
                    result = asyncio.run(_await(result))
                keep = "new" in item
                outcome = {"value": None if keep else self._encode(result)}
            after = self._argument_forms(arguments, keywords)
            if after != before:
                outcome["mutated"] = after
        except makings.NotMade:
            return {"skipped": NOT_MADE}, None
        except Late:
            outcome = {"timeout": True}
        except values.TooLarge:
            outcome = {"too_large": True}
        except RecursionError:
            outcome = {"raises": "RecursionError", "own": False}
        except BaseException as error:
            outcome = self._exception(error)
        if stand_ins.Unanswered.happened:
            return {"skipped": UNANSWERED}, result
        text = printed.getvalue()[:MAXIMUM_OUTPUT]
        if text:
            outcome["output"] = text
        return outcome, result

    def _encode(self, result: Any) -> Any:
        named = {id(thing): name for name, thing in self.names.items() if _is_object(thing) and name not in self.kept}
        encoder = values.Encoder(consume=True, names=named)
        form = encoder.encode(result)
        if self.keep_objects and isinstance(form, dict) and form.get("$type") in ("other", "object"):
            name = f"result{len(self.names)}"
            self.names[name] = result
            return {"$name": name}
        return form

    def _argument_forms(self, arguments: list[Any], keywords: Item) -> list[Any]:
        forms = []
        for thing in list(arguments) + list(keywords.values()):
            if type(thing) in (list, dict, set, bytearray):
                try:
                    forms.append(values.Encoder(consume=False).encode(thing))
                except (values.TooLarge, RecursionError):
                    forms.append("?")
        return forms

    def _exception(self, error: BaseException) -> Item:
        kind = type(error)
        outcome: Item = {"raises": str(type.__getattribute__(kind, "__name__")), "own": self._raised_here(error)}
        if isinstance(error, SystemExit) and error.code == INERT_EXIT:
            outcome["inert"] = True
        if isinstance(error, (ImportError, SyntaxError)) and not self.answered:
            outcome["import"] = True
        try:
            outcome["message"] = str(error)[:MAXIMUM_MESSAGE]
        except BaseException:
            outcome["message"] = ""
        return outcome

    def _raised_here(self, error: BaseException) -> bool:
        """Whether the branch's own code raised it on purpose: its innermost frame stands on a raise statement."""
        last = error.__traceback__
        if last is None:
            return False
        while last.tb_next is not None:
            last = last.tb_next
        code = last.tb_frame.f_code
        inside = code.co_filename.startswith(self.source)
        return inside and last.tb_lasti >= 0 and code.co_code[last.tb_lasti] in RAISE_OPCODES


async def _await(thing: Awaitable[Any]) -> Any:
    return await thing


def _is_object(thing: Any) -> bool:
    return type(thing) not in (int, str, float, bool, type(None))


def perform(case: Item, deadline: Deadline, source: str, frozen: FrozenTime | None) -> Item:
    """One case from a fresh state: {"outcomes": [...]}, or {"stopped": outcome} when its set-up failed."""
    random.seed(0)
    stand_ins.Unanswered.happened = False
    if frozen is not None:
        frozen.now = 0.0
    performer = Performer(deadline, source, frozen)
    for item in case.get("setup", ()):
        stopped = performer.prepare(item)
        if stopped is not None:
            return {"stopped": stopped}
    outcomes = []
    for item in case.get("calls", ()):
        outcome = performer.call(item)
        outcomes.append(outcome)
        if "timeout" in outcome:
            break
        performer.answered += 1
    return {"outcomes": outcomes}


def flush() -> None:
    """Drop what the branch left in the buffers of the standard streams."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
