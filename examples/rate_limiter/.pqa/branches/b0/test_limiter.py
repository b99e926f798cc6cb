import pytest

from limiter import RateLimiter


class Clock:
    def __init__(self, now: float) -> None:
        self.now = now

    def __call__(self) -> float:
        return self.now


def test_accepts_up_to_the_limit_and_refuses_the_next():
    limiter = RateLimiter(3, 60.0, Clock(0.0))
    assert [limiter.allow("ada") for _ in range(5)] == [True, True, True, False, False]


def test_counts_over_the_whole_window():
    clock = Clock(60.0)
    limiter = RateLimiter(2, 60.0, clock)
    assert limiter.allow("ada") is True
    clock.now = 90.0
    assert limiter.allow("ada") is True
    clock.now = 119.5
    assert limiter.allow("ada") is False


def test_keys_do_not_influence_each_other():
    limiter = RateLimiter(1, 60.0, Clock(0.0))
    assert limiter.allow("ada") is True
    assert limiter.allow("bob") is True
    assert limiter.allow("ada") is False


@pytest.mark.parametrize(("limit", "window"), [(0, 60.0), (1, 0.0), (1, -1.0)])
def test_a_limit_or_window_without_meaning_is_refused(limit, window):
    with pytest.raises(ValueError):
        RateLimiter(limit, window, Clock(0.0))
