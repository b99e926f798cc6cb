"""Sliding log: the times of the accepted calls of each key, the oldest forgotten as they leave the window."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable


class RateLimiter:
    """Accepts at most `limit` calls per key in any span of `window` seconds."""

    def __init__(self, limit: int, window: float, clock: Callable[[], float]) -> None:
        if limit < 1 or window <= 0:
            raise ValueError("limit must be at least 1 and window above 0")
        self._limit = limit
        self._window = window
        self._clock = clock
        self._accepted: dict[str, deque[float]] = {}

    def allow(self, key: str) -> bool:
        """Whether the call may go through now."""
        now = self._clock()
        accepted = self._accepted.setdefault(key, deque())
        while accepted and now - accepted[0] >= self._window:
            accepted.popleft()
        if len(accepted) >= self._limit:
            return False
        accepted.append(now)
        return True
