"""Shrink case: the shortest sequence of calls on which the branches still part in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from pqa.core.branch import Branch
from pqa.core.ports import Tools
from pqa.core.trigger import Json
from pqa.instruments.divergence import Split, group
from pqa.instruments.observation import Observed, observe

Case = Mapping[str, Json]
MAXIMUM_ROUNDS = 12
SECONDS = 20.0


def shrink_split(split: Split, branches: Mapping[str, Branch], tools: Tools) -> Split:
    """The split with calls dropped and times lowered while it separates exactly the same groups."""
    involved = [branches[name] for members in split.groups for name in members]

    def still(cases: Sequence[Case]) -> list[Split | None]:
        seen = dict(zip(
            (branch.branch_id for branch in involved),
            tools.side_by_side(lambda branch: observe(tools.zygote(branch), cases, seconds=SECONDS), involved),
            strict=True,
        ))  # fmt: skip
        return [
            _same(split, case, {name: observed[index] for name, observed in seen.items()})
            for index, case in enumerate(cases)
        ]

    best = split
    for _ in range(MAXIMUM_ROUNDS):
        candidates = list(simpler(best.case))
        found = next((one for one in still(candidates) if one is not None), None) if candidates else None
        if found is None:
            break
        best = found
    return best


def _same(split: Split, case: Case, seen: Mapping[str, Observed]) -> Split | None:
    groups, _ = group(seen)
    return replace(split, case=case, observed=seen) if set(groups) == set(split.groups) else None


def simpler(case: Case) -> Iterator[Case]:
    """Shorter cases, the shortest first: halves, then one call less, then all times moved to begin at the set-up's."""
    calls = list(case["calls"])
    for size in (len(calls) // 2, len(calls) // 4):
        for start in range(0, len(calls), size or 1) if size > 1 else ():
            yield {**case, "calls": calls[:start] + calls[start + size :]}
    for position in range(len(calls) - 1, -1, -1):
        if len(calls) > 1:
            yield {**case, "calls": calls[:position] + calls[position + 1 :]}


def shrink_case(case: Case, holds: Callable[[Sequence[Case]], Sequence[bool]]) -> Case:
    """The simplest case that `holds`, tried in batches; `case` itself must hold."""
    best = case
    for _ in range(MAXIMUM_ROUNDS * 2):
        candidates = [one for one in simpler(best) if one["calls"]]
        kept = holds(candidates) if candidates else []
        found = next((one for one, ok in zip(candidates, kept, strict=True) if ok), None)
        if found is None:
            break
        best = found
    return best
