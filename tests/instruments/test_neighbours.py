"""Neighbours: cases one step away from a given one, which never change what is no argument."""

from __future__ import annotations

from pqa.core.values import canonical
from pqa.instruments.literals import leaves
from pqa.instruments.neighbours import neighbours

FORM = {"name": "value", "id": 0, "answers": [[["value"], {}, {"value": 3}]], "otherwise": None}
STAND_IN = {"$type": "callable", "value": FORM}


def test_what_a_callable_answers_stays_as_it_is() -> None:
    call = {"on": None, "call": "m.f", "args": [STAND_IN, "value", 3], "kwargs": {}}
    found = list(neighbours({"setup": [], "calls": [call]}))
    assert {canonical(one["calls"][0]["args"][0]) for one in found} == {canonical(STAND_IN)}
    assert {canonical(one["calls"][0]["args"][1:]) for one in found} >= {canonical(["bea", 3]), canonical(["value", 4])}


def test_a_callable_holds_no_literals_of_a_call() -> None:
    assert list(leaves([STAND_IN, {"$type": "public", "value": "m.f"}, 7])) == [7]
