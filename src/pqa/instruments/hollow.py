"""Hollow: run a suite on hollowed code in the sandbox, and say plainly which runs stayed green, with the controls.

A run is green only when every test ended as in the clean run of the same job and the exit status is 0; red only when a
test that passed there failed; anything else, a timeout included, is unknown and concludes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.branch import Branch
from pqa.core.job import JobResult
from pqa.core.ports import Zygote
from pqa.core.trigger import Json
from pqa.instruments.suite import FAILED, LOCKED_MOUNT, OK, files_with_tests

GREEN, RED, UNKNOWN = "green", "red", "unknown"
PASSED = ("passed", "xpassed")
CHANGES = ("first", "last", "stale")
QUIET = ("--tb=no", "--no-header", "--no-summary")
FIRST_LIMIT, LEAST_LIMIT, SLOWER = 60.0, 3.0, 10.0
NUMBERS = ("fired", "changed", "line", "empty")
TEXTS = ("tests", "direct", "changed_tests", "escaped", "example")
LOADED_AGAIN = "its tests load the code a second time"
NO_PYTEST = "hollowing needs pytest: install pytest in the interpreter that runs the branch"


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite to be judged: its paths, all its files (helpers and conftest too), the code under test, where it lies."""

    paths: tuple[str, ...]
    files: tuple[str, ...]
    code: tuple[str, ...]
    copy_from: str = ""


@dataclass(frozen=True, slots=True)
class Order:
    """One run to be made; `way` is one of `harness/hollow_parts.py`, or "clean"."""

    way: str
    function: str | None = None
    select: tuple[str, ...] | None = None
    stop: bool = False
    clears: bool = False
    reseed: bool = False
    values: Mapping[str, Json] | None = None

    def job(self) -> dict[str, Json]:
        """As the harness reads it."""
        select = None if self.select is None else list(self.select)
        told = {"way": self.way, "function": self.function, "select": select, "values": self.values}
        return {**told, "stop": self.stop, "clears": self.clears, "reseed": self.reseed}


@dataclass(slots=True)
class Run:
    """What came back of one order; all of it is the word of a process that ran the branch."""

    order: Order
    outcomes: dict[str, str] = field(default_factory=dict)
    parts: dict[str, Mapping[str, Json]] = field(default_factory=dict)
    exit: int | None = None
    ended: Json = None
    seconds: float = 0.0
    told: Mapping[str, Json] = field(default_factory=dict)

    @property
    def part(self) -> Mapping[str, Json]:
        """What the ordered function did; empty when it was not there."""
        return self.parts.get(self.order.function or "", {})

    @property
    def why_void(self) -> str:
        """Why the run counts for nothing; "" when it does."""
        if self.exit is None or self.ended != self.exit:
            return f"the run with '{self.order.way}' did not end by itself ({self.ended})"
        if self.told.get("spawned"):
            return "its tests start other processes, in which nothing is hollowed"
        if self.told.get("copies") or self.part.get("file") in _list(self.told.get("reloaded")):
            return LOADED_AGAIN
        if self.order.way == "recall" and self.part.get("mismatch"):
            return "the calls differ from run to run"
        return ""

    def escaped(self, clean: Run) -> tuple[str, ...]:
        """Tests that pass on the clean code and were left by the exception of a `raise`."""
        return tuple(test for test in _list(self.part.get("escaped")) if clean.outcomes.get(test) == "passed")

    def verdict(self, clean: Run) -> str:
        """Green, red or unknown, against the clean run of the same suite."""
        chosen = clean.outcomes if self.order.select is None else dict.fromkeys(self.order.select)
        expected = {test: clean.outcomes.get(test) for test in chosen}
        if self.why_void or (self.order.function and not self.part.get("fired")):
            return UNKNOWN
        if self.exit == OK and self.outcomes == expected:
            return GREEN
        return RED if self.exit == FAILED and self.failed(clean) else UNKNOWN

    def failed(self, clean: Run) -> tuple[str, ...]:
        """Tests that pass on the clean code and fail here."""
        bad = [test for test, outcome in self.outcomes.items() if outcome in ("failed", "error")]
        return tuple(test for test in bad if clean.outcomes.get(test) in PASSED)


def own_suite(branch: Branch) -> Suite:
    """The suite that the branch brings."""
    return Suite(files_with_tests(branch.tests), branch.tests, branch.code)


def locked_suite(branch: Branch, paths: Sequence[str]) -> Suite:
    """The locked suite, run on one branch."""
    return Suite(tuple(paths), tuple(paths), branch.code, LOCKED_MOUNT)


def run_orders(
    zygote: Zygote,
    suite: Suite,
    orders: Sequence[Order],
    *,
    limit: float = FIRST_LIMIT,
    imports: Sequence[str] = (),
    seconds: float,
) -> tuple[list[Run], str]:
    """All runs that were made, in order, and why there are fewer than ordered; collection is done once."""
    job: dict[str, Json] = {
        "paths": list(suite.paths),
        "tests": list(suite.files),
        "code": list(suite.code),
        "extra": list(QUIET),
        "imports": list(imports),
        "limit": limit,
        "runs": [order.job() for order in orders],
    }
    if suite.copy_from:
        job["copy"] = {"from": suite.copy_from, "skip": []}
    result = zygote.run("hollow", job, seconds=seconds)
    return read_runs(result, orders)


def read_runs(result: JobResult, orders: Sequence[Order]) -> tuple[list[Run], str]:
    """The runs that the records of one job tell of; malformed ones are left out."""
    runs: list[Run] = []
    for record in result.records:
        if record.get("missing") == "pytest":
            return [], NO_PYTEST
        number = record.get("run")
        if isinstance(number, int) and 0 <= number < len(orders):
            runs.append(Run(orders[number]))
        elif runs:
            _take(runs[-1], record)
    if result.trouble:
        return runs, result.trouble
    return runs, "" if runs else "its tests were not reached: collection failed or the loop over the tests was replaced"


def _take(run: Run, record: Mapping[str, Json]) -> None:
    test, part = record.get("test"), record.get("part")
    if isinstance(test, str) and "outcome" in record:
        run.outcomes[test] = str(record["outcome"])
    elif isinstance(part, str):
        run.parts[part] = _sound(record)
    elif "exit" in record:
        run.exit = record["exit"] if type(record["exit"]) is int and run.exit is None else None
        run.told = record
    elif "ran" in record:
        run.ended = record.get("ended")
        seconds = record.get("seconds")
        run.seconds = float(seconds) if isinstance(seconds, int | float) else 0.0


def _sound(record: Mapping[str, Json]) -> dict[str, Json]:
    """A function's record with every number a number and every list one of texts: it is a hostile process's word."""
    numbers = {key: record[key] for key in NUMBERS if type(record.get(key)) is int}
    texts = {key: _list(record.get(key)) for key in TEXTS}
    kept = {key: record.get(key) for key in ("file", "digest", "types", "values", "mismatch")}
    return {**dict.fromkeys(NUMBERS, 0), **numbers, **texts, **kept}


def _list(value: Json) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def late_modules(run: Run) -> tuple[str, ...]:
    """Modules of the branch that only the running tests import."""
    return tuple(_list(run.told.get("late")))


def limit_after(clean: Run) -> float:
    """How long a hollowed run may take."""
    return LEAST_LIMIT + SLOWER * clean.seconds


def is_clean(run: Run) -> bool:
    """Whether the clean run is green: exit status 0, something passed, nothing failed."""
    words = list(run.outcomes.values())
    return not run.why_void and run.exit == OK and "passed" in words and not {"failed", "error"}.intersection(words)
