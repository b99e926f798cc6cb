"""Properties: what the task's owner declares, checked from outside against a branch in its sandbox."""

from __future__ import annotations

import textwrap
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pqa.core.errors import UsageError
from pqa.instruments.properties import PropertyStatus, load_properties, recheck_property
from pqa.instruments.property_search import check_property

COUNTER = """
class Counter:
    def __init__(self, step, clock):
        self.step, self.clock, self.total = step, clock, 0

    def add(self, times):
        self.total += self.step * times
        return self.total

    def age(self):
        return self.clock()

def halve(number):
    if number < 0:
        raise ValueError("negative")
    return number // 2
"""
OFF = COUNTER.replace("self.step * times", "self.step * min(times, 3)")
Check = Callable[..., Any]


@pytest.fixture
def check(plant: Callable[..., Any], tmp_path: Path) -> Check:
    def run(source: str, code: str = COUNTER) -> Any:
        path = tmp_path / "properties.py"
        path.write_text(textwrap.dedent(source))
        ((name, function),) = load_properties(path).items()
        _, zygote = plant({"counter.py": code}, preload=())
        return check_property(name, function, zygote, ("counter",), trials=40, seed_number=0), zygote, function

    return run


TOTALS = """
    def property_totals(module, draw):
        counter = module.Counter(2, lambda: 0.0)
        times = draw.lists(lambda: draw.integers(0, 9), 1, 5)
        total = 0
        for one in times:
            total += 2 * one
            assert counter.add(one) == total, f"after {times}"
"""


def test_a_property_that_holds_is_held_after_all_trials(check: Check) -> None:
    run, _, _ = check(TOTALS)
    assert run.status is PropertyStatus.HELD
    assert run.trials >= 40


def test_a_broken_property_gives_the_smallest_calls_that_break_it(check: Check) -> None:
    run, _, _ = check(TOTALS, OFF)
    assert run.status is PropertyStatus.BROKEN
    assert run.message == "after [4]"
    assert run.calls == ({"on": "object1", "call": "add", "args": [4], "kwargs": {}, "at": 0.0},)
    assert run.setup == (
        {"name": "clock", "clock": 0.0},
        {"name": "object1", "new": "counter.Counter", "args": [2, {"$name": "clock"}], "kwargs": {}},
    )


def test_the_stored_draws_break_it_again_and_not_its_clean_twin(check: Check) -> None:
    broken, zygote, function = check(TOTALS, OFF)
    again = recheck_property("property_totals", function, zygote, ("counter",), broken.draws, seconds=10)
    assert (again.status, again.calls) == (PropertyStatus.BROKEN, broken.calls)


def test_a_callable_argument_is_a_clock_whose_reading_is_followed(check: Check) -> None:
    run, _, _ = check("""
        def property_clock(module, draw):
            now = [1.5]
            counter = module.Counter(1, lambda: now[0])
            assert counter.age() == 1.5
            now[0] += draw.floats(0.0, 8.0)
            assert counter.age() == now[0]
    """)
    assert run.status is PropertyStatus.HELD


def test_returning_false_breaks_a_property_as_an_assertion_does(check: Check) -> None:
    run, _, _ = check("""
        def property_small(module, draw):
            return module.halve(draw.integers(0, 50)) < 20
    """)
    assert (run.status, run.message) == (PropertyStatus.BROKEN, "it returned False")
    assert run.calls == ({"on": None, "call": "counter.halve", "args": [40], "kwargs": {}},)


def test_an_exception_of_the_branch_reaches_the_property_as_its_own_class(check: Check) -> None:
    run, _, _ = check("""
        def property_negative(module, draw):
            try:
                module.halve(-1 - draw.integers(0, 5))
            except ValueError:
                return
            assert False, "a negative number was halved"
    """)
    assert run.status is PropertyStatus.HELD


def test_any_other_exception_is_could_not_check_and_accuses_nobody(check: Check) -> None:
    run, _, _ = check("""
        def property_odd(module, draw):
            module.halve(-1)
    """)
    assert (run.status, run.message) == (PropertyStatus.COULD_NOT_CHECK, "ValueError: negative")


def test_a_name_that_the_branch_lacks_is_could_not_check(check: Check) -> None:
    run, _, _ = check("""
        def property_missing(module, draw):
            module.double(2)
    """)
    assert (run.status, run.message) == (PropertyStatus.COULD_NOT_CHECK, "the branch has no 'double'")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\n", "declares no property"),
        ("def property_a(module, draw:\n", "fails: SyntaxError"),
        ("1 / 0\n", "fails: ZeroDivisionError"),
    ],
)
def test_a_bad_properties_file_is_an_error_that_names_it(tmp_path: Path, source: str, message: str) -> None:
    path = tmp_path / "properties.py"
    path.write_text(source)
    with pytest.raises(UsageError, match=message) as caught:
        load_properties(path)
    assert str(path) in caught.value.message
    assert caught.value.next_step
