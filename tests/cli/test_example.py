"""The worked example: three green branches; b0 passes a minute's edge twice, b2 refills within the span, b1 is exact."""

from __future__ import annotations

import random
import runpy
from pathlib import Path

import pytest

from pqa.core.branch import Conviction
from pqa.intake import find_branches, read_task, take_branches

EXAMPLE = Path(__file__).parents[2] / "examples/rate_limiter"


def limiter_of(name: str):
    return runpy.run_path(str(EXAMPLE / ".pqa/branches" / name / "limiter.py"))["RateLimiter"]


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def answers(name: str, limit: int, window: float, times: list[float]) -> list[bool]:
    clock = Clock()
    limiter = limiter_of(name)(limit, window, clock)
    got = []
    for clock.now in times:
        got.append(limiter.allow("ada"))
    return got


def test_intake_reads_it_as_three_branches_and_a_task(tmp_path):
    branches = take_branches(find_branches([], project=EXAMPLE), into=tmp_path)
    told = {branch.branch_id: (branch.code, branch.tests, branch.topology_axis) for branch in branches}
    assert told == {
        "b0": (("limiter.py",), ("test_limiter.py",), "counter per window"),
        "b1": (("limiter.py",), ("test_limiter.py",), "log of accepted times"),
        "b2": (("limiter.py",), ("test_limiter.py",), "refilled credit"),
    }
    basis = "every rule of the task has a test, all are green, coverage is above 90 %"
    assert branches[0].conviction == Conviction("high", basis)
    assert read_task(None, project=EXAMPLE).title == "Rate limiter: 100 a minute means 100 in any minute"


@pytest.mark.parametrize(
    ("name", "accepted_at_the_edge", "accepted_while_refilling"),
    [("b0", 200, 3), ("b1", 100, 2), ("b2", 100, 3)],
)
def test_each_branch_has_the_flaw_that_the_story_tells(name, accepted_at_the_edge, accepted_while_refilling):
    edge = answers(name, 100, 60.0, [59.9] * 100 + [60.1] * 100)
    refilling = answers(name, 2, 60.0, [30.0, 30.0, 61.0] if name == "b0" else [0.0, 0.0, 30.0])
    assert (sum(edge), sum(refilling)) == (accepted_at_the_edge, accepted_while_refilling)


@pytest.mark.parametrize(("name", "exact"), [("b0", False), ("b1", True), ("b2", True)])
def test_only_the_fixed_window_depends_on_when_the_clock_started(name, exact):
    draw = random.Random(0)
    same = []
    for _ in range(100):
        times = sorted(draw.randrange(4000) / 16 for _ in range(12))
        shift, limit = draw.randrange(100_000) / 16, draw.randint(1, 4)
        same.append(answers(name, limit, 10.0, times) == answers(name, limit, 10.0, [time + shift for time in times]))
    assert all(same) is exact
