"""Burst: how many calls come through within one span, against what the constructor was given."""

from __future__ import annotations

from pqa.core.surface import Parameter
from pqa.instruments.burst import Burst, admitted_at_once, argument_names, measure

PARAMETERS = [Parameter(name, "POSITIONAL_OR_KEYWORD") for name in ("limit", "window", "clock")]


def case(times: list[float], key: str = "k") -> dict[str, object]:
    calls = [{"on": "subject", "call": "allow", "args": [key], "kwargs": {}, "at": time} for time in times]
    return {"setup": [], "calls": calls}


def answers(*values: object) -> list[dict[str, object]]:
    return [{"value": one} for one in values]


def test_a_burst_over_an_edge_is_counted_within_one_half_open_span() -> None:
    arguments = argument_names(PARAMETERS, [2, 10.0, {"$name": "clock"}], {})
    found = measure(case([9.5, 9.5, 10.0, 10.0]), answers(True, True, True, True), arguments, 2)
    assert found == Burst("allow", 4, 10.0, "window", 2, "limit")
    assert found.over
    assert found.times == "twice the limit"


def test_calls_a_whole_span_apart_are_not_one_burst() -> None:
    arguments = argument_names(PARAMETERS, [2, 10.0, {"$name": "clock"}], {})
    found = measure(case([0.0, 0.0, 10.0, 10.0]), answers(True, True, True, True), arguments, 2)
    assert found is not None
    assert (found.count, found.over) == (2, False)


def test_a_refused_call_is_not_counted() -> None:
    arguments = argument_names(PARAMETERS, [2, 10.0, {"$name": "clock"}], {})
    found = measure(case([0.0, 0.0, 1.0]), answers(True, True, False), arguments, 2)
    assert found is not None
    assert found.count == 2


def test_nothing_is_said_where_two_arguments_could_be_the_limit() -> None:
    assert measure(case([0.0]), answers(True), {"limit": 2, "burst": 2, "window": 10.0}, 2) is None


def test_nothing_is_said_where_two_numbers_could_be_the_span() -> None:
    assert measure(case([0.0]), answers(True), {"limit": 2, "window": 10.0, "grace": 1.0}, 2) is None


def test_admission_is_read_off_a_run_of_true_before_the_first_false() -> None:
    assert admitted_at_once(answers(True, True, False, False)) == 2
    assert admitted_at_once(answers(True, False, True)) is None
    assert admitted_at_once(answers(True, True)) is None
    assert admitted_at_once(answers(1, 0)) is None
