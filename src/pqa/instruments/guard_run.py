"""Guard run: one guarded run of a branch's suite, on its code or a control mutant, and what its records amount to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.branch import Branch
from pqa.core.job import JobResult
from pqa.core.ports import Zygote
from pqa.core.trigger import Json
from pqa.instruments.sentinel import Sentinel
from pqa.instruments.suite import FAILED, OUTCOMES, files_with_tests, in_sequence, run_with_sentinel

BAD = ("failed", "error")
GOOD = ("passed", "xpassed")
QUIET = ("--tb=short",)
ASSERTED = ("assert ", "AssertionError", "Failed: DID NOT RAISE")


@dataclass(slots=True)
class GuardRun:
    """The records of one run, sorted; all of it is the word of a process that ran the branch."""

    outcomes: dict[str, str] = field(default_factory=dict)
    messages: dict[str, str] = field(default_factory=dict)
    sentinel: tuple[str, str] | None = None
    made: tuple[str, ...] = ()
    set_aside: tuple[str, ...] = ()
    lies: tuple[str, ...] = ()
    exit: int | None = None
    mutated: int = 0
    crooked: str = ""
    trouble: str = ""
    left_early: bool = False

    @property
    def failed(self) -> frozenset[str]:
        """Tests that did not pass although they were to."""
        return frozenset(test for test, outcome in self.outcomes.items() if outcome in BAD)

    @property
    def passed(self) -> frozenset[str]:
        """Tests that passed."""
        return frozenset(test for test, outcome in self.outcomes.items() if outcome in GOOD)

    @property
    def green(self) -> bool:
        """Whether it counts, something passed and nothing failed: then only the sentinel makes pytest's status 1."""
        whole = not self.trouble and not self.crooked and self.sentinel == ("passed", "failed") and self.exit == FAILED
        return whole and bool(self.passed) and not self.failed

    @property
    def dropped(self) -> tuple[str, ...]:
        """Tests that were made and neither run nor openly set aside."""
        known = {*self.outcomes, *self.set_aside}
        return tuple(test for test in dict.fromkeys(self.made) if test not in known)

    def asserted(self, tests: Sequence[str]) -> tuple[str, ...]:
        """Those of `tests` that fail by an assertion, not for want of a fixture, a network or a program."""
        return tuple(
            test
            for test in tests
            if self.outcomes.get(test) == "failed" and self.messages.get(test, "").startswith(ASSERTED)
        )


def run_guarded(
    zygote: Zygote,
    branch: Branch,
    *,
    mutant: str = "",
    restore: bool = False,
    select: Sequence[str] = (),
    extra: Sequence[str] = (),
    seconds: float,
) -> GuardRun:
    """Run the branch's own suite once; `mutant` is "", "null" (a comment more) or "gut" (no bodies)."""
    paths = files_with_tests(branch.tests)
    job: dict[str, Json] = {
        "paths": list(paths),
        "root": "",
        "code": list(branch.code),
        "select": list(select),
        "extra": [*QUIET, *extra],
        "mutant": mutant,
        "restore": restore,
    }
    sentinel, result = run_with_sentinel(zygote, "guard", job, (*select, *paths)[0], seconds=seconds)
    return read_guarded(result, sentinel)


def static_tests(zygote: Zygote, branch: Branch, *, seconds: float) -> tuple[str, ...]:
    """Ids, without parameters, of the tests that the suite's files define; from a process that imports none of them."""
    files = files_with_tests(branch.tests)
    result = zygote.run("static_tests", {"files": list(files)}, seconds=seconds)
    if result.trouble:
        return ()
    return tuple(
        f"{record['file']}::{test}"
        for record in result.records
        if record.get("file") in files
        for test in record["tests"]
    )


def read_guarded(result: JobResult, sentinel: Sentinel) -> GuardRun:
    """What the records of the harness's job `guard` say."""
    run = GuardRun()
    for record in result.records:
        _take(run, record)
    first: Mapping[str, Json] = result.records[0] if result.records else {}
    placed = first.get("sentinel") is True
    run.mutated = first["mutated"] if type(first.get("mutated")) is int else 0
    run.sentinel = sentinel.outcomes(run.outcomes.items()) if placed else None
    run.outcomes = {test: outcome for test, outcome in run.outcomes.items() if not sentinel.owns(test)}
    run.made = tuple(test for test in run.made if not sentinel.owns(test))
    silent = not (result.lost or result.timed_out or result.truncated) and result.signal is None
    run.left_early = placed and silent and result.exit_code == 0 and not result.complete and run.exit is None
    run.trouble = run.trouble or result.trouble
    if not in_sequence([record.get("seq") for record in result.records]):
        run.crooked = "the records are out of sequence"
    return run


def _take(run: GuardRun, record: Mapping[str, Json]) -> None:
    test, outcome = record.get("test"), record.get("outcome")
    if record.get("missing") == "pytest":
        run.trouble = "the tests need pytest: install pytest in the interpreter that runs the branch"
    elif "collect_error" in record:
        run.trouble = f"'{record['collect_error']}' could not be collected: {str(record.get('message', ''))[-200:]}"
    elif "stray" in record:
        run.trouble = f"its tests import {record.get('path')} as '{record['stray']}', which is not the branch's code"
    elif isinstance(test, str):
        if test in run.outcomes or outcome not in OUTCOMES:
            run.crooked = f"'{test}' was reported twice" if test in run.outcomes else "a record is malformed"
        run.outcomes[test] = str(outcome)
        run.messages[test] = str(record.get("message", ""))
    elif "exit" in record:
        run.crooked = run.crooked if run.exit is None else "the exit status was reported twice"
        run.exit = record["exit"] if type(record["exit"]) is int else None
    else:
        run.made += _names(record.get("made"))
        run.set_aside += _names(record.get("set_aside"))
        run.lies += _names(record.get("lies"))


def _names(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
