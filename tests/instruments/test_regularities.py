"""Regularities: learned from what all branches answer alike, told only where one branch breaks and another keeps them."""

from __future__ import annotations

import pytest

from pqa.core.recording import Call
from pqa.core.surface import Function, Parameter
from pqa.core.values import encode
from pqa.instruments.contract import Contract, learn
from pqa.instruments.divergence import Split
from pqa.instruments.inputs import Input
from pqa.instruments.observation import Observed
from pqa.instruments.regularities import FEWEST, Example, breaking, example_of, regularities

RISING = [[*range(start, start + 2 + start % 3)] for start in range(FEWEST)]


def contract() -> Contract:
    function = Function("m.f", parameters=(Parameter("items", "POSITIONAL_OR_KEYWORD"),))
    return learn([function], [Call("m.f", (encode(items),), {}, {"value": None}) for items in RISING], function="m.f")


def seen(**answers: object) -> dict[str, Observed]:
    return {name: Observed(({"value": encode(answer)},)) for name, answer in answers.items()}


def texts(examples: list[Example]) -> list[str]:
    return [one.text for one in regularities(contract(), examples)]


def split(items: list[int], **answers: object) -> Split:
    observed = seen(**answers)
    return Split(
        "m.f", {}, tuple((name,) for name in answers), observed, "T1", source=Input((encode(items),), ("items",))
    )


def test_what_every_answer_keeps_to_its_argument_is_learned() -> None:
    assert texts([(items, items[::-1]) for items in RISING]) == [
        "len(items) <= len(answer)",
        "len(items) == len(answer)",
        "set(items) <= set(answer)",
        "set(items) == set(answer)",
        "sorted(items) == sorted(answer)",
        "len(answer) <= len(items)",
        "set(answer) <= set(items)",
    ]


def test_an_argument_that_is_called_answer_is_told_apart_from_the_answer() -> None:
    function = Function("m.f", parameters=(Parameter("answer", "POSITIONAL_OR_KEYWORD"),))
    named = learn([function], [Call("m.f", (encode(items),), {}, {"value": None}) for items in RISING], function="m.f")
    known = regularities(named, [(items, [*items, 0]) for items in RISING])
    assert [one.text for one in known] == [
        "len(answer) <= len(its answer)",
        "set(answer) <= set(its answer)",
    ]


def test_one_answer_that_breaks_a_relation_ends_it() -> None:
    assert texts([*((items, items[::-1]) for items in RISING), ([1, 2], [3, 4])]) == [
        "len(items) <= len(answer)",
        "len(items) == len(answer)",
        "len(answer) <= len(items)",
    ]


def test_too_few_examples_teach_nothing() -> None:
    assert texts([(items, items[::-1]) for items in RISING[1:]]) == []


def test_what_the_answer_is_like_by_itself_is_no_regularity() -> None:
    assert texts([(items, "lower") for items in RISING]) == []


@pytest.mark.parametrize(
    ("observed", "example"),
    [
        (seen(b0=[1], b1=[1]), ([2], [1])),
        ({**seen(b0=[1]), "b1": Observed(trouble="it ended")}, None),
        ({"b0": Observed(({"raises": "ValueError"},))}, None),
        ({"b0": Observed(({"value": {"$type": "other", "value": "x"}},))}, None),
        ({"b0": Observed(({"value": {"$type": "decimal", "value": "forged"}},))}, None),
        (seen(b0=[*range(1000)], b1=[*range(1000)]), None),
        ({}, None),
    ],
)
def test_only_one_plain_answer_of_all_branches_is_an_example(
    observed: dict[str, Observed], example: Example | None
) -> None:
    assert example_of(contract(), Input((encode([2]),), ("items",)), observed) == example


def test_the_branch_that_breaks_what_another_keeps_is_told_with_what_it_breaks() -> None:
    known = regularities(contract(), [(items, items[::-1]) for items in RISING])
    assert breaking(contract(), known, split([1, 1], b0=[1, 1], b1=[1])) == {
        "b1": ("len(items) <= len(answer)", "len(items) == len(answer)", "sorted(items) == sorted(answer)"),
    }


def test_what_no_branch_keeps_is_held_against_none() -> None:
    known = regularities(contract(), [(items, items[::-1]) for items in RISING])
    assert breaking(contract(), known, split([1, 2], b0=[5], b1=[6])) == {}
    assert breaking(contract(), known, split([1, 2], b0=[2, 1], b1=[1, 2])) == {}


def test_an_answer_that_is_no_plain_value_breaks_nothing() -> None:
    known = regularities(contract(), [(items, items[::-1]) for items in RISING])
    raised = {
        **seen(b0=[2, 1]),
        "b1": Observed(({"raises": "ValueError"},)),
        "b2": Observed(({"value": {"$type": "?"}},)),
    }
    parted = Split("m.f", {}, (("b0",), ("b1",), ("b2",)), raised, source=Input((encode([1, 2]),), ("items",)))
    assert breaking(contract(), known, parted) == {}
