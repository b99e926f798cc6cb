"""Burst left: a mended clock origin is not a mended limit: does a span still let through more than its limit says?"""

from __future__ import annotations

from collections.abc import Sequence

from pqa.core.errors import GuestLost
from pqa.core.trigger import Json, Trigger
from pqa.instruments.burst import Burst, admitted_at_once, measure
from pqa.instruments.family import Side
from pqa.instruments.observation import Case, Observed, case_of, observe

LARGEST = 32
SHARES = (8, 4, 2)


def burst_left(trigger: Trigger, past: Side, patched: Side, passing: Sequence[Side]) -> str:
    """In words, the worst burst over the limit on the patched copy; "" when there is none, when the branch's own trigger
    was not about one, or when no sibling that passes the trigger keeps the limit on the same calls."""
    case = case_of(trigger)
    if (trigger.expect or {}).get("relation") != "time-shift" or not case["calls"]:
        return ""
    limit = _limit(past, case)
    if limit is None or not _over(past, [case], limit):
        return ""
    cases = list(_edges(case, limit))
    worst = _over(patched, cases, limit)
    if not worst or not any(_over(side, cases, limit) == [] for side in passing):
        return ""
    most = max(worst, key=lambda burst: burst.count)
    return f"it still lets {most.count} through within {most.span:g}, {most.times} of {limit}"


def _observed(side: Side, cases: Sequence[Case]) -> list[Observed]:
    try:
        return observe(side.zygote(), cases)
    except GuestLost as error:
        return [Observed(trouble=str(error))] * len(cases)


def _arguments(case: Case) -> dict[str, Json]:
    made = case["setup"][-1]
    return {**{str(place): value for place, value in enumerate(made.get("args", ()))}, **(made.get("kwargs") or {})}


def _limit(side: Side, case: Case) -> int | None:
    """How many of the same calls one instant admits, if that is a number that the constructor was given."""
    numbers = [one for one in _arguments(case).values() if type(one) is int and 0 < one <= LARGEST]
    if not numbers:
        return None
    seen = _observed(side, [{**case, "calls": [case["calls"][0]] * (max(numbers) + 1)}])[0]
    admitted = admitted_at_once(seen.outcomes) if seen.complete else None
    return admitted if admitted in numbers else None


def _over(side: Side, cases: Sequence[Case], limit: int) -> list[Burst] | None:
    """The bursts over the limit; None when a case could not be observed."""
    found = []
    for case, seen in zip(cases, _observed(side, cases), strict=True):
        if not seen.complete:
            return None
        burst = measure(case, seen.outcomes, _arguments(case), limit)
        found += [burst] if burst is not None and burst.over else []
    return found


def _edges(case: Case, limit: int) -> list[Case]:
    """The trigger's calls, and bursts before and after the end of a span that begins with a first call."""
    numbers = [
        float(one) for one in _arguments(case).values() if isinstance(one, int | float) and one not in (True, limit)
    ]
    call, cases = case["calls"][0], [case]
    begin = float(call.get("at") or 0.0)
    for span in numbers:
        for share in SHARES:
            times = [begin, *[begin + span - span / share] * limit, *[begin + span] * limit]
            cases.append({**case, "calls": [{**call, "at": time} for time in times]})
    return cases
