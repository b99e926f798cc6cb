"""Outcomes: classes of difference between what two branches did."""

from __future__ import annotations

import pytest

from pqa.instruments.outcomes import Difference, describe, describe_vector, difference, loose, vector_difference


def value(found: object) -> dict[str, object]:
    return {"value": found}


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        (value(3), value(3), Difference.NONE),
        (value(3), value(4), Difference.VALUE),
        (value(1), value(True), Difference.TYPE_ONLY),
        (value(1), value(1.0), Difference.TYPE_ONLY),
        (value([1, 2]), value({"$type": "tuple", "value": [1, 2]}), Difference.TYPE_ONLY),
        (value([1, 2]), value({"$type": "iterator", "value": [1, 2]}), Difference.TYPE_ONLY),
        (value([1, 2]), value([2, 1]), Difference.ORDER_ONLY),
        (value(0.1), value(0.1 + 1e-12), Difference.FLOAT_CLOSE),
        (value(0.1), value(0.2), Difference.VALUE),
        (value(10**12), value(10**12 + 1), Difference.VALUE),
        (value("a"), value("b"), Difference.VALUE),
        (value(None), value(0), Difference.VALUE),
        (value(3), {"raises": "ValueError"}, Difference.RAISES),
        (value(3), {"timeout": True}, Difference.RAISES),
        ({"raises": "ValueError"}, {"raises": "ValueError"}, Difference.NONE),
        ({"raises": "ValueError"}, {"raises": "TypeError"}, Difference.EXCEPTION_TYPE),
        ({"timeout": True}, {"timeout": True}, Difference.NONE),
        (value({"$type": "other", "value": "Spy"}), value(3), Difference.UNKNOWN),
        ({"too_large": True}, value(3), Difference.UNKNOWN),
    ],
)
def test_two_outcomes_of_one_call_differ_in_the_coarsest_class_that_explains_it(
    left: dict[str, object], right: dict[str, object], expected: Difference
) -> None:
    assert difference(left, right) is expected
    assert difference(right, left) is expected


def test_a_changed_argument_is_a_class_of_its_own_and_no_value_difference() -> None:
    kept, emptied = {"value": 3, "mutated": [[1, 2]]}, {"value": 3, "mutated": [[]]}
    assert difference(kept, emptied) is Difference.MUTATION


def test_a_dict_with_the_same_pairs_in_another_order_is_the_same_value() -> None:
    left = {"$type": "dict", "value": [[1, "a"], [2, "b"]]}
    right = {"$type": "dict", "value": [[2, "b"], [1, "a"]]}
    assert difference(value(left), value(right)) is Difference.TYPE_ONLY


def test_a_sequence_of_calls_differs_as_its_first_separating_call_does() -> None:
    left = [value(1), value(2), value(3)]
    right = [value(1.0), value(9), {"raises": "KeyError"}]
    assert vector_difference(left, right) is Difference.VALUE


def test_a_call_that_cannot_be_compared_before_any_difference_makes_the_sequence_unknown() -> None:
    left = [value({"$type": "other", "value": "Spy"}), value(1)]
    assert vector_difference(left, [value(1), value(2)]) is Difference.UNKNOWN


def test_a_call_that_gives_both_an_opaque_object_of_one_class_says_nothing_and_the_others_count() -> None:
    spy = value({"$type": "other", "value": "Spy"})
    assert vector_difference([spy, value(1)], [spy, value(2)]) is Difference.VALUE
    assert vector_difference([spy, value(1)], [spy, value(1)]) is Difference.NONE
    assert vector_difference([spy], [spy]) is Difference.UNKNOWN
    assert vector_difference([{"too_large": True}, value(1)], [{"too_large": True}, value(1)]) is Difference.NONE


def test_outcomes_are_told_in_words_that_a_person_reads() -> None:
    assert describe(value({"$type": "tuple", "value": [1, "a"]})) == "(1, 'a')"
    assert describe({"raises": "KeyError", "message": "'x'"}) == "raises KeyError"
    assert describe({"timeout": True}) == "does not return"
    assert describe_vector([value(True), value(False)]) == "[True, False]"


def test_loose_forgets_what_equality_forgets_and_nothing_else() -> None:
    nested = {"key": [True, 2.0, {"$type": "frozenset", "value": [1]}, "1"]}
    assert loose(nested) == {"key": [1, 2, {"$type": "set", "value": [1]}, "1"]}
