"""Hollow parts: what stands in for a function's body during one run of a suite, and the count of what it did there.

Ways: "watch" and "same" run the true body and give its value; "raise", "none" and "empty:TYPE", "true" run no body;
"discard" runs the body and gives None; "first", "last" and "stale" run it and give a changed value of the same shape;
"recall" gives the values that were seen in an earlier run, without a body.
"""

from __future__ import annotations

import ast
import hashlib
import inspect
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Optional

import perturb

CHANGES = ("first", "last", "stale")
RAISED = "!"
TESTS, CALLERS, EXCEPTIONS = 200, 12, 50
VALUES_LENGTH = 40_000


class Hollowed(BaseException):
    """What the way "raise" raises: nobody who handles `Exception` swallows it."""


class Part:
    """One function in one run. `stage` knows which test runs; outside of tests, and within itself, it is true."""

    def __init__(self, stage: Any, name: str, way: str, recalled: Optional[Mapping[str, list[str]]] = None) -> None:
        self.stage, self.name, self.way = stage, name, way
        self.recalled = {test: list(values) for test, values in (recalled or {}).items()}
        self.fired = self.changed = 0
        self.tests: dict[str, int] = {}
        self.direct: dict[str, int] = {}
        self.changed_tests: dict[str, int] = {}
        self.escaped: dict[str, int] = {}
        self.example: list[str] = []
        self.earlier: list[Any] = []
        self.mismatch = False
        self.seen = Seen()
        self.inside = threading.local()

    def hook_for(self, real: Callable[..., Any]) -> Callable[..., Any]:
        """What the stand-in calls."""

        def hook(*args: Any, **kwargs: Any) -> Any:
            if not self.stage.test or getattr(self.inside, "yes", False):
                return real(*args, **kwargs)
            self.inside.yes = True
            try:
                self.count(sys._getframe(1))
                return self.act(real, args, kwargs)
            finally:
                self.inside.yes = False

        return hook

    def count(self, frame: Any) -> None:
        """One more call, and whether a test made it."""
        test = self.stage.test
        self.fired += 1
        self.tests[test] = self.tests.get(test, 0) + 1
        if self.stage.is_from_test(frame.f_back):
            self.direct[test] = self.direct.get(test, 0) + 1

    def act(self, real: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The answer of this way."""
        kind, _, of = self.way.partition(":")
        if kind == "raise":
            error = Hollowed(self.name)
            self.stage.raised.append(error) if len(self.stage.raised) < EXCEPTIONS else None
            raise error
        if kind == "none":
            return None
        if kind == "true":
            return True
        if kind == "empty":
            return perturb.EMPTY[of]()
        if kind == "recall":
            return self.recall(real, args, kwargs)
        return self.after(real, args, kwargs)

    def after(self, real: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The answer of a way in which the true body runs."""
        test = self.stage.test
        try:
            value = real(*args, **kwargs)
        except BaseException as error:
            if self.way == "watch":
                self.seen.take(test, RAISED, "!" + type(error).__name__)
            raise
        if self.way == "discard":
            return None
        if self.way == "watch":
            self.seen.take_value(test, value)
        if self.way not in CHANGES:
            return value
        changed = perturb.perturbed(value, self.way, self.earlier)
        if changed is perturb.SAME:
            return value
        self.changed += 1
        self.changed_tests[test] = self.changed_tests.get(test, 0) + 1
        self.example = self.example or [perturb.plain_text(value), perturb.plain_text(changed)]
        return changed

    def recall(self, real: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The value that this call of this test gave earlier; where none is known the run counts for nothing."""
        values = self.recalled.get(self.stage.test)
        text = values.pop(0) if values else None
        if text is None:
            self.mismatch = True
        return real(*args, **kwargs) if text is None or text == RAISED else ast.literal_eval(text)

    def record(self) -> dict[str, Any]:
        """All of it, for the host."""
        found = {
            "part": self.name,
            "fired": self.fired,
            "changed": self.changed,
            "tests": list(self.tests)[:TESTS],
            "direct": list(self.direct)[:TESTS],
            "changed_tests": list(self.changed_tests)[:TESTS],
            "escaped": list(self.escaped)[:TESTS],
            "example": self.example,
            "mismatch": self.mismatch or any(self.recalled.values()),
        }
        return {**found, **self.seen.record()} if self.way == "watch" else found


class Seen:
    """The values that a watched function gave."""

    def __init__(self) -> None:
        self.types: Counter[str] = Counter()
        self.empty = 0
        self.length = 0
        self.values: Optional[dict[str, list[str]]] = {}
        self.stream = hashlib.sha256()

    def take_value(self, test: str, value: Any) -> None:
        """One value that was returned."""
        name = type(value).__name__
        plain = value is None or perturb.EMPTY.get(name) is type(value)
        self.types[name if plain else "<" + name + ">"] += 1
        self.empty += bool(plain and value is not None and not value)
        self.take(test, perturb.source_of(value), perturb.plain_text(value))

    def take(self, test: str, source: Optional[str], text: str) -> None:
        """One outcome: its source text, if it has one, and its words."""
        self.stream.update((test + "\0" + text + "\0").encode("utf-8", "replace"))
        self.length += len(source or "")
        if source is None or self.length > VALUES_LENGTH:
            self.values = None
        if self.values is not None and source is not None:
            self.values.setdefault(test, []).append(source)

    def record(self) -> dict[str, Any]:
        """Types, how many were empty, the values where all are plain, and a digest of their sequence."""
        digest = self.stream.hexdigest()
        return {"types": dict(self.types), "empty": self.empty, "values": self.values, "digest": digest}


def is_from_test(frame: Any, tests: Any, names: Any) -> bool:
    """Whether a call was made by a test file, if by way of a decorator or of a library."""
    for _ in range(CALLERS):
        if frame is None:
            return False
        code = frame.f_code
        if tests(code.co_filename):
            return True
        if names.relative(code.co_filename) is not None and not code.co_flags & inspect.CO_NESTED:
            return False
        frame = frame.f_back
    return False
