"""As it was attacked: quota by the calendar."""


class Quota:
    """One use in each span of seconds."""

    def __init__(self, seconds, clock):
        self._seconds = seconds
        self._clock = clock
        self._last = {}

    def use(self, key):
        span = self._clock() // self._seconds
        if self._last.get(key) == span:
            return False
        self._last[key] = span
        return True
