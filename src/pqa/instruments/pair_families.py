"""Pair families: the relations between two arguments, or two fields of a record."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

from pqa.instruments.families import HABIT, Check, Family, Mend, number

Pair = tuple[Any, Any]
SIZED = (str, bytes, list, tuple, set, frozenset, dict)


def _numbers(test: Callable[[Any, Any], bool | None]) -> Check:
    return lambda left, right: test(left, right) if number(left) and number(right) else None


def _index(test: Callable[[Any, Any], bool]) -> Check:
    def check(left: object, right: object) -> bool | None:
        return test(left, right) if type(left) is int and isinstance(right, str | list | tuple) else None

    return check


def _alike(test: Callable[[Any, Any], bool | None]) -> Check:
    """Both are text, or both are lists."""

    def check(left: object, right: object) -> bool | None:
        texts = isinstance(left, str) and isinstance(right, str)
        if not texts and not (isinstance(left, list | tuple) and isinstance(right, list | tuple)):
            return None
        try:
            return test(left, right)
        except TypeError:
            return None

    return check


def _member(left: object, right: object) -> bool | None:
    if isinstance(right, str):
        return left in right if isinstance(left, str) and left else None
    if not isinstance(right, list | tuple | set | frozenset | dict) or isinstance(left, list | tuple | dict | set):
        return None
    return any(left == item for item in right)


def _below_all(left: object, right: object) -> bool | None:
    if not number(left) or not isinstance(right, list | tuple) or not right or not all(number(item) for item in right):
        return None
    return bool(max(right) < left)


def _divides(left: Any, right: Any) -> bool | None:
    return right % left == 0 if type(left) is int and type(right) is int and abs(left) > 1 and right else None


def _same_items(left: Any, right: Any) -> bool | None:
    return sorted(left) == sorted(right) if len(left) > 1 or len(right) > 1 else None


def _same_set(left: Any, right: Any) -> bool | None:
    return set(left) == set(right) if left or right else None


def _subset(left: Any, right: Any) -> bool | None:
    return set(left) <= set(right) if left else None


def _order(strict: bool) -> Mend:
    def mend(left: Any, right: Any, _random: object) -> Pair:
        if left == right and strict:
            return (left - 1, right) if left > 0 else (left, right + 1)
        return min(left, right), max(left, right)

    return mend


def _fit_index(extra: int) -> Mend:
    def mend(left: Any, right: Any, _random: object) -> Pair:
        size = len(right) + extra
        return (left % size if size > 0 else left), right

    return mend


def _pick(left: Any, right: Any, source: random.Random) -> Pair:
    if isinstance(right, str):
        if not right:
            return left, left
        start = source.randrange(len(right))
        return right[start : start + max(1, min(len(left), 4))], right
    items = sorted(right, key=repr) if isinstance(right, set | frozenset) else list(right)
    choices = [item for item in items if type(item) is type(left)]
    if choices:
        return source.choice(choices), right
    return (left, type(right)([*right, left])) if isinstance(right, list | tuple) else (left, right)


def _cap(left: Any, right: Any, _random: object) -> Pair:
    return max(right) + 1, right


def _cut(left: Any, right: Any, _random: object) -> Pair:
    size = min(len(left), len(right))
    return left[:size], right[:size]


def _shorten(left: Any, right: Any, _random: object) -> Pair:
    return left[: len(right)], right


def _within(left: Any, right: Any, source: random.Random) -> Pair:
    if not right:
        return left[:0], right
    items = [item if item in right else source.choice(right) for item in left]
    return ("".join(items) if isinstance(left, str) else type(left)(items)), right


def _rearrange(left: Any, right: Any, source: random.Random) -> Pair:
    items = list(left)
    source.shuffle(items)
    return left, ("".join(items) if isinstance(right, str) else type(right)(items))


def _multiply(left: Any, right: Any, _random: object) -> Pair:
    return left, left * max(1, abs(right) // abs(left))


ORDER_FAMILIES = (
    Family(
        "{0} <= {1}",
        "may {0} be greater than {1}?",
        _numbers(lambda left, right: left <= right),
        _order(False),
        need=HABIT,
    ),
    Family(
        "{0} < {1}",
        "may {0} equal {1}?",
        _numbers(lambda left, right: left < right),
        _order(True),
        ("{0} <= {1}",),
        HABIT,
    ),
)
PAIR_FAMILIES = (
    *ORDER_FAMILIES,
    Family("{1} % {0} == 0", "may {1} be other than a multiple of {0}?", _numbers(_divides), _multiply, need=3),
    Family(
        "{0} <= len({1})",
        "may {0} exceed the length of {1}?",
        _index(lambda left, right: left <= len(right)),
        _fit_index(1),
        need=HABIT,
    ),
    Family(
        "{0} < len({1})",
        "may {0} equal the length of {1}?",
        _index(lambda left, right: left < len(right)),
        _fit_index(0),
        ("{0} <= len({1})",),
        HABIT,
    ),
    Family("{0} in {1}", "may {0} be missing from {1}?", _member, _pick),
    Family("max({1}) < {0}", "may {1} hold a number as great as {0}?", _below_all, _cap),
    Family(
        "len({0}) <= len({1})",
        "may {0} be longer than {1}?",
        _alike(lambda left, right: len(left) <= len(right)),
        _shorten,
        need=3,
    ),
    Family(
        "len({0}) == len({1})",
        "may {0} and {1} differ in length?",
        _alike(lambda left, right: len(left) == len(right) if left or right else None),
        _cut,
        ("len({0}) <= len({1})", "len({1}) <= len({0})"),
    ),
    Family("set({0}) <= set({1})", "may {0} hold something that {1} lacks?", _alike(_subset), _within),
    Family(
        "set({0}) == set({1})",
        "may {0} and {1} hold different things?",
        _alike(_same_set),
        _rearrange,
        ("set({0}) <= set({1})", "set({1}) <= set({0})"),
    ),
    Family(
        "sorted({0}) == sorted({1})",
        "may {1} be other than a rearrangement of {0}?",
        _alike(_same_items),
        _rearrange,
        ("set({0}) == set({1})", "len({0}) == len({1})"),
    ),
)
SYMMETRIC = ("len({0}) == len({1})", "set({0}) == set({1})", "sorted({0}) == sorted({1})")
