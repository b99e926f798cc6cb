"""As it was attacked: cache evicts the newest."""


class Cache:
    def __init__(self, size):
        self._size = size
        self._held = {}

    def put(self, key, value):
        if key not in self._held and len(self._held) >= self._size:
            self._held.popitem()
        self._held[key] = value

    def get(self, key):
        return self._held.get(key)
