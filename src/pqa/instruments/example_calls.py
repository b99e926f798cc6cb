"""Example calls: the calls that the task's own examples make, pooled with those that the tests make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pqa.core.recording import Call, Trace
from pqa.instruments.common_surface import Shared
from pqa.instruments.task_examples import Example, examples_of

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
    return [Call(str(one["call"]), tuple(one["args"]), dict(one["kwargs"]), UNKNOWN, test="example") for one in plain]


def _traces(example: Example, classes: set[str]) -> Sequence[Trace]:
    if len(example.setup) != 1 or example.setup[0].get("new") not in classes or example.touches_files:
        return []
    made = example.setup[0]
    calls = [
        Call(str(one["call"]), tuple(one["args"]), dict(one["kwargs"]), UNKNOWN, test="example")
        for one in example.calls
        if one["on"] == made["name"] and "call" in one
    ]
    return (
        [Trace(str(made["new"]), tuple(made["args"]), dict(made["kwargs"]), tuple(calls), test="example")]
        if calls
        else []
    )
