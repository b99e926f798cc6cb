import pytest

from limiter import RateLimiter


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def answers(limiter, clock, times, key="ada"):
    got = []
    for clock.now in times:
        got.append(limiter.allow(key))
    return got


def test_accepts_up_to_the_limit_and_refuses_the_next():
    clock = Clock(0.0)
    limiter = RateLimiter(3, 60.0, clock)
    assert answers(limiter, clock, [0.0, 0.0, 0.0, 0.0, 0.0]) == [True, True, True, False, False]


def test_a_burst_on_both_sides_of_a_minute_is_one_burst():
    clock = Clock(0.0)
    limiter = RateLimiter(2, 60.0, clock)
    assert answers(limiter, clock, [59.5, 59.5, 60.0, 60.5]) == [True, True, False, False]


def test_a_call_leaves_the_window_exactly_when_the_window_is_over():
    clock = Clock(0.0)
    limiter = RateLimiter(1, 10.0, clock)
    assert answers(limiter, clock, [2.5, 12.25, 12.5, 22.25]) == [True, False, True, False]


def test_calls_leave_the_window_one_by_one():
    clock = Clock(0.0)
    limiter = RateLimiter(2, 10.0, clock)
    assert answers(limiter, clock, [0.0, 4.0, 9.5, 10.0, 13.5, 14.0]) == [True, True, False, True, False, True]


def test_refused_calls_do_not_count():
    clock = Clock(0.0)
    limiter = RateLimiter(1, 10.0, clock)
    assert answers(limiter, clock, [0.0, 3.0, 6.0, 9.0, 10.0]) == [True, False, False, False, True]


def test_keys_do_not_influence_each_other():
    clock = Clock(0.0)
    limiter = RateLimiter(1, 60.0, clock)
    assert answers(limiter, clock, [0.0, 1.0], "ada") == [True, False]
    assert answers(limiter, clock, [2.0, 3.0], "bob") == [True, False]


@pytest.mark.parametrize(("limit", "window"), [(0, 60.0), (1, 0.0), (1, -1.0)])
def test_a_limit_or_window_without_meaning_is_refused(limit, window):
    with pytest.raises(ValueError):
        RateLimiter(limit, window, Clock(0.0))
