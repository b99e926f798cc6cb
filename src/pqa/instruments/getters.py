"""Getters: which methods look and do not touch, by every recorded call of every branch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.metamorphic import watched
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import kind_of, opaque
from pqa.instruments.relation_trials import Bench
from pqa.instruments.sequences import Habits

Case = Mapping[str, Json]
FEWEST = 2
MAXIMUM = 4


def getters_of(bench: Bench, habits: Habits, recorded: Sequence[Case]) -> list[str]:
    """The methods that, at the end of every recorded sequence and in every branch, give something and leave the whole
    state of the instance as it was; where the state cannot be seen, none."""
    names = [
        name
        for name, calls in habits.methods.items()
        if not name.startswith("__") and all(call.outcome.get("value") is not None for call in calls)
    ][:MAXIMUM]
    cases = [
        (name, watched(case, name))
        for name in names
        for case in recorded
        if any(call.get("call") == name for call in case["calls"])
    ]
    if not cases:
        return []
    seen = bench.run([case for _, case in cases])
    quiet = {
        name: sum(all(_is_quiet(run[at]) for run in seen.values()) for at, (one, _) in enumerate(cases) if one == name)
        for name in names
    }
    asked = {name: sum(one == name for one, _ in cases) for name in names}
    return [name for name in names if quiet[name] == asked[name] >= FEWEST]


def _is_quiet(observed: Observed) -> bool:
    """Whether the call before last gave something and the looks around it saw the same state, all of it."""
    if not observed.complete or len(observed.outcomes) < 3:
        return False
    before, given, after = observed.outcomes[-3:]
    if any(kind_of(one) != "value" for one in (before, given, after)) or opaque(before["value"]):
        return False
    return given["value"] is not None and canonical(before["value"]) == canonical(after["value"])
