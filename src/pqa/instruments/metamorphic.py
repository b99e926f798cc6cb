"""Metamorphic: a case run twice in one process, the second time changed in a way that must not matter, and the rule.

Renaming: the same calls on a second instance, with other keys. Independence: the same calls on a second instance, beside
those of other keys. Idempotence: one call made twice in a row. Each rule compares answers of one run with each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.trigger import Json
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import kind_of
from pqa.instruments.renaming import Keys, names_for, renamed_arguments, with_forms

Case = Mapping[str, Json]
SUBJECT, OTHER = "subject", "other"


@dataclass(frozen=True, slots=True)
class Variation:
    """A case with the rule that its answers must keep."""

    case: Case
    rule: Mapping[str, Json]

    def telling(self, observed: Observed) -> int:
        """How many of its comparisons are between values that say something."""
        outcomes = observed.outcomes
        pairs = [pair for pair in self.rule["same"] if max(pair) < len(outcomes)]
        return sum(all(_tells(outcomes[place]) for place in pair) for pair in pairs)


def _tells(outcome: Mapping[str, Json]) -> bool:
    return kind_of(outcome) == "value" and outcome["value"] is not None


def renaming(base: Case, keys: Keys) -> Variation | None:
    """All answers are the same up to the new names."""
    names = names_for(base, keys)
    if names is None:
        return None
    again = [_on_other(renamed_arguments(call, names)) for call in base["calls"]]
    size = len(base["calls"])
    setup = _doubled(base["setup"], names)
    return _varied(
        f"renaming of {keys.parameter}", setup, [*base["calls"], *again], [[at, size + at] for at in range(size)], names
    )


def independence(base: Case, keys: Keys) -> Variation | None:
    """Answers about a key do not depend on what is done to other keys: before each call comes its copy for another."""
    names = names_for(base, keys)
    if names is None:
        return None
    calls, pairs = list(base["calls"]), []
    for place, call in enumerate(base["calls"]):
        keyed = bool(keys.of(call))
        if keyed:
            calls.append(_on_other(renamed_arguments(call, names)))
            pairs.append([place, len(calls)])
        calls.append(_on_other(call))
    setup = _doubled(base["setup"], {})
    return _varied(f"independence of {keys.parameter}", setup, calls, pairs, {})


def idempotence(base: Case, method: str) -> Variation | None:
    """The last call of the method, made twice in a row, gives the same twice."""
    places = [place for place, call in enumerate(base["calls"]) if call.get("call") == method]
    if not places:
        return None
    last = places[-1]
    calls = [*base["calls"][: last + 1], base["calls"][last]]
    return _varied(f"repeated {method}", base["setup"], calls, [[last, last + 1]], {})


def watched(base: Case, method: str) -> Case:
    """The calls up to the last one of the method, with a look at the instance's state before and after it."""
    last = max(place for place, call in enumerate(base["calls"]) if call.get("call") == method)
    look = {"on": SUBJECT, "get": "__dict__"}
    return {"setup": base["setup"], "calls": [*base["calls"][:last], look, base["calls"][last], look]}


def _varied(
    name: str, setup: Sequence[Json], calls: Sequence[Json], pairs: Sequence[Sequence[int]], names: Mapping[str, str]
) -> Variation | None:
    if not pairs:
        return None
    rule: dict[str, Json] = {"name": name, "same": [list(pair) for pair in pairs]}
    if names:
        rule["renamed"] = with_forms(names)
    return Variation({"setup": list(setup), "calls": list(calls)}, rule)


def _doubled(setup: Sequence[Mapping[str, Json]], names: Mapping[str, str]) -> list[Mapping[str, Json]]:
    """The set-up with a second instance, built like the first."""
    second = [{**renamed_arguments(item, names), "name": OTHER} for item in setup if "new" in item]
    return [*setup, *second]


def _on_other(call: Mapping[str, Json]) -> Mapping[str, Json]:
    return {**call, "on": OTHER} if call.get("on") == SUBJECT else call
