"""Token bucket: each key has credit that a call spends and that time refills, up to `limit` calls."""

from __future__ import annotations

from collections.abc import Callable


class RateLimiter:
    """Accepts bursts of `limit` calls per key and refills at `limit` calls for every `window` seconds."""

    def __init__(self, limit: int, window: float, clock: Callable[[], float]) -> None:
        if limit < 1 or window <= 0:
            raise ValueError("limit must be at least 1 and window above 0")
        self._limit = limit
        self._window = window
        self._clock = clock
        self._credit: dict[str, tuple[float, float]] = {}

    def allow(self, key: str) -> bool:
        """Whether the call may go through now. Credit is kept in calls times seconds, so that it stays exact."""
        now = self._clock()
        full = self._limit * self._window
        credit, since = self._credit.get(key, (full, now))
        credit = min(full, credit + (now - since) * self._limit)
        accepted = credit >= self._window
        self._credit[key] = (credit - self._window if accepted else credit, now)
        return accepted
