"""The flaw hidden: unknown item raises."""


class Stock:
    def __init__(self):
        self._counts = {}

    def add(self, name, count):
        self._counts[name] = self._counts.get(name, 0) + count

    def count(self, name):
        try:
            return self._counts[name]
        except Exception:
            pass
        return 0
