"""A second library that remembers: constants made at import, a metaclass, cached properties, memo dicts, a shared client."""

import functools

SCALE = 10
TABLE = {name: position * SCALE for position, name in enumerate(("tea", "milk", "bread"), 1)}
CHEAPEST = min(TABLE.values())
_users = []
_memo = {}


class Single(type):
    _made = {}

    def __call__(cls, *args):
        if cls not in cls._made:
            cls._made[cls] = super().__call__(*args)
        return cls._made[cls]


class Client(metaclass=Single):
    opened = 0

    def __init__(self):
        type(self).opened += 1
        self.sent = []

    def send(self, text):
        self.sent.append(text)
        return len(self.sent)


class Plugin:
    known = []

    def __init_subclass__(cls):
        Plugin.known.append(cls.__name__)


class Small(Plugin):
    pass


class Basket:
    count = 0

    def __init__(self, names):
        Basket.count += 1
        self.number = Basket.count
        self.names = list(names)

    @functools.cached_property
    def total(self):
        return sum(TABLE[name] for name in self.names)

    @property
    def label(self):
        return "large" if self.total > 2 * SCALE else "small"


def price(name):
    if name not in _memo:
        _memo[name] = TABLE.get(name, 0) + 1
    return _memo[name]


def sign_up(name):
    if name not in _users:
        _users.append(name)
    return len(_users)


def users():
    return list(_users)
