"""Answering: what trusted implementations say together, and when a question is already answered."""

from __future__ import annotations

from typing import Any

import pytest

from pqa.core.contract import Agreed, Answer
from pqa.core.finding import Question
from pqa.instruments.answering import agreed, check_of, claim, rights_of, settled, strangers
from pqa.instruments.observation import Observed

ANY = {"$any": True}


def seen(*outcomes: Any) -> Observed:
    return Observed(tuple(outcomes))


def value(number: Any) -> dict[str, Any]:
    return {"value": number}


RAISES = {"raises": "KeyError", "own": True}
LATE = {"timeout": 2.0}


@pytest.mark.parametrize(
    ("trusted", "answer"),
    [
        ([seen(value(4)), seen(value(4))], ("value", (4,))),
        ([seen(value([1, 2])), seen(value({"$type": "tuple", "value": [1, 2]}))], ("value", ([1, 2],))),
        ([seen(value(0.3)), seen(value(0.30000000000000004))], ("value", (0.3,))),
        ([seen(value(4)), seen(value(5))], ("either", ())),
        ([seen(value([1, 2])), seen(value([2, 1]))], ("either", ())),
        ([seen(RAISES), seen(RAISES)], ("cannot-happen", ())),
        ([seen(value(4)), seen(RAISES)], ("either", ())),
        ([seen(LATE)], ("either", ())),
        ([Observed(trouble="it could not be imported")], ("either", ())),
        ([], ("either", ())),
    ],
)
def test_trusted_implementations_agree_on_a_value_on_a_refusal_or_on_nothing(trusted: Any, answer: Any) -> None:
    assert agreed(trusted, {"b0": [value(4)], "b1": [value(3)]}) == answer


def test_call_on_which_they_differ_is_left_open_while_another_one_still_tells_a_branch_wrong() -> None:
    trusted = [seen(value(1), value(9)), seen(value(2), value(9))]
    assert agreed(trusted, {"b0": [value(1), value(9)], "b1": [value(1), value(8)]}) == ("value", (ANY, 9))
    assert agreed(trusted, {"b0": [value(1), value(9)], "b1": [value(3), value(9)]}) == ("either", ())


def test_strangers_do_what_no_trusted_implementation_does() -> None:
    branches = {"b0": [value(4)], "b1": [value(5)], "b2": [value(6)], "b3": [RAISES]}
    assert strangers([seen(value(4)), seen(value(5))], branches) == ["b2", "b3"]
    assert strangers([Observed(trouble="lost")], branches) == []


def test_what_a_branch_does_becomes_what_is_right_if_there_is_anything_to_hold_others_to() -> None:
    assert rights_of([value(4), RAISES, {"value": {"$type": "other", "class": "Money"}}], 3) == (
        4,
        {"$raises": "KeyError"},
        ANY,
    )
    with pytest.raises(ValueError, match="it does not return there"):
        rights_of([LATE], 1)
    with pytest.raises(ValueError, match="no plain form"):
        rights_of([{"value": {"$type": "other", "class": "Money"}}], 1)


CASE = {"setup": [], "calls": [{"on": None, "call": "shop.total", "args": [[1]], "kwargs": {}}]}


def test_question_with_the_same_witness_is_answered_already_and_another_one_is_not() -> None:
    question = Question("q2", "value", "?", CASE, {}, ())
    answer = Answer("q1", "value", (1,), "person", "shop.total", witness=CASE)
    assert settled(question, Agreed(answers=(answer,))).answer == {"kind": "value", "value": 1}
    other = Answer("q1", "value", (1,), "person", "shop.total", witness={"setup": [], "calls": []})
    assert settled(question, Agreed(answers=(other,))) == question


def test_answer_as_a_check_holds_any_code_to_all_its_calls() -> None:
    check = check_of(Answer("q1", "value", (1,), "reference", "shop.total", witness=CASE))
    assert (check.id, check.title) == ("answer_q1", "total([1]) is 1")
    assert check.trigger is not None
    assert check.trigger.expect == {"values": [1]}


@pytest.mark.parametrize(("source", "severity"), [("person", "critical"), ("reference", "medium")])
def test_other_use_of_a_callable_kills_by_the_word_of_a_person_and_not_of_an_implementation(
    source: str, severity: str
) -> None:
    get_page = {"name": "get_page", "value": {"$type": "callable", "value": {"name": "get_page"}}}
    call = {"on": None, "call": "pages.fetch_all", "args": [{"$name": "get_page"}], "kwargs": {}}
    witness = {"setup": [get_page], "calls": [call, {"on": "get_page", "get": "calls"}]}
    answer = Answer("q1", "value", ([1, 2], [[0]]), source, "pages.fetch_all", None, "T0", witness)
    used = claim(answer, "b0", [value([1, 2]), value([[0], [2]])])
    assert used is not None
    assert (used.severity, "more than one right way" in used.detail) == (severity, severity == "medium")
    gave = claim(answer, "b0", [value([1]), value([[0], [2]])])
    assert gave is not None
    assert gave.severity == "critical"
