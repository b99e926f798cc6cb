"""Shrink: small and plain inputs that still differ, in few batches, inside the tier."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqa.core.recording import Call
from pqa.core.surface import Function, Parameter
from pqa.core.values import decode, encode
from pqa.instruments.contract import Contract, learn
from pqa.instruments.generate import generate
from pqa.instruments.inputs import Input
from pqa.instruments.shrink import BATCH, ROUNDS, Shrinker, shrink


def contract_of(names: str, *calls: tuple[object, ...]) -> Contract:
    parameters = tuple(Parameter(name, "POSITIONAL_OR_KEYWORD") for name in names.split())
    return learn([Function("m.f", parameters)], [Call("m.f", tuple(map(encode, args)), {}, {}) for args in calls])


def given_input(contract: Contract, *args: object) -> Input:
    encoded = tuple(map(encode, args))
    return Input(encoded, contract.names, *contract.tier(encoded))


def shrunk(contract: Contract, differs: Callable[..., bool], *args: object) -> Input:
    return shrink(given_input(contract, *args), lambda one: differs(*map(decode, one.args)), contract)


TOP = contract_of("seq k", ([9, 9, 4, 7, 3], 4), ([2, 8, 5, 1, 6], 2), ([6, 6], 1))
TEXT = contract_of("text", ("hello there",), ("Some Words, here",))


def test_a_list_and_its_count_shrink_together() -> None:
    found = shrunk(TOP, lambda seq, k: len(set(seq)) < len(seq) >= k > 1, [9, 3, 9, 12, 7, 9, 4], 6)
    assert (found.args, found.tier) == (([6, 6], 2), "T0")


def test_a_text_shrinks_to_what_matters() -> None:
    found = shrunk(TEXT, lambda text: "  " in text, "Hello,  wide World")
    assert found.args == ("a  a",)  # no recorded text begins or ends with a space


def test_equal_numbers_shrink_together() -> None:
    contract = contract_of("a b", (40, 1), (3, 17))
    assert shrunk(contract, lambda a, b: a == b, 37, 37).args == (1, 1)


def test_a_number_stops_at_the_boundary_that_matters() -> None:
    assert shrunk(contract_of("n", (4,), (3,)), lambda n: n > 17, 1000).args == (18,)


def test_a_recorded_value_is_plain_enough() -> None:
    assert shrunk(contract_of("n", (40,), (3,)), lambda n: n > 17, 1000).args == (40,)


def test_an_input_inside_the_contract_stays_inside() -> None:
    contract = contract_of("seq", ([1, 2, 3],), ([4, 9],))
    found = shrunk(contract, lambda seq: len(seq) > 2, [4, 5, 7, 9, 10])
    assert (found.tier, len(found.args[0])) == ("T0", 3)


def test_an_input_outside_breaks_the_same_relation_and_no_other() -> None:
    contract = contract_of("seq", ([1, 2, 3],), ([4, 9],))
    found = shrunk(contract, lambda seq: seq != sorted(seq), [9, 5, 7, 4, 10])
    assert (found.args, found.broken) == (([9, 4],), ("sorted(seq)",))


def test_an_input_that_cannot_be_simplified_is_returned_as_it_is() -> None:
    found = given_input(TOP, [9, 3, 9], 2)
    assert shrink(found, lambda _: False, TOP) is found


def test_batches_and_rounds_are_bounded() -> None:
    shrinker, rounds = Shrinker(given_input(TEXT, "x y z " * 20), TEXT), 0
    while batch := shrinker.batch():
        assert len(batch) <= BATCH
        rounds += 1
        shrinker.report([True] * len(batch))
    assert rounds <= ROUNDS


def test_no_input_is_tried_twice() -> None:
    shrinker, seen = Shrinker(given_input(TOP, [9, 3, 9, 12, 7, 9, 4], 6), TOP), []
    while batch := shrinker.batch():
        seen += [one.key for one in batch]
        shrinker.report(["3" in one.key for one in batch])
    assert len(seen) == len(set(seen))


def test_the_answer_must_match_the_batch() -> None:
    shrinker = Shrinker(given_input(TOP, [9, 3, 9], 2), TOP)
    shrinker.batch()
    with pytest.raises(ValueError, match="argument"):
        shrinker.report([])


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 30), st.integers(2, 5), st.integers(0, 3))
def test_a_shrunk_input_still_differs_and_keeps_its_tier(seed: int, modulus: int, rest: int) -> None:
    def differs(one: Input) -> bool:
        return len(one.key) % modulus == rest % modulus

    for one in generate(TOP, trials=12, random=random.Random(seed)):
        if differs(one):
            found = shrink(one, differs, TOP, rounds=4)
            assert differs(found)
            assert (found.tier, set(found.broken) <= set(one.broken)) == (one.tier, True)
