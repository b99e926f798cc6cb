"""Filled: every combination of the values that a method's arguments take, once each, so that what can be full gets full."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import product
from math import prod

from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.inputs import Input
from pqa.instruments.methods import Method

MOST, TRIED = 12, 200
VALUES = 6
SMALL = 5
"""Whole numbers up to this are filled up from zero: indices, days, levels."""


def combinations_of(method: Method, chance: random.Random) -> list[Input]:
    """At most a dozen distinct inputs inside the contract, in a random order; none where fewer than three can be made."""
    seen = [one for one in method.pool("T0") if one.origin == "recorded" and one.form]
    forms = sorted({one.form for one in seen}, key=lambda form: (-sum(one.form == form for one in seen), form))
    if not forms:
        return []
    form = forms[0]
    values = [list(_values([one.args[place] for one in seen if one.form == form])) for place in range(len(form))]
    made = []
    for args in _together(values, chance):
        try:
            tier, broken = method.contract.tier(args, form)
        except (TypeError, ValueError):
            continue
        if tier == "T0":
            made.append(Input(tuple(args), form, tier, broken, "crossed"))
    return chance.sample(made, min(len(made), MOST)) if len(made) > 2 else []


def _together(values: Sequence[Sequence[Json]], chance: random.Random) -> Iterator[tuple[Json, ...]]:
    """Every combination; where these are too many, some of them."""
    if prod(map(len, values)) <= TRIED:
        yield from product(*values)
        return
    drawn = [tuple(chance.choice(options) for options in values) for _ in range(TRIED)]
    yield from {canonical(list(args)): args for args in drawn}.values()


def _values(seen: Sequence[Json]) -> Iterator[Json]:
    """The distinct values, in order; small whole numbers with all that lie below the greatest."""
    if all(type(value) is int and 0 <= value <= SMALL for value in seen):
        yield from range(max(seen) + 1)
        return
    yield from list({canonical(value): value for value in seen}.values())[:VALUES]
