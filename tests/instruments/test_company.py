"""Company: sequences beyond one object, and when what they show counts."""

from __future__ import annotations

import random

from pqa.core.recording import Call, Trace
from pqa.core.surface import Class, Function, Parameter
from pqa.instruments.company import company, stands_alone
from pqa.instruments.divergence import Split
from pqa.instruments.methods import Source, usage_of
from pqa.instruments.observation import Observed, observe
from pqa.instruments.sequences import habits_of

NAME = "shelf.Shelf"
SHELF = Class(NAME, (), (Function("put", (Parameter("names", "POSITIONAL_OR_KEYWORD"),)), Function("all")))
PUT = Call("put", (["pen"],), {}, {"value": None})
ALL = Call("all", (), {}, {"value": ["pen"]})
TRACE = Trace(NAME, (), {}, (PUT, ALL))


def made(*traces: Trace) -> list[dict]:
    usage = usage_of([SHELF, SHELF], traces, (), Source((), "", 20), random.Random(0))
    habits = habits_of(NAME, traces)
    assert habits is not None
    walks = company(usage, habits, random.Random(0))
    assert {(walk.tier, walk.company) for walk in walks} <= {("T1", True)}
    return [dict(walk.case) for walk in walks]


def call(name: str, *args: object, on: str = "subject", **more: object) -> dict:
    return {"on": on, "call": name, "args": list(args), "kwargs": {}, **more}


SUBJECT = {"name": "subject", "new": NAME, "args": [], "kwargs": {}}
OTHER = {**SUBJECT, "name": "other"}


def test_two_instances_take_turns_and_both_are_looked_at() -> None:
    turns = [call("put", ["pen"]), call("put", ["pen"], on="other"), call("all"), call("all", on="other")]
    assert made(TRACE)[0] == {"setup": [SUBJECT, OTHER], "calls": [*turns, call("all"), call("all", on="other")]}


def test_what_a_look_gave_is_emptied_before_the_next_look() -> None:
    emptied = [call("all", **{"as": "kept"}), call("clear", on="kept")]
    assert {"setup": [SUBJECT], "calls": [call("put", ["pen"]), call("all"), *emptied, call("all")]} in made(TRACE)


def test_what_was_passed_in_is_emptied_before_the_next_look() -> None:
    given = {"name": "given", "value": ["pen"]}
    passed = [call("put", {"$name": "given"}), call("clear", on="given"), call("all"), call("all")]
    assert {"setup": [SUBJECT, given], "calls": passed} in made(TRACE)


def test_two_lives_with_a_clock_are_not_mixed() -> None:
    clocked = Trace(NAME, ({"$name": "clock"},), {}, (PUT, ALL), clocked=True)
    assert made(clocked) == []


def split(*groups: tuple[str, ...], outcomes: dict[str, list[dict]]) -> Split:
    seen = {name: Observed(tuple(outcomes[group[0]])) for group in groups for name in group}
    return Split(NAME, {"setup": [], "calls": []}, groups, seen)


def test_one_against_all_others_counts_and_so_do_its_copies() -> None:
    outcomes = {"b0": [{"value": 1}], "b1": [{"value": 2}], "b2": [{"value": 3}]}
    assert stands_alone(split(("b0", "b3"), ("b1",), outcomes=outcomes), {}) is True
    assert stands_alone(split(("b0", "b3"), ("b1", "b4"), outcomes=outcomes), {}) is False
    assert stands_alone(split(("b0", "b3", "b5"), ("b1", "b4"), outcomes=outcomes), {"b4": "b1"}) is True
    assert stands_alone(split(("b0",), ("b1",), ("b2",), outcomes=outcomes), {}) is False


def test_a_call_that_only_one_of_them_refuses_does_not_count() -> None:
    outcomes = {"b0": [{"value": 1}, {"value": 1}], "b1": [{"raises": "E"}, {"value": 2}]}
    assert stands_alone(split(("b0", "b2"), ("b1",), outcomes=outcomes), {}) is False


def test_a_result_keeps_its_name_and_is_still_compared_by_value(plant) -> None:
    code = "class Shelf:\n    def __init__(self):\n        self.names = [1]\n    def all(self):\n        return self.names\n"
    _, zygote = plant({"shelf.py": code})
    kept = [call("all", **{"as": "kept"}), call("append", 2, on="kept"), call("all"), call("clear", on="nobody")]
    (seen,) = observe(zygote, [{"setup": [SUBJECT], "calls": kept}])
    assert [one.get("value") for one in seen.outcomes] == [[1], None, [1, 2], None]
    assert seen.outcomes[-1] == {"skipped": "nothing has this name"}
