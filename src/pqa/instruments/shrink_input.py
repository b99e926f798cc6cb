"""Shrink input: the plainest input of one function, of the same tier, on which the branches still part in the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pqa.core.branch import Branch
from pqa.core.ports import Tools
from pqa.instruments.contract import Contract
from pqa.instruments.divergence import Split, group
from pqa.instruments.function_trials import CALL_SECONDS, SECONDS, Case, case_of_input
from pqa.instruments.inputs import Input, oddness
from pqa.instruments.observation import Observed, observe
from pqa.instruments.outcomes import kind_of
from pqa.instruments.shrink import Shrinker

ROUNDS, BATCH = 5, 40


def shrink_input(split: Split, found: Input, contract: Contract, branches: Mapping[str, Branch], tools: Tools) -> Split:
    """The split on a plainer input, on which the same groups part, each by the same kind of outcome.

    One branch a group is run for each try; in the end all are, and if they part otherwise then, the split stays.
    """
    if any("timeout" in outcome for one in split.observed.values() for outcome in one.outcomes):
        return split
    chosen = [members[0] for members in split.groups]
    kinds = _kinds(split.observed, chosen)
    shrinker = Shrinker(found, contract, rounds=ROUNDS, size=BATCH)
    while batch := shrinker.batch():
        seen = _run(tools, branches, chosen, [case_of_input(contract, one) for one in batch])
        shrinker.report([_parts(one, len(chosen)) and _kinds(one, chosen) == kinds for one in seen])
    best = shrinker.best
    if best is found:
        return split
    case = case_of_input(contract, best)
    (whole,) = _run(tools, branches, [name for members in split.groups for name in members], [case])
    if set(group(whole)[0]) != set(split.groups):
        return split
    odd = oddness(list(best.args), [list(call) for call in contract.calls])
    relation = best.broken[0] if best.tier == "T1" and best.broken else None
    return replace(split, case=case, observed=whole, relation=relation, oddness=odd)


def _kinds(seen: Mapping[str, Observed], names: Sequence[str]) -> list[tuple[str, object]]:
    """How each branch's call ends: with a value, or by an exception of its own or not."""
    ends = [seen[name].outcomes[0] if seen[name].outcomes else {} for name in names]
    return [(kind_of(end), end.get("own")) for end in ends]


def _parts(seen: Mapping[str, Observed], count: int) -> bool:
    groups, unknown = group(seen)
    return len(groups) == count and not unknown


def _run(
    tools: Tools, branches: Mapping[str, Branch], names: Sequence[str], cases: Sequence[Case]
) -> list[dict[str, Observed]]:
    def run(name: str) -> list[Observed]:
        return observe(tools.zygote(branches[name]), cases, call_seconds=CALL_SECONDS, seconds=SECONDS)

    seen = dict(zip(names, tools.side_by_side(run, names), strict=True))
    return [{name: found[index] for name, found in seen.items()} for index in range(len(cases))]
