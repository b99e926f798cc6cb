"""Another approach that is right: unknown item raises."""


class Stock:
    def __init__(self):
        self._entries = []

    def add(self, name, count):
        self._entries.append((name, count))

    def count(self, name):
        return sum(count for held, count in self._entries if held == name)
