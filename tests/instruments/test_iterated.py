"""Iterated: where any iterable is promised, an iterator is passed too; where a list is meant, never."""

from __future__ import annotations

import pytest

from pqa.core.recording import Call
from pqa.core.surface import Function, Parameter
from pqa.instruments.contract import learn
from pqa.instruments.inputs import Input
from pqa.instruments.iterated import iterated


def passed(annotation: str, prose: str = "") -> list[tuple[object, ...]]:
    function = Function("m.store", (Parameter("rows", "POSITIONAL_OR_KEYWORD", annotation=annotation),))
    contract = learn([function], [Call("m.store", ([1, 2],), {}, {"value": 2})], function="m.store")
    inputs = [Input(([1, 2],), ("rows",)), Input(([],), ("rows",), "T1", ("nonempty(rows)",))]
    return [(one.tier, one.origin, one.args) for one in iterated(contract, [function], prose, inputs)]


ONCE = [("T0", "iterated", ({"$type": "once", "value": [1, 2]},))]


@pytest.mark.parametrize("annotation", ["Iterable[int]", "collections.abc.Iterator[int]"])
def test_a_signature_that_takes_any_iterable_is_given_an_iterator(annotation: str) -> None:
    assert passed(annotation) == ONCE


def test_a_task_that_promises_any_iterable_is_taken_at_its_word() -> None:
    assert passed("", "- `rows` is any iterable of dicts.") == ONCE


@pytest.mark.parametrize("prose", ["", "- `rows` is a list.", "- `rows` is a list. The result is any iterable."])
def test_a_list_stays_a_list(prose: str) -> None:
    assert passed("list[int]", prose) == []
