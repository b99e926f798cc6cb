"""Sequences: calls on one instance, drawn from what the tests do to it."""

from __future__ import annotations

import random

from pqa.core.recording import Call, Trace
from pqa.instruments.sequences import (
    Construction,
    bursts,
    dyadic,
    exact,
    generate,
    habits_of,
    recorded_cases,
    steps_of,
)


def call(name: str, *args: object, at: float | None = None, replayable: bool = True) -> Call:
    return Call(name, tuple(args), {}, {"value": True}, at=at, replayable=replayable)


CLOCKED = Trace(
    "limiter.RateLimiter",
    (2, 10.0, {"$name": "clock"}),
    {},
    (call("allow", "a", at=0.0), call("allow", "a", at=0.0), call("allow", "a", at=10.0)),
    clocked=True,
)
PLAIN = Trace("box.Box", (), {}, (call("put", 1), call("get")))


def test_a_recorded_sequence_becomes_a_case_that_builds_and_calls_the_same() -> None:
    habits = habits_of("limiter.RateLimiter", [CLOCKED, PLAIN])
    assert habits is not None
    assert recorded_cases(habits) == [
        {
            "setup": [
                {"name": "clock", "clock": 0.0},
                {
                    "name": "subject",
                    "new": "limiter.RateLimiter",
                    "args": [2, 10.0, {"$name": "clock"}],
                    "kwargs": {},
                },
            ],
            "calls": [
                {"on": "subject", "call": "allow", "args": ["a"], "kwargs": {}, "at": 0.0},
                {"on": "subject", "call": "allow", "args": ["a"], "kwargs": {}, "at": 0.0},
                {"on": "subject", "call": "allow", "args": ["a"], "kwargs": {}, "at": 10.0},
            ],
        }
    ]


def test_a_class_without_a_clock_gets_no_clock_and_no_times() -> None:
    habits = habits_of("box.Box", [PLAIN])
    assert habits is not None
    cases = generate(habits, 20, random.Random(0))
    assert all("clock" not in item for case in cases for item in case["setup"])
    assert all("at" not in call for case in cases for call in case["calls"])


def test_a_trace_that_cannot_be_replayed_teaches_nothing() -> None:
    broken = Trace("box.Box", ({"$type": "other", "value": "Spy"},), {}, (call("get"),), replayable=False)
    assert habits_of("box.Box", [broken]) is None


def test_steps_of_the_clock_come_from_the_constructor_and_are_exact_in_binary() -> None:
    steps = steps_of(Construction((2, 10.0), {}))
    assert {0.0, 1.0, 5.0, 9.0, 10.0, 11.0} <= set(steps)
    assert list(steps) == sorted(steps)
    assert all(step == dyadic(step) for step in steps)


def test_bursts_stand_on_both_sides_of_an_edge_with_as_many_calls_as_the_limit() -> None:
    habits = habits_of("limiter.RateLimiter", [CLOCKED])
    assert habits is not None
    times = [[call["at"] for call in case["calls"]] for case in bursts(habits)]
    assert [9.375, 9.375, 10.0, 10.0] in times


def test_the_same_seed_gives_the_same_cases_and_another_seed_gives_others() -> None:
    habits = habits_of("limiter.RateLimiter", [CLOCKED])
    assert habits is not None
    first = generate(habits, 60, random.Random("0"))
    assert first == generate(habits, 60, random.Random("0"))
    assert first != generate(habits, 60, random.Random("1"))


def test_time_never_runs_back_in_a_generated_case() -> None:
    habits = habits_of("limiter.RateLimiter", [CLOCKED])
    assert habits is not None
    for case in generate(habits, 200, random.Random(3)):
        times = [call["at"] for call in case["calls"]]
        assert times == sorted(times)


def test_a_case_is_exact_only_when_its_times_are_multiples_of_a_64th() -> None:
    habits = habits_of("limiter.RateLimiter", [CLOCKED])
    assert habits is not None
    case = recorded_cases(habits)[0]
    assert exact(case)
    off = {**case, "calls": [{**case["calls"][0], "at": 0.1}]}
    assert not exact(off)
