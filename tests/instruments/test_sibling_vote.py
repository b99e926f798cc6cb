"""Sibling vote: where most independent branches answer alike and one does not; a lead that never kills."""

from __future__ import annotations

import pytest

from pqa.core.branch import Branch
from pqa.core.task import Brief, Task
from pqa.instruments.divergence import Split
from pqa.instruments.observation import Observed
from pqa.instruments.recount import VOTES, recount
from pqa.instruments.sibling_vote import ROOT, ROOT_OF_MANY, Ground, vote

NAMES = ("b0", "b1", "b2", "b3")
GROUND = Ground("m.f", inside=20, support=3)


def brief(*names: str) -> Brief:
    branches = tuple(Branch(name, f"/candidates/{name}", "digest", "") for name in names)
    return Brief("differential", branches, Task(), 240, 60.0, 0)


def split(number: int, alone: object = 9, own: bool | None = None) -> Split:
    """b0 to b2 answer 1, b3 answers `alone` or raises."""
    case = {"setup": [], "calls": [{"on": None, "call": "m.f", "args": [number], "kwargs": {}}]}
    seen = {name: Observed(({"value": 1},)) for name in NAMES[:3]}
    seen["b3"] = Observed(({"value": alone},) if own is None else ({"raises": "KeyError", "own": own},))
    return Split("m.f", case, (NAMES[:3], ("b3",)), seen)


def accused(
    *splits: Split, names: tuple[str, ...] = NAMES, clones: dict[str, str] | None = None
) -> list[tuple[str, str]]:
    found = vote(brief(*names), splits, [GROUND], clones or {})
    return [(one.branch_id, str(one.oracle)) for one in found]


def test_one_branch_against_three_on_two_inputs_is_a_high_finding() -> None:
    (finding,) = vote(brief(*NAMES), [split(1), split(2)], [GROUND], {})
    assert (finding.branch_id, finding.severity, finding.oracle, finding.qualified) == ("b3", "high", "siblings", True)
    assert finding.title == "f(1): 9, where 3 of 4 branches answer 1"
    assert finding.trigger is not None
    assert finding.trigger.expect == {"values": [1]}


def many_split(number: int, voters: int) -> Split:
    """The last of them answers 9, the others 1."""
    names = tuple(f"b{place}" for place in range(voters))
    seen = {name: Observed(({"value": 9 if name == names[-1] else 1},)) for name in names}
    return Split("m.f", split(number).case, (names[:-1], names[-1:]), seen)


@pytest.mark.parametrize(
    ("voters", "calls", "qualified"), [(6, 2, True), (5, 2, False), (6, 1, False), (5, 3, True), (6, 3, True)]
)
def test_two_calls_show_the_contract_where_six_vote_and_three_where_fewer_do(
    voters: int, calls: int, qualified: bool
) -> None:
    names = [f"b{place}" for place in range(voters)]
    splits = [many_split(1, voters), many_split(2, voters)]
    (finding,) = vote(brief(*names), splits, [Ground("m.f", inside=20, support=calls)], {})
    assert (finding.branch_id, finding.qualified) == (names[-1], qualified)


def test_a_vote_on_two_calls_weighs_less_where_fewer_than_six_live() -> None:
    names = [f"b{place}" for place in range(6)]
    (finding,) = vote(brief(*names), [many_split(1, 6), many_split(2, 6)], [Ground("m.f", inside=20, support=2)], {})
    row = {name: "shown" if name == "b5" else "not-shown" for name in names}
    assert str(finding.root).startswith(ROOT_OF_MANY)
    assert recount([finding], {finding.id: row}, set(names), {}) == (finding,)
    (left,) = recount([finding], {finding.id: row}, {*names} - {"b0"}, {})
    assert (left.severity, left.discounted, left.qualified) == ("medium", False, False)
    (gone,) = recount([finding], {finding.id: row}, {"b0", "b5"}, {})
    assert (gone.severity, gone.discounted) == ("low", True)


def test_a_single_input_accuses_nobody() -> None:
    assert accused(split(1)) == []


def test_three_branches_are_too_few_for_a_vote() -> None:
    assert accused(split(1), split(2), names=NAMES[1:]) == []


def test_copies_of_one_branch_are_no_majority() -> None:
    assert accused(split(1), split(2), clones={"b1": "b0", "b2": "b0"}) == []


def test_a_crash_is_told_from_an_exception_that_the_branch_raised_on_purpose() -> None:
    assert accused(split(1, own=False), split(2, own=False)) == [("b3", "crash")]
    assert accused(split(1, own=True), split(2, own=True)) == []


def test_a_vote_that_rests_on_the_dead_is_discounted_and_one_of_the_living_stands() -> None:
    (finding,) = vote(brief(*NAMES), [split(1), split(2)], [GROUND], {})
    matrix = {finding.id: {"b0": "not-shown", "b1": "not-shown", "b2": "not-shown", "b3": "shown"}}
    assert recount([finding], matrix, set(NAMES), {}) == (finding,)
    (left,) = recount([finding], matrix, {"b0", "b3"}, {})
    assert (left.severity, left.discounted, left.discount_reason) == ("low", True, VOTES[ROOT][1])
