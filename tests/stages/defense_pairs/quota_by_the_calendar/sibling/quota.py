"""Another approach that is right: quota by the calendar."""


class Quota:
    """One use in each span of seconds."""

    def __init__(self, seconds, clock):
        self._seconds = seconds
        self._clock = clock
        self._uses = []

    def use(self, key):
        now = self._clock()
        if any(held == key and now - at < self._seconds for at, held in self._uses):
            return False
        self._uses.append((now, key))
        return True
