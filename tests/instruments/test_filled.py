"""Filled: every combination of what a method's arguments take, once each, and never too many."""

from __future__ import annotations

import random

from pqa.core.recording import Call, Trace
from pqa.core.surface import Class, Function, Parameter
from pqa.instruments.filled import combinations_of
from pqa.instruments.methods import Method, Source, usage_of

NAME = "table.Table"


def method(*calls: tuple[object, ...]) -> Method:
    parameters = tuple(Parameter(f"p{place}", "POSITIONAL_OR_KEYWORD") for place in range(len(calls[0])))
    made = tuple(Call("sit", args, {}, {"value": None}) for args in calls)
    shape = Class(NAME, (), (Function("sit", parameters),))
    usage = usage_of([shape, shape], (Trace(NAME, (), {}, made),), (), Source((), "", 20), random.Random(0))
    (found,) = usage.methods
    return found


def drawn(*calls: tuple[object, ...]) -> list[tuple[object, ...]]:
    return [one.args for one in combinations_of(method(*calls), random.Random(0))]


def test_small_whole_numbers_are_filled_up_from_zero_and_combined_with_all_others() -> None:
    found = drawn((2, "a"), (0, "b"))
    assert sorted(found) == [(0, "a"), (0, "b"), (1, "a"), (1, "b"), (2, "a"), (2, "b")]


def test_at_most_a_dozen_are_made_and_each_once() -> None:
    found = drawn((3, 3), (0, 1))
    assert len(found) == len(set(found)) == 12
    assert set(found) <= {(left, right) for left in range(4) for right in range(4)}


def test_two_combinations_fill_nothing() -> None:
    assert drawn(("a",), ("b",)) == []


def test_many_arguments_cost_no_more_than_few() -> None:
    found = drawn(*(tuple(100 * place + step * step for place in range(1, 13)) for step in range(6)))
    assert len(found) == len(set(found)) == 12
    assert all(args[place - 1] // 100 == place for args in found for place in range(1, 13))
