"""Crash vote: who falls over where at least half of the others answer, and who is left alone."""

from __future__ import annotations

from dataclasses import replace

from pqa.core.branch import Branch
from pqa.core.finding import Finding
from pqa.core.task import Brief, Task
from pqa.instruments.crash_vote import crash_vote
from pqa.instruments.divergence import Split
from pqa.instruments.observation import Observed
from pqa.instruments.recount import VOTES, recount

CALL = {"on": "subject", "call": "pop", "args": [], "kwargs": {}}
SETUP = {"name": "subject", "new": "m.Stack", "args": [], "kwargs": {}}
NAMES = ("b0", "b1", "b2", "b3")


def brief() -> Brief:
    branches = tuple(Branch(name, name, name, (), ()) for name in NAMES)
    return Brief(branches, Task("stack"), "differential", trials=10, wall_seconds=1.0, seed=0)


def answers(value: object) -> Observed:
    return Observed(({"value": 1}, {"value": value}))


def falls(*, own: bool = False) -> Observed:
    return Observed(({"value": 1}, {"raises": "IndexError", "own": own}))


def split(number: int, tier: str = "T0", **seen: Observed) -> Split:
    case = {"setup": [SETUP], "calls": [{**CALL, "args": [number]}, CALL]}
    groups = tuple((name,) for name in seen)
    return Split("m.Stack", case, groups, seen, tier)


def splits(count: int = 3, tier: str = "T0", **seen: Observed) -> list[Split]:
    return [split(number, tier, **seen) for number in range(count)]


SEEN = {"b0": falls(), "b1": answers(2), "b2": answers(3), "b3": falls(own=True)}


def accused(found: list[Split], clones: dict[str, str] | None = None) -> list[tuple[str, str, str]]:
    return [(one.branch_id, one.severity, one.title) for one in crash_vote(brief(), found, clones or {})]


def test_branch_that_falls_over_where_half_of_the_others_answer_is_accused() -> None:
    title = "after subject = Stack(); subject.pop(0); subject.pop() raises IndexError, where at least half of the branches do not fall over"
    assert accused(splits(**SEEN)) == [("b0", "high", title)]


def test_two_sequences_are_too_few() -> None:
    assert accused(splits(2, **SEEN)) == []


def test_sequence_outside_the_contract_accuses_nobody() -> None:
    assert accused(splits(tier="T1", **SEEN)) == []


def test_branch_that_refuses_on_purpose_is_not_accused() -> None:
    assert accused(splits(**{**SEEN, "b0": falls(own=True)})) == []


def test_three_branches_are_too_few() -> None:
    assert accused(splits(b0=falls(), b1=answers(2), b2=answers(3))) == []


def test_copies_of_one_branch_have_one_vote() -> None:
    seen = {**SEEN, "b2": answers(2)}
    found = [replace(one, groups=(("b1", "b2"), ("b0",), ("b3",))) for one in splits(**seen)]
    assert [name for name, *_ in accused(found)] == ["b0"]
    assert accused(found, {"b2": "b1"}) == []


def test_where_most_fall_over_nobody_is_accused() -> None:
    assert accused(splits(**{**SEEN, "b2": falls(), "b3": falls()})) == []


def test_the_dead_have_no_vote_against_a_crash() -> None:
    finding: Finding = next(iter(crash_vote(brief(), splits(**SEEN), {})))
    matrix = {finding.id: {"b0": "shown", "b1": "not-shown", "b2": "not-shown", "b3": "shown"}}
    assert recount([finding], matrix, set(NAMES), {}) == (finding,)
    (left,) = recount([finding], matrix, {"b0", "b2", "b3"}, {})
    assert (left.severity, left.discount_reason) == ("low", VOTES["crash:"][1])


def test_branch_that_refuses_on_purpose_is_not_accused_with_one_that_falls_over_in_the_same_group() -> None:
    groups = (("b1",), ("b2",), ("b0", "b3"))
    assert [name for name, *_ in accused([replace(one, groups=groups) for one in splits(**SEEN)])] == ["b0"]
    groups = (("b1",), ("b2",), ("b3", "b0"))
    assert [name for name, *_ in accused([replace(one, groups=groups) for one in splits(**SEEN)])] == ["b0"]


def test_branch_that_does_not_return_on_two_sequences_where_half_of_the_others_do_is_accused() -> None:
    late = Observed(({"value": 1}, {"timeout": True}))
    seen = {**SEEN, "b0": late}
    title = (
        "after subject = Stack(); subject.pop(0); subject.pop() does not return, where at least half of the branches do"
    )
    assert accused(splits(2, **seen)) == [("b0", "high", title)]
    assert [one.oracle for one in crash_vote(brief(), splits(2, **seen), {})] == ["hang"]
    assert accused(splits(1, **seen)) == []
    assert accused(splits(2, **{**seen, "b1": late, "b2": late})) == []
