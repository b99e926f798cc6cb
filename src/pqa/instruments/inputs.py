"""Input: one argument list to try, with what it says about the contract; and how odd it would look to a person."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pqa.core.trigger import Json
from pqa.core.values import canonical, decode
from pqa.instruments.shapes import kind_of

MAXIMUM_NODES = 200
CALLS_COMPARED = 60


@dataclass(frozen=True, slots=True)
class Input:
    """Encoded arguments named by `form`. `tier` is T0, T1 (`broken` relations) or T2 (`broken` says why);
    `origin` is recorded, edge, mutated, sampled, crossed or shrunk."""

    args: tuple[Json, ...]
    form: tuple[str, ...]
    tier: str = "T0"
    broken: tuple[str, ...] = ()
    origin: str = "recorded"

    @property
    def key(self) -> str:
        """One text for one input: equal inputs have equal keys."""
        return canonical([list(self.form), list(self.args)])


def nodes(value: object, limit: int = MAXIMUM_NODES + 1) -> int:
    """The number of values inside a value, itself included; text counts a node for eight letters; stops at `limit`."""
    if isinstance(value, dict):
        value = [item for pair in value.items() for item in pair]
    if isinstance(value, str | bytes):
        return 1 + len(value) // 8
    if not isinstance(value, list | tuple | set | frozenset):
        return 1
    total = 1
    for item in value:
        total += nodes(item, limit - total)
        if total >= limit:
            break
    return total


def distance(left: object, right: object) -> float:
    """How unlike two decoded values look: 0 for equal ones, 4 for different kinds."""
    if isinstance(left, bool) or isinstance(right, bool) or left is None or right is None:
        return 0.0 if left is right else 0.5 if type(left) is type(right) else 4.0
    if isinstance(left, int | float) and isinstance(right, int | float):
        apart = abs(_magnitude(left) - _magnitude(right)) + 0.5 * ((left < 0) != (right < 0)) + 0.25 * (left != right)
        return apart + 0.25 * (type(left) is not type(right))
    if kind_of(left) != kind_of(right):
        return 4.0
    if isinstance(left, str) and isinstance(right, str):
        return _text_distance(left, right)
    if isinstance(left, dict) and isinstance(right, dict):
        shared = [key for key in left if key in right]
        apart = len(left) + len(right) - 2 * len(shared)
        return min(0.5 * apart, 4.0) + sum(distance(left[key], right[key]) for key in shared) / (len(shared) or 1)
    if isinstance(left, list | tuple) and isinstance(right, list | tuple):
        return _list_distance(left, right)
    if isinstance(left, set | frozenset) and isinstance(right, set | frozenset):
        return _list_distance(sorted(left, key=repr), sorted(right, key=repr))
    return 0.0 if left == right else 0.5


def _magnitude(value: float) -> float:
    return math.log2(1 + min(abs(value), 1e300)) if value == value else 40.0  # noqa: PLR0124


def _list_distance(left: Sequence[object], right: Sequence[object]) -> float:
    sizes = abs(math.log2(1 + len(left)) - math.log2(1 + len(right))) + 0.5 * (bool(left) != bool(right))
    items = [min(distance(item, other) for other in right[:12]) for item in left[:12]] if right else []
    return sizes + (sum(items) / len(items) if items else 0.0)


def _text_distance(left: str, right: str) -> float:
    sizes = abs(math.log2(1 + len(left)) - math.log2(1 + len(right))) + 0.5 * (bool(left) != bool(right))
    strange = sum(
        _strangeness(letter)
        for letter in sorted({_sort(letter) for letter in left} - {_sort(letter) for letter in right})
    )
    return sizes + min(strange, 4.0) + 0.1 * (left != right)


def _sort(letter: str) -> str:
    """A letter's class: small, capital, digit or itself."""
    if not letter.isascii():
        return letter
    return "a" if letter.islower() else "A" if letter.isupper() else "0" if letter.isdigit() else letter


def _strangeness(letter: str) -> float:
    if not letter.isascii() or not letter.isprintable():
        return 2.0
    return 0.5 if letter.isalnum() or letter == " " else 0.8


def oddness(args: Sequence[object], calls: Sequence[Sequence[object]]) -> float:
    """How unlike the recorded calls some arguments look to a person, and a little for sheer size; 0 for such a call.

    Both may be encoded or decoded; an object that is no plain value stands for an argument that a call leaves out.
    """
    own = [decode(value) for value in args]
    size = sum(nodes(value) for value in own)
    known = [[decode(value) for value in call if type(value) is not object] for call in calls[:CALLS_COMPARED]]
    known = [call for call in known if len(call) == len(own)]
    if not known or not own:
        return round(0.05 * size, 6)
    apart = [[distance(value, other) for value, other in zip(own, call, strict=True)] for call in known]
    together = min(map(sum, apart))
    alone = sum(map(min, zip(*apart, strict=True)))
    return 0.0 if together == 0 else round(0.3 * together + 0.7 * alone + 0.01 * size, 6)
