"""Rules: what must hold between the answers of one run, such as "if the first is True, the second is": `expect.rule`.

{"name": TEXT, "when": [[call, value], ...], "then": [[call, value], ...], "same": [[call, call], ...],
"least": [[call, number], ...], "renamed": {old: new}}: calls are counted from 0. Where every `when` holds, each `then`
must; the calls of a `same` pair must give the same value, after the texts of the first were renamed; numbers are at least
`least`. A call that raises says nothing, since a rule compares values and may not ask that there be any.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pqa.core.trigger import Json
from pqa.instruments.outcomes import Difference, Outcome, kind_of, value_difference

Rule = Mapping[str, Json]


def rule_breaks(rule: Rule, outcomes: Sequence[Outcome]) -> bool | None:
    """Whether the answers contradict the rule; None where an answer cannot be read."""
    named = sorted(set(_calls_of(rule)))
    if any(place >= len(outcomes) or kind_of(outcomes[place]) in ("unknown", "timeout") for place in named):
        return None
    if any("raises" in outcomes[place] for place in named):
        return False
    values = {place: outcomes[place]["value"] for place in named}
    if not all(_equal(values[place], value) for place, value in rule.get("when", ())):
        return False
    return not all(_holds(rule, values))


def _calls_of(rule: Rule) -> Iterator[int]:
    for key in ("when", "then", "least"):
        yield from (place for place, _ in rule.get(key, ()))
    for pair in rule.get("same", ()):
        yield from pair


def _holds(rule: Rule, values: Mapping[int, Json]) -> Iterator[bool]:
    for place, value in rule.get("then", ()):
        yield _equal(values[place], value)
    for left, right in rule.get("same", ()):
        yield _equal(renamed(values[left], rule.get("renamed", {})), values[right])
    for place, number in rule.get("least", ()):
        yield not isinstance(values[place], int | float) or values[place] >= number


def _equal(left: Json, right: Json) -> bool:
    return value_difference(left, right) is not Difference.VALUE


def renamed(value: Json, names: Mapping[str, str]) -> Json:
    """The value with every text that is a name to change changed, keys of dicts included; texts within texts stay."""
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [renamed(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    if "$name" in value:
        return value
    if "$type" in value:
        return {**value, "value": renamed(value.get("value"), names)}
    return {names.get(key, key): renamed(item, names) for key, item in value.items()}
