"""Mutant fresh: the whole suite in pytest's own loop, in a process that has imported nothing of the tree, on changed code.

The changed code is given to whoever imports its file; the file itself stays as it is. This is what every survivor has to
pass twice, and the only way for code that runs at import.
"""

from __future__ import annotations

import importlib.machinery
import os
import sys
import time
import types
from collections.abc import Callable, Mapping
from typing import Any

import hollow
import mutant_session
import naming
import reporter
from mutant_fork import Child, limit_cpu

BAD = ("failed", "error")
SPAWNED = "its tests start other processes, in which nothing is changed"


def give(codes: Mapping[str, Callable[[], types.CodeType]]) -> None:
    """From now on, importing a file of these paths gives the code that stands for it."""
    original = importlib.machinery.SourceFileLoader.get_code

    def get_code(self: Any, fullname: str) -> Any:
        made = codes.get(os.path.realpath(self.path))
        return original(self, fullname) if made is None else made()

    importlib.machinery.SourceFileLoader.get_code = get_code  # type: ignore[method-assign]


class Fresh:
    """Runs the suite afresh; `clean` are the outcomes of all tests on unchanged code, once they are known."""

    def __init__(self, job: Mapping[str, Any], context: Any, counter: Any) -> None:
        self.job, self.context, self.counter = job, context, counter
        self.clean: dict[str, str] = {}
        self.cpu, self.wall = 0.0, 0.0

    def run(self, codes: Mapping[str, Callable[[], types.CodeType]], *, stop: bool = True) -> dict[str, Any]:
        """One run: {"exit", "outcomes", "reached", "late", "spawned"}, or {"ended"} where it did not end by itself."""

        def work(say: Any) -> None:
            if self.cpu:
                limit_cpu(2.0 + 10 * self.cpu)
            give(codes)
            self.suite(say, stop)

        wall = 15.0 + 20 * self.wall if self.clean else float(self.job.get("first_wall", 120.0))
        child = Child(work, wall)
        told: dict[str, Any] = {}
        for line in child.lines():
            told = line
        return told if child.ended == 0 and told else {"ended": str(child.ended)}

    def suite(self, say: Any, stop: bool) -> None:
        """In the child: run it and tell."""
        spawned: list[str] = []
        told: dict[str, str] = {}
        sys.addaudithook(
            lambda event, _: spawned.append(event) if event in hollow.SPAWNS and len(spawned) < 9 else None
        )
        names = naming.Naming(self.context.source, self.job["code"])
        errors: list[str] = []

        def emit(record: Any) -> None:
            if "test" in record:
                told[record["test"]] = record["outcome"]
            elif "collect_error" in record:
                errors.append(reason(str(record["collect_error"]), str(record["message"])))

        loaded: list[str] = []

        def loop(pytest: Any, session: Any) -> bool:
            loaded.extend(name for name, _ in names.modules())
            if stop:
                session.config.option.maxfail = 1
            return False

        def plugins(pytest: Any) -> list[Any]:
            return [reporter.Reporter(emit).hooks(pytest)]

        cpu, wall = time.process_time(), time.monotonic()
        status = mutant_session.open_session(self.job, self.context, loop, plugins)
        taken = {"cpu": time.process_time() - cpu, "took": time.monotonic() - wall}
        late = sorted({name for name, _ in names.modules()} - set(loaded))
        reached = self.counter.taken()
        say({"exit": status, "outcomes": told, "errors": errors, "reached": reached, "late": late,
             "spawned": bool(spawned), **taken})  # fmt: skip

    def verdict(self, run: Mapping[str, Any], *, counted: bool) -> tuple[str, str]:
        """ "survived", "killed" or "not-measured", and by which test or why; `counted` says that its runs were counted."""
        if "ended" in run:
            why = "it used up its processor time" if run["ended"] == "signal 27" else f"it ended by {run['ended']}"
            return "not-measured", why
        bad = [test for test, word in run["outcomes"].items() if word in BAD and self.clean.get(test) not in BAD]
        if run["exit"] == 0:
            if run["outcomes"] != self.clean:
                return "not-measured", "other tests ran than on the unchanged code"
            if counted and not run["reached"]:
                return "not-measured", "the changed code did not run"
            return ("not-measured", SPAWNED) if run["spawned"] else ("survived", "")
        if bad or run["errors"] or run["exit"] in (1, 2, 3, 4):
            return "killed", bad[0] if bad else "the tests cannot be collected"
        return "not-measured", f"pytest's exit status is {run['exit']}"


def reason(place: str, message: str) -> str:
    """What kept a file from being collected, in one line: of a traceback, the exception that ended it."""
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    errors = [line[1:].strip() for line in lines if line.startswith("E ")]
    return f"{place}: {(errors or lines or ['it could not be collected'])[-1]}"[:300]
