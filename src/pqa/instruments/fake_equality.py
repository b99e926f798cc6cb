"""Fake equality: does a branch answer its tests with an object that equals everything, so that no comparison can fail?

The trigger's calls are made, and the object is compared with things made just now in the process that holds it; it says
of itself that it equals them, which no value that the tests could want does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.ports import Zygote
from pqa.core.recording import Call, Recording, Trace
from pqa.core.trigger import Json, Trigger
from pqa.instruments.observation import Case, Observed, case_of, observe
from pqa.instruments.outcomes import kind_of
from pqa.instruments.seen_calls import case_of_call

MOST_CASES = 10
CALL_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class Liar:
    """The call, the class of the object that it gives, and the case that shows it."""

    function: str
    class_name: str
    case: Case


def opaque_cases(recording: Recording) -> list[tuple[str, Case]]:
    """The first recorded call of each function or method whose answer has no plain form: only there can equality be faked."""
    found: dict[str, Case] = {}
    for call in recording.calls:
        if call.replayable and call.at is None and _hides(call):
            found.setdefault(call.function, case_of_call(call))
    for trace in recording.traces:
        plain = trace.replayable and not trace.clocked and all(one.replayable and not one.sets for one in trace.calls)
        for place, one in enumerate(trace.calls if plain else ()):
            if _hides(one):
                found.setdefault(f"{trace.class_name}.{one.function}", _case(trace, place))
    return list(found.items())[:MOST_CASES]


def _hides(call: Call) -> bool:
    return "value" in call.outcome and kind_of(call.outcome) == "unknown"


def _case(trace: Trace, place: int) -> Case:
    """One instance's life up to a call."""
    made = {"name": "it", "new": trace.class_name, "args": list(trace.args), "kwargs": dict(trace.kwargs)}
    calls = [
        {"on": "it", "call": one.function, "args": list(one.args), "kwargs": dict(one.kwargs)}
        for one in trace.calls[: place + 1]
    ]
    return {"setup": [made], "calls": calls}


def find_liars(zygote: Zygote, cases: Sequence[tuple[str, Case]]) -> list[Liar]:
    """Those of the cases whose answer equals everything."""
    seen = _observed(zygote, [case for _, case in cases])
    return [
        Liar(function, name, case)
        for (function, case), one in zip(cases, seen, strict=True)
        for name in list(_liars(list(one.outcomes[-1:])))[:1]
    ]


def gives_plain(zygote: Zygote, case: Case) -> bool:
    """Whether a branch answers the case with a plain value, which can be compared."""
    one = _observed(zygote, [case])[0]
    return one.complete and kind_of(one.outcomes[-1]) == "value"


def show_equality(zygote: Zygote, trigger: Trigger, *, inert: bool) -> tuple[bool | None, str]:
    """Shown: the answer equals everything. An inert double answers nothing."""
    if inert:
        return False, "inert"
    one = _observed(zygote, [case_of(trigger)])[0]
    if not one.complete:
        return None, one.trouble
    names = list(_liars(list(one.outcomes)))
    return bool(names), f"its answer is a {names[0]} that equals everything" if names else "its answer can be compared"


def _observed(zygote: Zygote, cases: Sequence[Case]) -> list[Observed]:
    return observe(zygote, cases, call_seconds=CALL_SECONDS, kind="fake_equality") if cases else []


def _liars(form: Json) -> Iterator[str]:
    if isinstance(form, list):
        for item in form:
            yield from _liars(item)
    elif isinstance(form, Mapping):
        if form.get("everything") is True and "$type" in form:
            yield str(form.get("class") or form.get("value"))[:80]
        for item in form.values():
            yield from _liars(item)
