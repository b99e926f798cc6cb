"""Uncompared: what gave nothing to compare is told of the branch, and an odd case alone is not."""

from __future__ import annotations

from pqa.core.finding import Note
from pqa.instruments.observation import Observed
from pqa.instruments.uncompared import uncompared

GAVE = Observed(({"value": 1},))
SKIPPED = Observed(({"skipped": "an argument cannot be made so"},))
LATE = Observed(trouble="too many calls ran out of time")
STOPPED = Observed(({"raises": "ValueError"},), trouble="its set-up did not succeed")


def told(**seen: list[Observed]) -> list[Note]:
    return list(uncompared("m.f", seen, "inputs"))


def note(count: int, total: int, why: str, name: str = "b1") -> Note:
    return Note("could-not-check", f"'m.f': {count} of {total} inputs gave nothing to compare: {why}", name)


def test_branch_of_which_a_tenth_gave_nothing_while_another_gave_something_is_named_with_the_commonest_reason() -> None:
    mine = [SKIPPED, LATE, LATE, *[GAVE] * 27]
    assert told(b0=[GAVE] * 30, b1=mine) == [note(3, 30, "too many calls ran out of time")]
    assert told(b0=[GAVE] * 30, b1=[*mine[1:], GAVE]) == []


def test_what_no_branch_gave_is_told_of_none_as_long_as_each_gave_something() -> None:
    mine = [SKIPPED, SKIPPED, GAVE]
    assert told(b0=mine, b1=mine) == []


def test_branch_of_which_nothing_came_back_is_named_whatever_the_others_did() -> None:
    assert told(b0=[LATE], b1=[STOPPED]) == [
        note(1, 1, "too many calls ran out of time", "b0"),
        note(1, 1, "its set-up did not succeed"),
    ]
    assert told(b0=[], b1=[]) == []


def test_refusal_of_a_constructor_is_an_answer_where_other_cases_gave_something() -> None:
    assert told(b0=[GAVE, GAVE], b1=[STOPPED, GAVE]) == []
