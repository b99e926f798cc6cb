"""Family: one kind of relation: how it is written and asked, when it holds, how to mend a value that breaks it.

A check answers None where the relation says nothing (a list of one item is neither sorted nor unsorted).
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

HABIT = 4
"""What examples are like by habit (short, lower-case, not empty) needs more distinct calls than what has structure."""
Check = Callable[..., bool | None]
Mend = Callable[..., Any]


@dataclass(frozen=True, slots=True)
class Family:
    """`pattern` has {0} and perhaps {1} for the terms; `implies` names weaker patterns over the same terms; `need` is
    the number of distinct calls that must support it."""

    pattern: str
    question: str
    check: Check
    mend: Mend
    implies: tuple[str, ...] = ()
    need: int = 2


def number(value: object) -> bool:
    """Whether `value` is an int or a float, and no bool."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _numeric(test: Callable[[Any], bool]) -> Check:
    return lambda value: test(value) if number(value) else None


def _sized(test: Callable[[Any], bool]) -> Check:
    return lambda value: test(value) if isinstance(value, str | bytes | list | tuple | set | frozenset | dict) else None


def _textual(test: Callable[[str], bool | None]) -> Check:
    return lambda value: test(value) if isinstance(value, str) and value else None


def _listed(test: Callable[[Sequence[Any]], bool | None], least: int = 2) -> Check:
    def check(value: object) -> bool | None:
        if not isinstance(value, list | tuple) or len(value) < least:
            return None
        try:
            return test(value)
        except TypeError:
            return False

    return check


def _is_unique(items: Sequence[Any]) -> bool:
    try:
        return len(set(items)) == len(items)
    except TypeError:
        return len({repr(item) for item in items}) == len(items)


def _ascending(items: Sequence[Any]) -> bool | None:
    return all(left <= right for left, right in itertools.pairwise(items))


def _descending(items: Sequence[Any]) -> bool | None:
    return all(left >= right for left, right in itertools.pairwise(items))


def _same_length(items: Sequence[Any]) -> bool | None:
    if not all(isinstance(item, list | tuple | str) for item in items):
        return None
    return len({len(item) for item in items}) == 1


def _is_square(rows: Sequence[Any]) -> bool | None:
    return all(len(row) == len(rows) for row in rows) if all(isinstance(row, list | tuple) for row in rows) else None


def _counts_from(first: int) -> Callable[[Sequence[Any]], bool | None]:
    """1, 2, 3 in order is what anybody writes as an example: only another order is evidence."""

    def test(items: Sequence[Any]) -> bool | None:
        wanted = list(range(first, first + len(items)))
        if list(items) == wanted:
            return None
        return all(type(item) is int for item in items) and sorted(items) == wanted

    return test


def _like(value: Any, items: list[Any]) -> Any:
    return tuple(items) if isinstance(value, tuple) else items


def sort_like(value: Any, _spare: object = None, _random: object = None) -> Any:
    """The same items in order; unchanged where they have none."""
    try:
        return _like(value, sorted(value))
    except TypeError:
        return value


def _fall(value: Any, _spare: object, _random: object) -> Any:
    try:
        return _like(value, sorted(value, reverse=True))
    except TypeError:
        return value


def deduplicate(value: Any, _spare: object = None, _random: object = None) -> Any:
    """The first of each equal item."""
    return _like(value, list({repr(item): item for item in reversed(value)}.values())[::-1])


def _extend(value: Any, spare: Any, _random: object) -> Any:
    if type(value) is not type(spare):
        return value
    return value + spare if isinstance(value, str | bytes | list | tuple) else spare or value


def _one_type(value: Any, _spare: object, _random: object) -> Any:
    kinds = [type(item) for item in value]
    common = max(dict.fromkeys(kinds), key=kinds.count)
    return _like(value, [item for item in value if type(item) is common])


def _level(value: Any, _spare: object, _random: object) -> Any:
    least = min((len(item) for item in value if len(item)), default=0)
    return _like(value, [item[:least] for item in value if len(item) >= least])


def _squared(value: Any, _spare: object, _random: object) -> Any:
    size = min(len(value), *(len(row) for row in value))
    return _like(value, [row[:size] for row in value[:size]])


def _ranked(first: int) -> Mend:
    def mend(value: Any, _spare: object, _random: object) -> Any:
        order = sorted(range(len(value)), key=lambda index: (repr(type(value[index])), value[index], index))
        ranks = {index: first + rank for rank, index in enumerate(order)}
        return _like(value, [ranks[index] for index in range(len(value))])

    return mend


def _keep(test: Callable[[str], bool]) -> Mend:
    return lambda value, spare, _random: "".join(letter for letter in value if test(letter)) or spare


def _digits(value: str, _spare: object, random_source: random.Random) -> str:
    return "".join(letter if letter in "0123456789" else random_source.choice("0123456789") for letter in value)


def _positive(value: Any, _spare: object, _random: object) -> Any:
    return abs(value) or type(value)(1)


def _digital(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _plain(text: str) -> bool:
    return all(letter.isalnum() or letter.isspace() for letter in text)


NUMBER_FAMILIES = (
    Family("{0} >= 0", "may {0} be negative?", _numeric(lambda value: value >= 0), lambda value, *_: abs(value)),
    Family("{0} > 0", "may {0} be zero?", _numeric(lambda value: value > 0), _positive, ("{0} >= 0",)),
)
SIZE_FAMILIES = (
    Family("nonempty({0})", "may {0} be empty?", _sized(lambda value: len(value) > 0), _extend, need=HABIT),
    Family(
        "len({0}) > 1",
        "may {0} have a single item?",
        _sized(lambda value: len(value) > 1),
        _extend,
        ("nonempty({0})",),
        HABIT,
    ),
)
TEXT_FAMILIES = (
    Family("ascii({0})", "may {0} hold letters outside ASCII?", _textual(str.isascii), _keep(str.isascii)),
    Family("unpunctuated({0})", "may {0} hold punctuation?", _textual(_plain), _keep(_plain)),
    Family(
        "spaceless({0})",
        "may {0} hold spaces?",
        _textual(lambda text: not any(letter.isspace() for letter in text)),
        _keep(lambda letter: not letter.isspace()),
        need=HABIT,
    ),
    Family(
        "alphanumeric({0})",
        "may {0} hold anything but letters and digits?",
        _textual(str.isalnum),
        _keep(str.isalnum),
        ("unpunctuated({0})", "spaceless({0})"),
        HABIT,
    ),
    Family(
        "letters({0})",
        "may {0} hold anything but letters?",
        _textual(str.isalpha),
        _keep(str.isalpha),
        ("alphanumeric({0})",),
        HABIT,
    ),
    Family(
        "digits({0})",
        "may {0} hold anything but digits?",
        _textual(_digital),
        _digits,
        ("alphanumeric({0})", "ascii({0})"),
    ),
    Family(
        "lower({0})",
        "may {0} hold capital letters?",
        _textual(lambda text: text == text.lower() if text.upper() != text.lower() else None),
        lambda value, *_: value.lower(),
        need=HABIT,
    ),
    Family(
        "upper({0})",
        "may {0} hold small letters?",
        _textual(lambda text: text == text.upper() if text.upper() != text.lower() else None),
        lambda value, *_: value.upper(),
        need=HABIT,
    ),
    Family(
        "trimmed({0})",
        "may {0} begin or end with a space?",
        _textual(lambda text: text == text.strip()),
        lambda value, spare, _random: value.strip() or spare,
    ),
    Family(
        "single_spaced({0})",
        "may {0} hold two spaces in a row?",
        _textual(lambda text: "  " not in text if " " in text else None),
        lambda value, *_: (
            value if "  " not in value else " ".join(value.split(" ")).replace("  ", " ").replace("  ", " ")
        ),
    ),
)
LIST_FAMILIES = (
    Family("sorted({0})", "may {0} be unsorted?", _listed(_ascending), sort_like),
    Family("descending({0})", "may {0} be in other than descending order?", _listed(_descending), _fall),
    Family("unique({0})", "may {0} hold the same item twice?", _listed(_is_unique), deduplicate),
    Family(
        "one_type({0})",
        "may {0} mix items of several types?",
        _listed(lambda items: len({type(item) for item in items}) == 1),
        _one_type,
    ),
    Family("same_length({0})", "may the items of {0} differ in length?", _listed(_same_length), _level),
    Family("square({0})", "may {0} have more rows than columns, or fewer?", _listed(_is_square, 1), _squared),
    Family(
        "permutation({0}, 1..n)",
        "may {0} be other than an order of 1 to its length?",
        _listed(_counts_from(1)),
        _ranked(1),
        ("unique({0})",),
    ),
    Family(
        "permutation({0}, 0..n-1)",
        "may {0} be other than an order of 0 to its length less one?",
        _listed(_counts_from(0)),
        _ranked(0),
        ("unique({0})",),
    ),
)
COLUMN_FAMILIES = LIST_FAMILIES[:3]
