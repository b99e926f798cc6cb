"""Entries: one call or one instance's life as the recorder saw it, encoded at once, turned into a record at the end."""

from __future__ import annotations

import json
import types
from collections.abc import Sequence
from typing import Any, Optional

import clocks
import shapes
import stand_ins
import values

RECORD_BYTES = 200_000
COMPARISONS = ("__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__", "__hash__")
TOO_LARGE = {"value": {"$type": "other", "value": "too large"}}


class Entry:
    """One call that was seen to begin."""

    __slots__ = (
        "args",
        "at",
        "candidates",
        "kwargs",
        "name",
        "outcome",
        "plain",
        "reads_time",
        "sets",
        "test",
        "trace",
        "words",
    )

    def __init__(self, name: str, test: str) -> None:
        self.name, self.test = name, test
        self.args: list[Any] = []
        self.kwargs: dict[str, Any] = {}
        self.candidates: list[tuple[Any, clocks.Candidate]] = []
        self.outcome: dict[str, Any] = {"value": {"$type": "other", "value": "unfinished"}}
        self.at: Any = None
        self.plain = True
        self.reads_time = self.sets = False
        self.trace: Optional[Trace] = None
        self.words: list[str] = []

    def take(self, arguments: shapes.Arguments, watch: clocks.Watch) -> None:
        """Encode the arguments now, before the call can change them."""
        self.words = list(arguments.positional)
        try:
            encoder = values.Encoder(consume=False, making=watch.making)
            self.args = [self._slot(at, value, encoder, watch) for at, value in enumerate(arguments.args)]
            self.kwargs = {str(key): self._slot(key, value, encoder, watch) for key, value in arguments.kwargs.items()}
            if len(json.dumps([self.args, self.kwargs])) > RECORD_BYTES:
                raise values.TooLarge()
        except (values.TooLarge, RecursionError):
            self.args, self.kwargs, self.candidates, self.plain = [], {}, [], False

    @classmethod
    def assignment(cls, name: str, value: Any, test: str) -> Entry:
        """The entry that says that a test gave an attribute an encoded value."""
        entry = cls(name, test)
        entry.args, entry.outcome, entry.sets = [value], {"value": None}, True
        return entry

    def _slot(self, at: Any, value: Any, encoder: values.Encoder, watch: clocks.Watch) -> Any:
        public = watch.public_name(value) if isinstance(value, (type, types.FunctionType)) else None
        if public is not None:
            return {"$type": "public", "value": public}
        candidate = watch.add(value)
        if candidate is None:
            return encoder.encode(value)
        self.candidates.append((at, candidate))
        return {"$type": "other", "value": "callable"}

    def clock(self) -> Optional[clocks.Candidate]:
        """The argument that turned out to be a clock."""
        return next((candidate for _, candidate in self.candidates if candidate.is_clock), None)

    def record(self, numbers: Optional[dict[int, int]] = None) -> dict[str, Any]:
        """The record so far. In an instance's life, where `numbers` tells its callables apart, a clock stands by its name;
        every other callable is there by the form of its stand-in."""
        for at, candidate in self.candidates:
            form: Any = {"$name": "clock"}
            if numbers is None or not candidate.is_clock:
                word = self.words[at] if isinstance(at, int) and at < len(self.words) else str(at)
                number = 0 if numbers is None else numbers.setdefault(id(candidate), len(numbers))
                found = stand_in(candidate, word, number)
                form = (
                    {"$type": "other", "value": "callable"} if found is None else {"$type": "callable", "value": found}
                )
            if isinstance(at, int):
                self.args[at] = form
            else:
                self.kwargs[at] = form
        plain = self.plain and all(is_plain(value) for value in (*self.args, *self.kwargs.values()))
        outcome = self.outcome if len(json.dumps(self.outcome)) <= RECORD_BYTES else TOO_LARGE
        return {
            "args": self.args,
            "kwargs": self.kwargs,
            "outcome": outcome,
            "at": self.at,
            "test": self.test,
            "replayable": plain,
            **({"sets": True} if self.sets else {}),
        }


class Trace:
    """One instance, kept alive so that its id stays its own."""

    def __init__(self, kind: str, instance: Any, made: Entry) -> None:
        self.kind, self.instance, self.made = kind, instance, made
        self.calls: list[Entry] = []
        self.state: dict[str, Any] = {}
        self.failed = self.closed = False

    def record(self, reads: Sequence[str] = ()) -> dict[str, Any]:
        """The trace up to the first call that has no plain form; comparisons that have none are left out."""
        numbers: dict[int, int] = {}
        made = self.made.record(numbers)
        calls = []
        for call in self.calls:
            record = {"call": call.name, **call.record(numbers)}
            if record["replayable"]:
                calls.append(record)
            elif call.name not in COMPARISONS:
                break
        return {
            "trace": self.kind,
            "args": made["args"],
            "kwargs": made["kwargs"],
            "calls": calls,
            "clocked": self.made.clock() is not None,
            "start": made["at"],
            "test": self.made.test,
            "replayable": made["replayable"],
            "reads": list(reads),
            "reads_time": self.made.reads_time or any(call.reads_time for call in self.calls),
        }


def stand_in(candidate: clocks.Candidate, word: str, number: int) -> Any:
    """The form of what can take a callable's place; None where what it was asked or answered has no plain form."""
    seen = []
    for entry in candidate.calls:
        outcome = {key: value for key, value in entry.outcome.items() if key in ("value", "raises")}
        if (
            not entry.plain
            or entry.candidates
            or not all(map(is_plain, (*entry.args, *entry.kwargs.values(), outcome.get("value"))))
        ):
            return None
        seen.append((entry.args, entry.kwargs, outcome))
    name = word if word.isidentifier() else "callable"
    return stand_ins.form_of(candidate.thing, name, number, seen, stand_ins.known_error)


def is_plain(value: Any) -> bool:
    """Whether an encoded argument can be rebuilt from its form."""
    if isinstance(value, list):
        return all(is_plain(item) for item in value)
    if not isinstance(value, dict):
        return True
    return value.get("$type") not in ("other", "object") and all(is_plain(item) for item in value.values())


def encoded(value: Any) -> dict[str, Any]:
    """The outcome of a call that returned."""
    try:
        return {"value": values.Encoder(consume=False).encode(value)}
    except (values.TooLarge, RecursionError):
        return TOO_LARGE
