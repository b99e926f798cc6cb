"""Compared instances: two of a class, each built as the contract of the constructor allows, and what the class says of them."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations

from pqa.core.surface import Class
from pqa.core.trigger import Json
from pqa.instruments.drafts import Walk
from pqa.instruments.inputs import Input, oddness
from pqa.instruments.methods import Usage
from pqa.instruments.sequences import Habits

OPERATORS = {
    "__eq__": "operator.eq",
    "__lt__": "operator.lt",
    "__le__": "operator.le",
    "__gt__": "operator.gt",
    "__ge__": "operator.ge",
}
PAIRS, RECORDED = 40, 5
FAMILIAR = 0.3
"""How much of the oddness of its two constructions a comparison keeps: each of them is short."""


def comparisons(usage: Usage, habits: Habits, variants: Sequence[Class], chance: random.Random) -> list[Walk]:
    """At most forty pairs under the operators that most branches define; inside the contract where a test compares."""
    offered = [name for name in OPERATORS if _share(name, variants) > 0.5]
    if usage.clocked or not offered or not usage.made.contract.names:
        return []
    compared = {call.function for trace in habits.traces for call in trace.calls}
    tier = "T0" if compared & set(offered) else "T1"
    recorded = [list(call) for call in usage.made.contract.calls]
    return [
        Walk(_case(habits.class_name, usage, pair, offered), tier, oddness=_oddness(pair, recorded))
        for pair in _pairs(usage, chance)
    ]


def _share(name: str, variants: Sequence[Class]) -> float:
    return sum(any(method.name == name for method in one.methods) for one in variants) / max(len(variants), 1)


def _pairs(usage: Usage, chance: random.Random) -> Iterator[tuple[Input, Input]]:
    pool = usage.made.pool("T0")
    known = [one for one in pool if one.origin == "recorded"][:RECORDED]
    first = list(combinations(known, 2))
    rest = [pair for pair in combinations(pool, 2) if pair not in first]
    yield from [*first, *chance.sample(rest, min(len(rest), PAIRS - len(first)))]


def _case(class_name: str, usage: Usage, pair: tuple[Input, Input], offered: Sequence[str]) -> dict[str, Json]:
    names = ("one", "other")
    setup = [
        {"name": name, "new": class_name, **usage.made.arguments(built)}
        for name, built in zip(names, pair, strict=True)
    ]
    args = [{"$name": name} for name in names]
    calls: list[Json] = [{"on": None, "call": OPERATORS[name], "args": args, "kwargs": {}} for name in offered]
    return {"setup": setup, "calls": calls}


def _oddness(pair: tuple[Input, Input], recorded: Sequence[Sequence[Json]]) -> float:
    return FAMILIAR * sum(oddness(list(one.args), recorded) for one in pair if one.origin != "recorded")
