"""Seen calls: what the tests showed of one function: its distinct calls, and what each branch answered in its test run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.branch import Branch
from pqa.core.ports import Tools
from pqa.core.recording import Call
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import SEPARATING, Difference, Outcome, difference, kind_of

Case = Mapping[str, Json]
MOST_CALLS = 40
LARGEST_CALL = 4_000


@dataclass(slots=True)
class Seen:
    """`calls` are distinct; `recorded` are answers in the test run by branch and call, `order` the calls of each branch's
    first suite as they came."""

    function: str
    calls: list[Call] = field(default_factory=list)
    recorded: dict[str, dict[int, Outcome]] = field(default_factory=dict)
    order: dict[str, list[int]] = field(default_factory=dict)

    @property
    def cases(self) -> list[Case]:
        """The calls as cases."""
        return [case_of_call(call) for call in self.calls]

    def settled(self, name: str) -> Mapping[int, Outcome]:
        """What a branch answered in its test run, by call."""
        return self.recorded.get(name, {})


def case_of_call(call: Call) -> Case:
    """The case that makes one recorded call."""
    one = {"on": None, "call": call.function, "args": list(call.args), "kwargs": dict(call.kwargs)}
    return {"setup": [], "calls": [one]}


def seen_calls(tools: Tools, function: str, branches: Sequence[Branch]) -> Seen:
    """The distinct replayable calls of a function in the branches' suites."""
    seen = Seen(function)
    places: dict[str, int] = {}
    for branch in branches:
        told: dict[int, Outcome] = {}
        unsure: set[int] = set()
        for number, calls in enumerate(_suites(tools, branch, function)):
            for call in calls:
                place = _place(seen, places, call)
                if place is None:
                    continue
                if number == 0:
                    seen.order.setdefault(branch.branch_id, []).append(place)
                if place in told and not same(told[place], call.outcome):
                    unsure.add(place)
                told.setdefault(place, call.outcome)
        seen.recorded[branch.branch_id] = {place: one for place, one in told.items() if place not in unsure}
    return seen


def _suites(tools: Tools, branch: Branch, function: str) -> Iterator[list[Call]]:
    verification = tools.verification(branch)
    for suite in (verification.locked, verification.own):
        found = [call for call in suite.recording.calls if call.function == function] if suite is not None else []
        found = [call for call in found if call.replayable and call.at is None]
        if found:
            yield found


def _place(seen: Seen, places: dict[str, int], call: Call) -> int | None:
    key = canonical([list(call.args), dict(call.kwargs)])
    if key not in places:
        if len(seen.calls) >= MOST_CALLS or len(key) > LARGEST_CALL:
            return None
        places[key] = len(seen.calls)
        seen.calls.append(call)
    return places[key]


def same(left: Outcome, right: Outcome) -> bool:
    """Whether two outcomes are alike as far as can be told."""
    return difference(left, right) not in SEPARATING


def gives(observed: Observed, right: Outcome) -> bool:
    """Whether one call for sure gave this value."""
    if not observed.complete or kind_of(right) != "value":
        return False
    found = difference(right, observed.outcomes[-1])
    return found not in SEPARATING and found not in (Difference.UNKNOWN, Difference.EXCEPTION_TYPE)


def parts_from(observed: Observed, right: Outcome) -> bool:
    """Whether one call for sure did otherwise: another value, or an exception that was not raised on purpose."""
    if not observed.complete or kind_of(right) != "value":
        return False
    last = observed.outcomes[-1]
    if "timeout" in last or last.get("own") is True:
        return False
    return difference(right, last) in SEPARATING
