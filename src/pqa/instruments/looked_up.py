"""Looked up: a declared name as a case that asks for it, after a call that the tests show and that runs code of the branch."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.recording import Call
from pqa.core.trigger import Json
from pqa.instruments.common_surface import Shared
from pqa.instruments.declared_names import Declared
from pqa.instruments.sequences import habits_of, recorded_cases

Case = Mapping[str, Json]
HOLDER = "holder"


@dataclass(frozen=True, slots=True)
class LookUp:
    """The case ends by reading the name from an instance, a class or a module."""

    declared: Declared
    case: Case


def look_ups(wanted: Sequence[Declared], shared: Shared) -> list[LookUp]:
    """A case for every declared name that some branch's tests come near enough to; for the rest there is none."""
    found = []
    homes = {dotted.rpartition(".")[2]: dotted.rpartition(".")[0] for dotted in shared.offers}
    beside = next((homes[one.name] for one in wanted if not one.owner and one.name in homes), "")
    for one in wanted:
        case = _of_member(one, shared) if one.owner else _of_module(one, homes.get(one.name, beside), shared)
        if case is not None:
            found.append(LookUp(one, case))
    return found


def _of_member(one: Declared, shared: Shared) -> Case | None:
    """Read from an instance that the tests build, after their first call on it; or from the class that they call."""
    for found in shared.classes:
        if found.name.rpartition(".")[2] != one.owner:
            continue
        habits = habits_of(found.name, shared.traces)
        cases = [case for case in recorded_cases(habits) if case["calls"]] if habits is not None else []
        if cases:
            shortest = min(cases, key=lambda case: len(case["calls"]))
            return {"setup": list(shortest["setup"]), "calls": [shortest["calls"][0], _read("subject", one.name)]}
        before = next(_calls(shared.calls, found.name + "."), None)
        if before is not None:
            return _read_after(found.name, before, one.name)
    return None


def _of_module(one: Declared, home: str, shared: Shared) -> Case | None:
    """Read from the module in which branches define it, or what is declared beside it, after a call of something else
    that is defined there."""
    before = next(_calls(shared.calls, home + ".", apart_from=f"{home}.{one.name}"), None) if home else None
    return _read_after(home, before, one.name) if before is not None else None


def _calls(calls: Sequence[Call], start: str, apart_from: str = "") -> Iterator[Call]:
    kept = (call for call in calls if call.replayable and call.function.startswith(start))
    return (call for call in kept if call.function != apart_from and "value" in call.outcome)


def _read_after(holder: str, before: Call, name: str) -> Case:
    setup = [{"name": HOLDER, "value": {"$type": "public", "value": holder}}]
    call = {"on": None, "call": before.function, "args": list(before.args), "kwargs": dict(before.kwargs)}
    return {"setup": setup, "calls": [call, _read(HOLDER, name)]}


def _read(holder: str, name: str) -> dict[str, Json]:
    return {"on": holder, "get": name}
