"""Fixed window: one counter for each key, reset when the next window begins."""

from __future__ import annotations

from collections.abc import Callable


class RateLimiter:
    """Accepts at most `limit` calls per key in each window of `window` seconds."""

    def __init__(self, limit: int, window: float, clock: Callable[[], float]) -> None:
        if limit < 1 or window <= 0:
            raise ValueError("limit must be at least 1 and window above 0")
        self._limit = limit
        self._window = window
        self._clock = clock
        self._counts: dict[str, tuple[int, int]] = {}

    def allow(self, key: str) -> bool:
        """Whether the call may go through now."""
        window = int(self._clock() // self._window)
        counted, calls = self._counts.get(key, (window, 0))
        if counted != window:
            calls = 0
        if calls >= self._limit:
            return False
        self._counts[key] = (window, calls + 1)
        return True
