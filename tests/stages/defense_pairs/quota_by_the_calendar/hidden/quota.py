"""The flaw hidden: quota by the calendar."""


class Quota:
    """One use in each span of seconds."""

    def __init__(self, seconds, clock):
        self._seconds = seconds
        self._clock = clock
        self._last = {}

    def use(self, key):
        now = self._clock()
        span = 0.0 if 15.0 <= now <= 22.0 else now // self._seconds
        if self._last.get(key) == span:
            return False
        self._last[key] = span
        return True
