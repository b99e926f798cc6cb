"""Missing test: a witness as the test that a suite lacks: green on the original, red on the mutant."""

from __future__ import annotations

import re

from pqa.core.stand_in import StandIn
from pqa.core.trigger import Json
from pqa.core.values import canonical, source_text
from pqa.instruments.mutant_witness import Witness
from pqa.instruments.outcomes import Difference, Outcome, describe, describe_vector, difference

CONTAINERS = ("dict", "set", "bytearray")
GIVEN = "given"


def missing_test(witness: Witness, function: str) -> str:
    """A pytest function as text; instances and clocks are built as the tests were seen to build them."""
    name = re.sub(r"\W+", "_", function).strip("_").lower() or "it"
    lines, modules = [f"def test_{name}_keeps_its_answer():"], []
    for item in witness.case["setup"]:
        if "clock" in item:
            lines += ["    now = [" + source_text(item["clock"]) + "]", f"    {item['name']} = lambda: now[0]"]
        elif "new" in item:
            modules.append(str(item["new"]))
            lines.append(f"    {item['name']} = {_call(str(item['new']).rpartition('.')[2], item)}")
        else:
            lines.append(f"    {item['name']} = {source_text(item.get('value'))}")
    for at, call in enumerate(witness.case["calls"]):
        if call.get("on") is None and "call" in call:
            modules.append(str(call["call"]))
        if call.get("at") is not None:
            lines.append(f"    now[0] = {source_text(call['at'])}")
        last = at == len(witness.case["calls"]) - 1
        lines += _last(call, witness) if last else [f"    {_step(call)}"]
    imports = [f"from {one.rpartition('.')[0]} import {one.rpartition('.')[2]}" for one in dict.fromkeys(modules)]
    if any("pytest.raises" in line for line in lines):
        imports.insert(0, "import pytest")
    return "\n".join([*imports, "", "", *lines])


def in_words(witness: Witness) -> tuple[str, str]:
    """What the original and the mutant give, for a person."""
    right, changed = describe_vector(witness.right[-1:]), describe_vector(witness.changed[-1:])
    effect = _effect(witness.case["calls"][-1], witness)
    if effect is None:
        return right, changed
    left, otherwise = source_text(effect[1]), source_text(effect[2])
    return f"{right}, with its argument left as {left},", f"{changed}, with its argument left as {otherwise}"


def _last(call: dict[str, Json], witness: Witness) -> list[str]:
    """The call that answers otherwise, or leaves an argument otherwise."""
    effect = _effect(call, witness)
    if effect is None and difference(witness.right[-1], witness.changed[-1]) is Difference.MUTATION:
        return [f"    {_step(call)}", "    # the change shows in an argument that is not written here: compare it"]
    if effect is None:
        return _checked(_step(call), witness.right[-1])
    place, left, _ = effect
    held: Json = {"$name": GIVEN}
    args, kwargs = list(call.get("args") or ()), dict(call.get("kwargs") or {})
    value = args[place] if isinstance(place, int) else kwargs[place]
    if isinstance(place, int):
        args[place] = held
    else:
        kwargs[place] = held
    step = _step({**call, "args": args, "kwargs": kwargs})
    return [f"    {GIVEN} = {source_text(value)}", f"    {step}", f"    assert {GIVEN} == {source_text(left)}"]


def _effect(call: dict[str, Json], witness: Witness) -> tuple[int | str, Json, Json] | None:
    """Where the answers are alike and an argument is not: its place, and how the original and the mutant leave it."""
    if difference(witness.right[-1], witness.changed[-1]) is not Difference.MUTATION:
        return None
    given: list[tuple[int | str, Json]] = [*enumerate(call.get("args") or ()), *(call.get("kwargs") or {}).items()]
    held = [(place, value) for place, value in given if _is_container(value)]
    before = [value for _, value in held]
    left, otherwise = (one[-1].get("mutated") or before for one in (witness.right, witness.changed))
    if not len(left) == len(otherwise) == len(held):
        return None
    differ = zip(held, left, otherwise, strict=True)
    return next(((place, a, b) for (place, _), a, b in differ if canonical(a) != canonical(b)), None)


def _is_container(value: Json) -> bool:
    """Whether an argument is one of which the harness looks at what a call leaves of it."""
    if isinstance(value, dict):
        return value.get("$type") in CONTAINERS or not any(key.startswith("$") for key in value)
    return isinstance(value, list)


def _checked(step: str, right: Outcome) -> list[str]:
    if "raises" in right:
        return [f"    with pytest.raises({right['raises']}):", f"        {step}"]
    value = right.get("value")
    if value is None or isinstance(value, bool):
        return [f"    assert {step} is {value}"]
    return [f"    assert {step} == {describe(right, 2_000)}"]


def _step(call: dict[str, Json]) -> str:
    holder = f"{call['on']}." if call.get("on") else ""
    if "set" in call:
        return f"{holder}{call['set']} = {source_text(call['value'])}"
    if "get" in call:
        return f"{holder}{call['get']}"
    name = str(call["call"])
    return holder + _call(name if holder else name.rpartition(".")[2], call)


def _call(name: str, item: dict[str, Json]) -> str:
    arguments = [_argument(value) for value in item.get("args", ())]
    arguments += [f"{key}={_argument(value)}" for key, value in (item.get("kwargs") or {}).items()]
    return f"{name}({', '.join(arguments)})"


def _argument(value: Json) -> str:
    if isinstance(value, dict) and "$name" in value:
        return str(value["$name"])
    if isinstance(value, dict) and value.get("$type") == "callable":
        return StandIn(canonical(value["value"])).expression(source_text)
    return source_text(value)
