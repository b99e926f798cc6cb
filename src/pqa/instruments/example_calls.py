"""Example calls: the calls that the task's own examples make, pooled with those that the tests make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pqa.core.recording import Call, Trace
from pqa.core.trigger import Json
from pqa.instruments.common_surface import Shared
from pqa.instruments.stated_example import Example
from pqa.instruments.task_examples import examples_of

EXAMPLE = "example"
"""What stands in the place of a test's name in a call that an example makes."""
UNKNOWN = {"value": {"$type": "other", "value": "stated"}}


def with_examples(shared: Shared, text: str) -> Shared:
    """What the branches share, with the task's examples as further calls and sequences inside the contract."""
    names = {name.rpartition(".")[2]: name for name in shared.offers}
    examples = examples_of(text, names)
    calls = [call for example in examples for call in _calls(example)]
    traces = [trace for example in examples for trace in _traces(example, {one.name for one in shared.classes})]
    return replace(shared, calls=(*shared.calls, *calls), traces=(*shared.traces, *traces))


def _calls(example: Example) -> Sequence[Call]:
    plain = [call for call in example.calls if call["on"] is None and "call" in call]
    if example.setup:
        return []
    return [Call(str(one["call"]), tuple(one["args"]), dict(one["kwargs"]), UNKNOWN, test=EXAMPLE) for one in plain]


def _traces(example: Example, classes: set[str]) -> Sequence[Trace]:
    """The example as the life of its one instance; values that it names stand where they are used."""
    values = {str(item["name"]): item["value"] for item in example.setup if "value" in item}
    made = [item for item in example.setup if "new" in item]
    if len(made) != 1 or made[0]["new"] not in classes or example.touches_files:
        return []
    values[str(made[0]["name"])] = {"$name": "subject"}
    built = _inlined({"args": made[0]["args"], "kwargs": made[0]["kwargs"]}, values)
    owner = f"{made[0]['new']}."
    mine = [_inlined(dict(one), values) for one in example.calls]
    mine = [one for one in mine if one["on"] == made[0]["name"] or str(one.get("call")).startswith(owner)]
    calls = tuple(_step(one, owner) for one in mine if "get" not in one)
    reads = tuple(dict.fromkeys(str(one["get"]) for one in mine if "get" in one))
    if not calls and not reads:
        return []
    return [Trace(str(made[0]["new"]), tuple(built["args"]), built["kwargs"], calls, test=EXAMPLE, reads=reads)]


def _inlined(value: Json, values: Mapping[str, Json]) -> Json:
    if isinstance(value, list):
        return [_inlined(item, values) for item in value]
    if not isinstance(value, dict):
        return value
    if "$name" in value:
        return values.get(str(value["$name"]), value)
    return {key: _inlined(item, values) for key, item in value.items()}


def _step(one: Mapping[str, Json], owner: str) -> Call:
    if "set" in one:
        return Call(str(one["set"]), (one["value"],), {}, {"value": None}, test=EXAMPLE, sets=True)
    return Call(str(one["call"]).removeprefix(owner), tuple(one["args"]), dict(one["kwargs"]), UNKNOWN, test=EXAMPLE)
