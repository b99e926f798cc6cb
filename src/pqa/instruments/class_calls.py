"""Class calls: methods called on the class itself, where examples do so or where most branches let callers do so."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pqa.core.recording import Call
from pqa.core.surface import Class
from pqa.instruments.drafts import Walk
from pqa.instruments.example_calls import EXAMPLE
from pqa.instruments.inputs import Input, oddness
from pqa.instruments.methods import Method, Usage

OF_A_CLASS = ("staticmethod", "classmethod")
SEVERAL = 12
UNUSUAL = 1.5
"""How odd it looks to call on the class what nobody shows to be called so."""


def class_calls(subject: str, usage: Usage, variants: Sequence[Class], calls: Sequence[Call]) -> Iterator[Walk]:
    """Single calls on the class: many, and inside the contract, of methods that the task's examples call so; one, and
    outside, of each of those that most branches which offer them make static or class methods. What tests do cannot tell: a
    static method is recorded in the same way when it is called on an instance."""
    shown = [call.function for call in calls if call.test == EXAMPLE and call.function.startswith(subject + ".")]
    direct = {name[len(subject) + 1 :] for name in shown}
    for method in usage.methods:
        if method.name in direct:
            yield from _walks(subject, method, method.inputs[:SEVERAL])
        elif _is_of_class(method.name, variants):
            yield from _walks(subject, method, method.pool("T0")[:1], outside=True)


def _is_of_class(name: str, variants: Sequence[Class]) -> bool:
    kinds = [method.kind for one in variants for method in one.methods if method.name == name]
    return len(kinds) > 1 and sum(kind in OF_A_CLASS for kind in kinds) * 2 > len(kinds)


def _walks(subject: str, method: Method, inputs: Collection[Input], *, outside: bool = False) -> Iterator[Walk]:
    recorded = [list(call) for call in method.contract.calls]
    for one in inputs:
        call = {"on": None, "call": f"{subject}.{method.name}", **method.arguments(one)}
        odd = 0.0 if one.origin == "recorded" else oddness(list(one.args), recorded)
        broken = one.broken[0] if one.tier == "T1" and one.broken else None
        tier = "T1" if outside or not method.known else one.tier
        case = {"setup": [], "calls": [call]}
        yield Walk(case, tier, method.name, broken, odd + UNUSUAL * outside, 0 if tier == "T1" else -1)
