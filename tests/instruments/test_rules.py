"""Rules between the answers of one run: what breaks them, what does not, and what cannot be told."""

from __future__ import annotations

import pytest

from pqa.instruments.rules import renamed, rule_breaks

YES, NO, RAISES = {"value": True}, {"value": False}, {"raises": "TypeError", "own": False}
OPAQUE, LATE = {"value": {"$type": "other", "value": "object"}}, {"timeout": True}
IMPLIED = {"when": [[0, True]], "then": [[1, True]]}


@pytest.mark.parametrize(
    ("outcomes", "broken"),
    [
        ([YES, YES], False),
        ([YES, NO], True),
        ([NO, NO], False),
        ([YES, RAISES], False),
        ([YES, OPAQUE], None),
        ([YES, LATE], None),
        ([YES], None),
        ([{"value": 1}, {"value": 1}], False),
    ],
)
def test_an_implication_compares_values_and_nothing_else(outcomes, broken) -> None:
    assert rule_breaks(IMPLIED, outcomes) is broken


def test_same_answers_may_differ_in_type_and_not_in_value() -> None:
    rule = {"same": [[0, 1]]}
    assert rule_breaks(rule, [{"value": 1}, {"value": 1.0}]) is False
    assert rule_breaks(rule, [{"value": 1}, {"value": 2}]) is True


def test_a_least_number_is_kept_by_what_is_no_number() -> None:
    rule = {"least": [[0, 0]]}
    assert [rule_breaks(rule, [{"value": value}]) for value in (0, -1, "x")] == [False, True, False]


def test_same_answers_are_compared_after_renaming() -> None:
    rule = {"same": [[0, 1]], "renamed": {"ada": "bea"}}
    assert rule_breaks(rule, [{"value": {"ada": ["ada", 1]}}, {"value": {"bea": ["bea", 1]}}]) is False
    assert rule_breaks(rule, [{"value": {"ada": 1}}, {"value": {"ada": 1}}]) is True


def test_a_pair_in_which_one_raises_says_nothing_and_the_others_count() -> None:
    rule = {"same": [[0, 1], [2, 3]]}
    assert rule_breaks(rule, [YES, RAISES, YES, YES]) is False
    assert rule_breaks(rule, [YES, RAISES, YES, NO]) is True


def test_renaming_changes_whole_words_and_keys_and_leaves_types_and_names() -> None:
    value = {"$type": "tuple", "value": ["ada", "adam", "no ada, here", {"$name": "ada"}, {"ada": 1}]}
    assert renamed(value, {"ada": "bea", "tuple": "x"}) == {
        "$type": "tuple",
        "value": ["bea", "adam", "no bea, here", {"$name": "ada"}, {"bea": 1}],
    }
