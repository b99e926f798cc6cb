"""Variants: near relatives of a trigger, distinct, in a fixed order, and judged by the oracle that fits."""

from __future__ import annotations

from pqa.core.trigger import Trigger
from pqa.core.values import canonical
from pqa.instruments.literals import literals_of
from pqa.instruments.observation import case_of
from pqa.instruments.sequences import exact
from pqa.instruments.variants import renamings_of, variants_of

CLOCKED = Trigger(
    "observation",
    "no answer depends on where the clock starts",
    (
        {"name": "clock", "clock": 59.5},
        {"name": "subject", "new": "limiter.RateLimiter", "args": [2, 60.0, {"$name": "clock"}], "kwargs": {}},
    ),
    tuple({"on": "subject", "call": "allow", "args": ["ada"], "kwargs": {}, "at": at} for at in (59.5, 60.0)),
    {"relation": "time-shift", "shift": 1.0},
)
PLAIN = Trigger(
    "observation",
    "the right count",
    (),
    ({"on": None, "call": "names.count", "args": [["ada", "bob"], "ada"], "kwargs": {"limit": 30}},),
    {"values": [{"ada": 1}]},
)


def shown(trigger: Trigger) -> str:
    return canonical([list(trigger.setup), list(trigger.calls), trigger.expect])


def test_a_time_shift_has_other_shifts_origins_spans_bursts_and_keys() -> None:
    found = variants_of(CLOCKED)

    shifts = {one.expect["shift"] for one in found if one.expect}
    clocks = {one.setup[0]["clock"] for one in found}
    spans = {one.setup[1]["args"][1] for one in found}
    limits = {one.setup[1]["args"][0] for one in found}
    keys = {one.calls[0]["args"][0] for one in found}
    assert {0.5, 2.0, 3.0, 15.0, 30.0} <= shifts
    assert {59.5, 119.5, 89.5, 29.75} <= clocks
    assert spans == {15.0 * 2, 60.0, 120.0, 240.0}
    assert limits == {2, 3, 4, 5}
    assert keys == {"ada", "bea", "quux", "Zed7"}
    assert all(exact(case_of(one)) for one in found)


def test_they_are_distinct_and_the_same_each_time() -> None:
    for trigger in (CLOCKED, PLAIN):
        found = [shown(one) for one in variants_of(trigger)]
        assert len(found) >= 8
        assert len(set(found)) == len(found)
        assert shown(trigger) not in found
        assert found == [shown(one) for one in variants_of(trigger)]


def test_right_values_are_left_to_another_implementation_except_for_new_names() -> None:
    assert {one.expect for one in variants_of(PLAIN)} == {None}
    renamed = [one for one in renamings_of(PLAIN) if one.calls[0]["args"][1] == "bea"]
    assert [(one.calls[0]["args"], one.expect) for one in renamed] == [
        ([["bea", "bob"], "bea"], {"values": [{"bea": 1}]})
    ]


def test_draws_of_a_property_are_moved_and_dropped() -> None:
    trigger = Trigger("observation", "it holds", (), (), {"property": "property_it_holds", "draws": [3, 0]})

    assert [one.expect["draws"] for one in variants_of(trigger) if one.expect] == [
        [4, 0], [3, 1], [2, 0], [5, 0], [3, 2], [8, 0], [3, 5], [0], [3],
    ]  # fmt: skip


def test_what_is_no_observation_has_none() -> None:
    assert variants_of(Trigger("program", "it fails", source="raise SystemExit(10)")) == []
    assert renamings_of(Trigger("suite", "a test fails", source="test_it.py::test_it")) == []


def test_literals_are_those_by_which_a_special_case_would_know_the_trigger() -> None:
    assert literals_of(CLOCKED) == {'"ada"', "59.5", "60", "60.0", "60.5", "61", "61.0"}
    assert literals_of(PLAIN) == {'"ada"', '"bob"', "30", "30.0"}
