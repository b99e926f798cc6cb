"""Function trials: run one function of all branches on inputs in and around its contract, and keep where they part."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.finding import Note
from pqa.core.ports import Tools
from pqa.core.surface import Function
from pqa.core.task import Brief
from pqa.core.trigger import Json
from pqa.instruments.common_surface import Shared
from pqa.instruments.contract import Contract, learn, relation_question
from pqa.instruments.divergence import Split, Tally, group
from pqa.instruments.generate import generate
from pqa.instruments.inputs import Input, oddness
from pqa.instruments.observation import Observed, observe
from pqa.instruments.outcomes import kind_of

Case = Mapping[str, Json]
CALL_SECONDS = 0.3
ALONE_SECONDS = 1.5
SECONDS = 30.0
RECHECKED = 2
UNCHANGED_SHARE = 6


def function_splits(
    brief: Brief, tools: Tools, shared: Shared, function: Function, tally: Tally
) -> tuple[list[Split], list[Note]]:
    """The splits of one function, and what could not be checked."""
    branches = shared.offering(function.name)
    recorded = any(call.function == function.name for call in shared.calls)
    if len(branches) < 2 or tools.expired(brief) or not (recorded or shared.changed(function.name)):
        return [], []
    variants = shared.variants[function.name]
    contract = learn(variants, shared.calls, function=function.name, prose=brief.task.text)
    trials = brief.trials if shared.changed(function.name) else max(8, brief.trials // UNCHANGED_SHARE)
    chance = random.Random(f"{brief.seed}:{function.name}")
    inputs = list(generate(contract, literals=shared.literals, prose=brief.task.text, trials=trials, random=chance))
    inputs = [one for one in inputs if one.tier in ("T0", "T1")]
    cases = [case_of_input(contract, one) for one in inputs]
    if not cases:
        return [], [Note("could-not-check", f"'{function.name}': no input of it can be built from what the tests show")]
    seen = _observe_all(tools, branches, cases)
    notes = [
        _lost(function.name, name, observed) for name, observed in seen.items() if all(one.trouble for one in observed)
    ]
    splits = []
    for index, (one, case) in enumerate(zip(inputs, cases, strict=True)):
        split = _split(
            function.name, contract, one, case, {name: observed[index] for name, observed in seen.items()}, tally
        )
        if split is not None:
            splits.append(split)
    return splits, notes


def case_of_input(contract: Contract, one: Input) -> Case:
    """The case that calls the contract's function with an input."""
    args, kwargs = contract.unbind(one.args, one.form)
    call = {"on": None, "call": contract.function, "args": list(args), "kwargs": kwargs}
    return {"setup": [], "calls": [call]}


def _split(
    subject: str, contract: Contract, one: Input, case: Case, seen: Mapping[str, Observed], tally: Tally
) -> Split | None:
    if _refused(seen):
        return None
    groups, unknown = group(seen)
    tally.count(groups, seen, one.tier)
    if len(groups) < 2:
        return None
    relation = relation_question(one.broken[0]) if one.tier == "T1" and one.broken else None
    odd = oddness(list(one.args), [list(call) for call in contract.calls])
    return Split(subject, case, groups, seen, one.tier, relation, odd, unknown)


def _refused(seen: Mapping[str, Observed]) -> bool:
    """Whether more than half of the branches raise: then the input is not one that callers may give."""
    known = [one for one in seen.values() if one.complete]
    return sum(kind_of(one.outcomes[-1]) == "raises" for one in known) * 2 > len(known)


def _observe_all(tools: Tools, branches: Sequence[Branch], cases: Sequence[Case]) -> dict[str, list[Observed]]:
    def run(branch: Branch) -> list[Observed]:
        seen = observe(tools.zygote(branch), cases, call_seconds=CALL_SECONDS, seconds=SECONDS)
        return _rechecked(tools, branch, cases, seen)

    return {branch.branch_id: seen for branch, seen in zip(branches, tools.side_by_side(run, branches), strict=True)}


def _rechecked(tools: Tools, branch: Branch, cases: Sequence[Case], seen: list[Observed]) -> list[Observed]:
    """A call that ran out of its time counts only if it does so again, alone, with much more time."""
    late = [index for index, one in enumerate(seen) if any("timeout" in outcome for outcome in one.outcomes)]
    for number, index in enumerate(late):
        if number >= RECHECKED:
            seen[index] = Observed(trouble="it ran out of time and was not tried again")
            continue
        seen[index] = observe(tools.zygote(branch), [cases[index]], call_seconds=ALONE_SECONDS, seconds=SECONDS)[0]
    return seen


def _lost(subject: str, branch_id: str, observed: Sequence[Observed]) -> Note:
    return Note("could-not-check", f"'{subject}' could not be called: {observed[0].trouble}", branch_id)
