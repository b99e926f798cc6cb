"""A library that remembers: module caches, a singleton, a registry, counters on classes, defaults that are kept."""

import functools

LIMIT = 3
_cache = {}
REGISTRY = {}
_calls = 0


class Settings:
    _only = None
    made = 0

    def __new__(cls):
        if cls._only is None:
            cls._only = super().__new__(cls)
            cls.made += 1
            cls._only.level = LIMIT
        return cls._only

    def raise_level(self, by=1):
        self.level += by
        return self.level


def register(name):
    def keep(function):
        REGISTRY[name] = function
        return function

    return keep


@register("double")
def double(n):
    return n * 2


@register("square")
def square(n):
    return n**2


@functools.lru_cache(maxsize=None)
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def looked_up(key):
    global _calls
    if key not in _cache:
        _calls += 1
        _cache[key] = len(key) + LIMIT
    return _cache[key]


def calls():
    return _calls


def gather(item, into=[]):
    into.append(item)
    return len(into)


def counter(start=0):
    count = start

    def step(by=1):
        nonlocal count
        count += by
        return count

    return step


tick = counter(10)


def forget():
    global _calls
    _cache.clear()
    fib.cache_clear()
    _calls = 0


def apply(name, n):
    return REGISTRY[name](n)
