"""As it was attacked: entry lives at its last second."""


class Expiring:
    def __init__(self, seconds, clock):
        self._seconds = seconds
        self._clock = clock
        self._until = {}

    def keep(self, key):
        self._until[key] = self._clock() + self._seconds

    def holds(self, key):
        return key in self._until and self._clock() <= self._until[key]
