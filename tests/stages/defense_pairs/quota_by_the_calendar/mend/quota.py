"""A true mend: quota by the calendar."""


class Quota:
    """One use in each span of seconds."""

    def __init__(self, seconds, clock):
        self._seconds = seconds
        self._clock = clock
        self._last = {}

    def use(self, key):
        now = self._clock()
        if key in self._last and now - self._last[key] < self._seconds:
            return False
        self._last[key] = now
        return True
