"""Compared instances: two of a class under the operators that most branches define."""

from __future__ import annotations

import random

from pqa.core.recording import Trace
from pqa.core.surface import Class, Function, Parameter
from pqa.instruments.compared_instances import comparisons
from pqa.instruments.drafts import Walk
from pqa.instruments.methods import Source, usage_of
from pqa.instruments.sequences import habits_of

NAME = "version.Version"
OTHER = (Parameter("other", "POSITIONAL_OR_KEYWORD"),)
TRACES = tuple(Trace(NAME, (text,), {}, ()) for text in ("1.2", "1.3"))


def drawn(*dunders: str, without: int = 0) -> list[Walk]:
    text = (Parameter("text", "POSITIONAL_OR_KEYWORD"),)
    full = Class(NAME, text, tuple(Function(name, OTHER) for name in dunders))
    variants = [full, full, *[Class(NAME, text)] * without]
    usage = usage_of(variants, TRACES, (), Source((), "", 20), random.Random(0))
    habits = habits_of(NAME, TRACES)
    assert habits is not None
    return comparisons(usage, habits, variants, random.Random(0))


def test_recorded_instances_are_compared_first_and_then_built_ones() -> None:
    first, *rest = drawn("__lt__", "__eq__")
    built = [
        {"name": name, "new": NAME, "args": [text], "kwargs": {}} for name, text in (("one", "1.2"), ("other", "1.3"))
    ]
    args = [{"$name": "one"}, {"$name": "other"}]
    calls = [{"on": None, "call": f"operator.{name}", "args": args, "kwargs": {}} for name in ("eq", "lt")]
    assert (first.case, first.tier, first.oddness) == ({"setup": built, "calls": calls}, "T1", 0.0)
    assert len(rest) == 35
    assert all(walk.oddness > 0 for walk in rest)


def test_what_most_branches_do_not_define_is_not_asked() -> None:
    assert drawn("__add__", "__len__") == []
    assert drawn("__lt__", without=2) == []
    assert {call["call"] for walk in drawn("__lt__", without=1) for call in walk.case["calls"]} == {"operator.lt"}
