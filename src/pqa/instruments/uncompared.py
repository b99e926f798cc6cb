"""Uncompared: what came back of a branch that cannot be put beside what the others did, and must not look clean for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pqa.core.finding import Note
from pqa.instruments.observation import Observed

SHARE = 10
"""From one case in this many on it is told."""


def uncompared(subject: str, observed: Mapping[str, Sequence[Observed]], cases: str) -> Iterator[Note]:
    """For each branch of which no case gave anything, or more than a few did not while another branch did: how many, and
    why."""
    known = [any(not _why(seen[place]) for seen in observed.values()) for place in range(_length(observed))]
    for name, seen in observed.items():
        reasons = [why for one, elsewhere in zip(seen, known, strict=True) if (why := _why(one)) and elsewhere]
        everywhere = [one.trouble or _why(one) for one in seen]
        told = everywhere if everywhere and all(everywhere) else reasons
        if told and len(told) * SHARE >= len(seen):
            why = Counter(told).most_common(1)[0][0]
            text = f"'{subject}': {len(told)} of {len(seen)} {cases} gave nothing to compare: {why}"
            yield Note("could-not-check", text, name)


def _length(observed: Mapping[str, Sequence[Observed]]) -> int:
    return len(next(iter(observed.values()), ()))


def _why(one: Observed) -> str:
    """Why nothing can be compared; "" where something can."""
    if one.trouble and not one.outcomes:
        return one.trouble
    skipped = [str(outcome["skipped"]) for outcome in one.outcomes if "skipped" in outcome]
    return skipped[0] if skipped and len(skipped) == len(one.outcomes) else ""
