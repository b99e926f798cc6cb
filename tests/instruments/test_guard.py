"""What the guard concludes from the records of a test run, without running one; running is for tests/attacks/gaming.md."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from pqa.core.branch import Branch
from pqa.core.job import JobResult
from pqa.core.trigger import Trigger
from pqa.instruments.guard import Guarded, guard_source, guard_suite, show_guard
from pqa.instruments.guard_run import read_guarded
from pqa.instruments.sentinel import Sentinel, draw_sentinel
from pqa.instruments.suite import read_suite

BRANCH = Branch("b0", "b0", "d", "/nowhere", ("half.py",), ("test_half.py",))
A, B = "test_half.py::test_a", "test_half.py::test_b"


def numbered(records: list[dict[str, Any]]) -> tuple[dict[str, Any], ...]:
    return tuple({**record, "seq": number} for number, record in enumerate(records))


def record(name: str, outcome: str, message: str = "") -> dict[str, Any]:
    return {"test": name, "outcome": outcome, "message": message}


@dataclass
class Suite:
    """A suite run as records: the outcomes of its own tests and of the pair beside it."""

    outcomes: Mapping[str, str] = field(default_factory=lambda: {A: "passed"})
    pair: tuple[str, str] = ("passed", "failed")
    exit: int = 1
    made: tuple[str, ...] = (A,)
    set_aside: tuple[str, ...] = ()
    messages: Mapping[str, str] = field(default_factory=dict)
    swapped: bool = False

    def records(self, sentinel: Sentinel) -> tuple[dict[str, Any], ...]:
        told: list[dict[str, Any]] = [{"sentinel": True, "mutated": 1}, {"made": [*self.made, *sentinel.node_ids]}]
        told += [{"set_aside": list(self.set_aside)}]
        told += [record(name, outcome, self.messages.get(name, "")) for name, outcome in self.outcomes.items()]
        told += [
            record(name, word) for name, word in zip(sentinel.node_ids, self.pair, strict=True) if word != "absent"
        ]
        records = numbered([*told, {"exit": self.exit}])
        return (*records[:-2], records[-1], records[-2]) if self.swapped else records


class Zygote:
    """Answers each guarded run with the next of its suites, and the count of tests with `static`."""

    def __init__(self, *suites: Suite | JobResult, static: tuple[str, ...] = ("test_a",)) -> None:
        self.suites: Iterator[Suite | JobResult] = iter(suites)
        self.static = static
        self.jobs: list[Mapping[str, Any]] = []

    def run(self, kind: str, job: Mapping[str, Any], *, seconds: float) -> JobResult:
        if kind == "static_tests":
            return JobResult(({"file": "test_half.py", "tests": list(self.static)},), complete=True, exit_code=0)
        self.jobs.append(job)
        suite = next(self.suites)
        if isinstance(suite, JobResult):
            return suite
        told = job["sentinel"]
        words = told["source"].split()
        group = words[words.index("class") + 1].split("(")[0] if "class" in words else ""
        good, bad = (words[at + 1].split("(")[0] for at, word in enumerate(words) if word == "def")
        sentinel = Sentinel(told["folder"], told["name"], group, good, bad, "x")
        return JobResult(suite.records(sentinel), complete=True, exit_code=0)


HONEST, GUTTED = Suite(), Suite({A: "failed"})


def seen(*suites: Suite | JobResult, **more: Any) -> Guarded:
    return guard_suite(Zygote(*suites, **more), BRANCH, seconds=1)  # type: ignore[arg-type]


def words(guarded: Guarded) -> list[str]:
    return [one.control + ("?" if one.honest else "") for one in guarded.disagreements]


def test_an_honest_suite_agrees_with_itself() -> None:
    assert seen(HONEST, HONEST, GUTTED) == Guarded()


@pytest.mark.parametrize(
    ("suite", "said"),
    [
        (Suite(pair=("passed", "passed")), ["sentinel"]),
        (Suite(pair=("passed", "xfailed")), ["sentinel"]),
        (Suite(pair=("passed", "absent")), ["sentinel"]),
        (Suite(pair=("absent", "absent")), ["sentinel?"]),
        (Suite(exit=0), ["exit-status"]),
        (Suite({A: "failed"}, exit=0), ["exit-status"]),
        (Suite(exit=3), ["exit-status?"]),
        (Suite(swapped=True), ["records?"]),
        (Suite({A: "failed"}), []),
    ],
)
def test_one_run_shows(suite: Suite, said: list[str]) -> None:
    assert words(seen(suite)) == said


def test_a_pair_that_cannot_begin_as_unittest_cases_is_put_there_as_functions() -> None:
    stuck = Suite(pair=("error", "error"))
    assert words(seen(stuck, HONEST, HONEST, GUTTED)) == []
    assert words(seen(stuck, stuck)) == ["sentinel?"]


def test_an_end_with_status_0_before_the_end_is_proof() -> None:
    early = JobResult(({"sentinel": True, "mutated": 0, "seq": 0},), exit_code=0)
    assert words(seen(early)) == ["end"]


@pytest.mark.parametrize(
    "result",
    [
        JobResult(({"sentinel": True, "seq": 0},), signal=11),
        JobResult(({"sentinel": True, "seq": 0},), exit_code=3),
        JobResult(({"sentinel": True, "seq": 0},), timed_out=True, exit_code=0),
        JobResult(lost="the sandbox ended"),
        JobResult(({"collect_error": "test_half.py", "message": "x", "seq": 0},), complete=True, exit_code=0),
        JobResult(({"stray": "half", "path": "/usr/half.py", "seq": 0},), complete=True, exit_code=0),
        JobResult(({"missing": "pytest", "seq": 0},), complete=True, exit_code=0),
    ],
)
def test_a_run_that_does_not_count_accuses_nobody(result: JobResult) -> None:
    guarded = seen(result)
    assert guarded.trouble
    assert guarded.disagreements == ()


def test_dropped_tests_that_fail_are_proof_and_others_are_not() -> None:
    dropping = Suite(made=(A, B))
    failing = Suite({A: "passed", B: "failed"}, messages={B: "assert 1 == 2"})
    offline = Suite({A: "passed", B: "failed"}, messages={B: "ConnectionError: no network"})
    passing = Suite({A: "passed", B: "passed"})
    mutants = (HONEST, GUTTED)
    static = ("test_a", "test_b")
    assert words(seen(dropping, failing, *mutants, static=static)) == ["dropped"]
    assert words(seen(dropping, offline, *mutants, static=static)) == ["dropped?"]
    assert words(seen(dropping, passing, *mutants, static=static)) == []
    assert words(seen(Suite(made=(A, B), set_aside=(B,)), *mutants, static=static)) == []


def test_tests_that_are_kept_from_being_collected_are_run_without_the_conftest() -> None:
    failing = Suite({B: "failed"}, messages={B: "AssertionError: x"})
    zygote = Zygote(HONEST, failing, HONEST, GUTTED, static=("test_a", "test_b"))
    guarded = guard_suite(zygote, BRANCH, seconds=1)  # type: ignore[arg-type]
    assert words(guarded) == ["hidden"]
    assert zygote.jobs[1]["select"] == [B]
    assert "--noconftest" in zygote.jobs[1]["extra"]


def test_a_parametrised_test_is_one_test() -> None:
    ids = (f"{A}[1]", f"{A}[2]")
    many = Suite(dict.fromkeys(ids, "passed"), made=ids)
    assert words(seen(many, many, Suite(dict.fromkeys(ids, "failed")))) == []


def test_a_comment_that_turns_everything_red_is_proof_and_one_test_of_style_is_not() -> None:
    two = Suite({A: "passed", B: "passed"}, made=(A, B))
    all_red, one_red = Suite({A: "failed", B: "failed"}), Suite({A: "passed", B: "failed"})
    static = ("test_a", "test_b")
    assert words(seen(two, all_red, all_red, two, static=static)) == ["source"]
    assert words(seen(two, one_red, Suite({A: "failed", B: "passed"}), two, static=static)) == ["source?"]
    assert words(seen(two, one_red, one_red, one_red, static=static)) == [], "a flaky suite shows nothing"


def test_code_without_bodies_that_stays_green_is_said() -> None:
    assert words(seen(HONEST, HONEST, HONEST)) == ["gut?"]


def test_a_trigger_shows_again_what_it_is_about() -> None:
    one = seen(Suite(pair=("passed", "passed"))).disagreements[0]
    trigger = Trigger("guard", one.title, source=guard_source(one))

    def shown(*suites: Suite, inert: bool = False, trigger: Trigger = trigger) -> bool | None:
        return show_guard(Zygote(*suites), BRANCH, trigger, inert=inert)[0]  # type: ignore[arg-type]

    assert shown(Suite(pair=("passed", "passed"))) is True
    assert shown(HONEST) is False
    assert shown(Suite(pair=("absent", "absent"))) is None
    assert shown(inert=True) is False
    assert shown(trigger=Trigger("guard", "x", source="[]")) is None


def test_forged_records_are_seen() -> None:
    sentinel = draw_sentinel("test_half.py")
    good, bad = sentinel.node_ids
    twice = read_guarded(JobResult(numbered([{"sentinel": True}, record(A, "passed"), record(A, "passed")])), sentinel)
    foreign = ({"sentinel": True, "seq": 0}, {"test": A, "outcome": "passed"}, {"exit": 1, "seq": 1})
    assert "twice" in twice.crooked
    assert "sequence" in read_guarded(JobResult(foreign, complete=True, exit_code=0), sentinel).crooked
    run = read_suite(JobResult(foreign, complete=True, exit_code=0), code=(), measured=False, sentinel=sentinel)
    told = numbered(
        [{"sentinel": True}, {"collected": [good, bad]}, record(good, "passed"), record(bad, "failed"), {"exit": 1}]
    )
    whole = read_suite(JobResult(told, complete=True, exit_code=0), code=(), measured=False, sentinel=sentinel)
    gap = read_suite(
        JobResult(told[:2] + told[3:], complete=True, exit_code=0), code=(), measured=False, sentinel=sentinel
    )
    assert (run.status, whole.status, gap.status) == ("could-not-check", "empty", "could-not-check")
    assert "out of sequence" in run.why
    assert "out of sequence" in gap.why
