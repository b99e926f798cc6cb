"""Rules: what must hold between the answers of one run, such as "if the first is True, the second is": `expect.rule`.

{"name": TEXT, "when": [[call, value], ...], "then": [[call, value], ...], "same": [[call, call], ...],
"least": [[call, number], ...], "renamed": {old: new}}: calls are counted from 0. Where every `when` holds, each `then`
must; the calls of a `same` pair must give the same value, after the words of the first were renamed; numbers are at least
`least`. A call that raises says nothing, since a rule compares values and may not ask that there be any: its pair is left
out, and a rule with such a `when` or `then` is not broken.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from pqa.core.trigger import Json
from pqa.instruments.outcomes import Difference, Outcome, kind_of, value_difference

Rule = Mapping[str, Json]


def rule_breaks(rule: Rule, outcomes: Sequence[Outcome]) -> bool | None:
    """Whether the answers contradict the rule; None where an answer cannot be read."""
    named = sorted({*_single(rule), *(place for pair in rule.get("same", ()) for place in pair)})
    if any(place >= len(outcomes) or kind_of(outcomes[place]) in ("unknown", "timeout") for place in named):
        return None
    if any("raises" in outcomes[place] for place in _single(rule)):
        return False
    if not all(_equal(outcomes[place]["value"], value) for place, value in rule.get("when", ())):
        return False
    return not all(_holds(rule, outcomes))


def _single(rule: Rule) -> Iterator[int]:
    for key in ("when", "then", "least"):
        yield from (place for place, _ in rule.get(key, ()))


def _holds(rule: Rule, outcomes: Sequence[Outcome]) -> Iterator[bool]:
    for place, value in rule.get("then", ()):
        yield _equal(outcomes[place]["value"], value)
    for left, right in rule.get("same", ()):
        if "value" in outcomes[left] and "value" in outcomes[right]:
            yield _equal(renamed(outcomes[left]["value"], rule.get("renamed", {})), outcomes[right]["value"])
    for place, number in rule.get("least", ()):
        value = outcomes[place]["value"]
        yield not isinstance(value, int | float) or value >= number


def _equal(left: Json, right: Json) -> bool:
    return value_difference(left, right) is not Difference.VALUE


def renamed(value: Json, names: Mapping[str, str]) -> Json:
    """The value with every word that is a name to change changed, in texts and in keys of dicts."""
    if not names:
        return value
    words = re.compile(
        "(?<![A-Za-z])(" + "|".join(sorted(map(re.escape, names), key=len, reverse=True)) + ")(?![A-Za-z])"
    )
    return _renamed(value, words, names)


def _renamed(value: Json, words: re.Pattern[str], names: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return words.sub(lambda found: names[found[0]], value)
    if isinstance(value, list):
        return [_renamed(item, words, names) for item in value]
    if not isinstance(value, dict) or "$name" in value:
        return value
    if "$type" in value:
        return {**value, "value": _renamed(value.get("value"), words, names)}
    return {_renamed(key, words, names): _renamed(item, words, names) for key, item in value.items()}
