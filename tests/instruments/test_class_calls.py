"""Class calls: methods called on the class itself, inside the contract where an example shows it, and outside elsewhere."""

from __future__ import annotations

import random
from dataclasses import replace

from pqa.core.recording import Call
from pqa.core.surface import Class, Function, Parameter
from pqa.instruments.class_calls import class_calls
from pqa.instruments.drafts import Walk
from pqa.instruments.methods import Source, usage_of

NAME = "shelf.Shelf"
STATIC = Function("slug", (Parameter("name", "POSITIONAL_OR_KEYWORD"),), kind="staticmethod")
BOUND = replace(STATIC, kind="method")
TOLD = tuple(Call(f"{NAME}.slug", (name,), {}, {"value": None}) for name in ("a b", "c d", "e f", "g h"))


def drawn(*kinds: Function, calls: tuple[Call, ...] = TOLD) -> list[Walk]:
    variants = [Class(NAME, (), (kind,)) for kind in kinds]
    usage = usage_of(variants, (), calls, Source((), "", 20), random.Random(0))
    return list(class_calls(NAME, usage, variants, calls))


def on_class(name: str) -> dict[str, object]:
    return {"setup": [], "calls": [{"on": None, "call": f"{NAME}.slug", "args": [name], "kwargs": {}}]}


def test_a_method_that_most_branches_make_static_is_called_on_the_class_once_outside_the_contract() -> None:
    found = drawn(STATIC, STATIC, BOUND)
    assert [(walk.case, walk.tier, walk.method, walk.relation) for walk in found] == [
        (on_class("a b"), "T1", "slug", None)
    ]


def test_a_method_that_only_half_of_the_branches_make_static_is_not_called_on_the_class() -> None:
    assert drawn(STATIC, BOUND) == []


def test_what_an_example_calls_on_the_class_is_inside_the_contract() -> None:
    shown = tuple(replace(call, test="example") for call in TOLD)
    found = drawn(BOUND, BOUND, calls=shown)
    assert [(walk.case, walk.tier) for walk in found[:4]] == [
        (on_class(name), "T0") for name in ("a b", "c d", "e f", "g h")
    ]
    assert len(found) == 12
