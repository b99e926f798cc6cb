"""Shrink case: the shortest sequence of calls on which the branches still part in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from pqa.core.branch import Branch
from pqa.core.ports import Tools
from pqa.core.trigger import Json
from pqa.instruments.divergence import Split, group
from pqa.instruments.observation import CLASS_NODES, Observed, observe

Case = Mapping[str, Json]
MAXIMUM_ROUNDS = 12
TAKEN = 4
SECONDS = 20.0


def shrink_split(split: Split, branches: Mapping[str, Branch], tools: Tools) -> Split:
    """The split with calls dropped while it separates exactly the same groups.

    One branch a group is run for each try, and all for one that is to be taken. Tries share a process, so that one seen
    alone stays as it is.
    """
    if split.alone:
        return split
    chosen = [branches[members[0]] for members in split.groups]
    everyone = [branches[name] for members in split.groups for name in members]
    for _ in range(MAXIMUM_ROUNDS):
        candidates = [one for one in simpler(split.case) if _keeps_subject(split, one)]
        seen = _run(tools, chosen, candidates)
        apart = [one for one, each in zip(candidates, seen, strict=True) if _all_apart(each)][:TAKEN]
        whole = _run(tools, everyone, apart)
        found = next(
            (pair for pair in zip(apart, whole, strict=True) if set(group(pair[1])[0]) == set(split.groups)), None
        )
        if found is None:
            break
        split = replace(split, case=found[0], observed=found[1])
    return split


def _keeps_subject(split: Split, case: Case) -> bool:
    """Whether the call that breaks a method's relation is still made: without it the question would be another one."""
    method = split.subject.rpartition(".")[2]
    calls = [call for call in split.case["calls"] if call.get("call") == method and call.get("on")]
    return split.relation is None or not calls or calls[-1] in case["calls"]


def _run(tools: Tools, branches: Sequence[Branch], cases: Sequence[Case]) -> list[dict[str, Observed]]:
    if not cases:
        return []
    results = tools.side_by_side(
        lambda branch: observe(tools.zygote(branch), cases, seconds=SECONDS, nodes=CLASS_NODES), branches
    )
    seen = {branch.branch_id: found for branch, found in zip(branches, results, strict=True)}
    return [{name: found[index] for name, found in seen.items()} for index in range(len(cases))]


def _all_apart(seen: Mapping[str, Observed]) -> bool:
    groups, unknown = group(seen)
    late = any("timeout" in outcome for one in seen.values() for outcome in one.outcomes)
    return len(groups) == len(seen) and not unknown and not late


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
