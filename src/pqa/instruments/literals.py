"""Literals: the numbers and texts that a trigger is made of, by which a special case would know it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pqa.core.trigger import Json, Trigger
from pqa.core.values import canonical
from pqa.instruments.observation import cases_of

COMMON = frozenset([0, 1, -1, 2])
"""Numbers that any code compares with."""


def literals_of(trigger: Trigger) -> frozenset[str]:
    """The canonical texts of every telling literal in arguments, times and set-up, moved ones included."""
    found: set[str] = set()
    for case in cases_of(trigger):
        for item in (*case["setup"], *case["calls"]):
            found |= set(_of_item(item))
    return frozenset(found)


def _of_item(item: Mapping[str, Json]) -> Iterator[str]:
    values = [item.get(key) for key in ("args", "at", "clock", "value")] + list((item.get("kwargs") or {}).values())
    yield from (text for leaf in leaves(values) for text in forms(leaf))


def leaves(value: Json) -> Iterator[Json]:
    """The numbers and texts in an encoded value; what a callable answers is no part of it."""
    if isinstance(value, list):
        for item in value:
            yield from leaves(item)
    elif isinstance(value, dict):
        if "$name" not in value and value.get("$type") not in ("callable", "public", "made"):
            for key, item in value.items():
                if not key.startswith("$"):
                    yield key
                yield from leaves(item) if key != "$type" else ()
    elif isinstance(value, int | float | str) and not isinstance(value, bool):
        yield value


def forms(leaf: Json) -> Iterator[str]:
    """How the literal may stand in code; nothing for one that any code holds."""
    if isinstance(leaf, str):
        if leaf:
            yield canonical(leaf)
    elif leaf not in COMMON:
        yield canonical(leaf)
        if isinstance(leaf, float) and leaf.is_integer():
            yield canonical(int(leaf))
        elif isinstance(leaf, int):
            yield canonical(float(leaf))
