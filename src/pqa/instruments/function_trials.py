"""Function trials: run one function of all branches on inputs in and around its contract, and keep where they part."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.finding import Note
from pqa.core.ports import Tools
from pqa.core.surface import Function
from pqa.core.task import Brief
from pqa.core.trigger import Json
from pqa.instruments.annotations import unbuildable
from pqa.instruments.common_surface import Shared
from pqa.instruments.contract import Contract, learn
from pqa.instruments.divergence import Split, group
from pqa.instruments.generate import generate
from pqa.instruments.inputs import Input, oddness
from pqa.instruments.iterated import iterated
from pqa.instruments.observation import Observed, observe
from pqa.instruments.outcomes import kind_of
from pqa.instruments.regularities import Example, example_of, regularities
from pqa.instruments.relations import Relation
from pqa.instruments.stand_ins import with_logs
from pqa.instruments.uncompared import uncompared

Case = Mapping[str, Json]
CALL_SECONDS = 0.3
ALONE_SECONDS = 1.5
SECONDS = 30.0
RECHECKED = 2
UNCHANGED_SHARE = 6
MOSTLY_REFUSED = 4


@dataclass(frozen=True, slots=True)
class Tried:
    """Where the branches part on one function, what could not be checked, how many inputs were tried (`inside` the
    contract), the contract that was learned, and what holds of every answer inside it that all branches gave alike."""

    splits: tuple[Split, ...] = ()
    notes: tuple[Note, ...] = ()
    inputs: int = 0
    inside: int = 0
    contract: Contract | None = None
    regular: tuple[Relation, ...] = ()

    @property
    def support(self) -> int:
        """From how many distinct calls the contract was learned."""
        return len(self.contract.calls) if self.contract is not None else 0


def try_function(brief: Brief, tools: Tools, shared: Shared, function: Function) -> Tried:
    """Run one function of all branches that offer it on the same inputs."""
    branches = shared.offering(function.name)
    recorded = any(call.function == function.name for call in shared.calls)
    if len(branches) < 2 or tools.expired(brief) or not (recorded or shared.changed(function.name)):
        return Tried()
    trial = function_trial(brief, tools, shared, function)
    inputs, cases = trial.inputs, trial.cases
    if not cases:
        why = f"'{function.name}': no input of it can be built from what the tests show"
        return Tried(notes=(Note("could-not-check", why),))
    seen = observe_all(tools, branches, cases)
    notes = list(uncompared(function.name, seen, "inputs"))
    answered = sum(_answered({name: observed[index] for name, observed in seen.items()}) for index in range(len(cases)))
    if answered * MOSTLY_REFUSED < len(cases):
        lost = f"{len(cases) - answered} of the {len(cases)} inputs that can be built"
        why = f"'{function.name}': {lost} are refused by most branches, or need more than the tests' callables answer"
        notes.append(Note("could-not-check", why))
    splits = []
    examples: list[Example] = []
    for index, (one, case) in enumerate(zip(inputs, cases, strict=True)):
        here = {name: observed[index] for name, observed in seen.items()}
        split = None if _closed(tools, function.name, one) else _split(trial.contract, one, case, here)
        if split is not None:
            splits.append(split)
        elif one.tier == "T0" and (example := example_of(trial.contract, one, here)) is not None:
            examples.append(example)
    regular = regularities(trial.contract, examples) if splits else ()
    inside = sum(one.tier == "T0" for one in inputs)
    return Tried(tuple(splits), tuple(notes), answered, inside, trial.contract, regular)


@dataclass(frozen=True, slots=True)
class Trial:
    """The contract of one function and the inputs to try on it, as cases."""

    contract: Contract
    inputs: tuple[Input, ...]
    cases: tuple[Case, ...]


def function_trial(brief: Brief, tools: Tools, shared: Shared, function: Function) -> Trial:
    """Learn a function's contract from all recorded calls and a person's lines, and draw inputs in and around it."""
    variants = shared.variants[function.name]
    contract = learn(variants, shared.calls, tools.agreed().lines, function=function.name, prose=brief.task.text)
    tools.keep_lines(contract.lines())
    trials = brief.trials if shared.changed(function.name) else max(8, brief.trials // UNCHANGED_SHARE)
    chance = random.Random(f"{brief.seed}:{function.name}")
    inputs = [] if unbuildable(variants, contract.names, contract.shapes) else [Input((), ())]
    if contract.names and inputs:
        made = generate(contract, literals=shared.literals, prose=brief.task.text, trials=trials, random=chance)
        inputs = [one for one in made if one.tier in ("T0", "T1")]
        inputs += iterated(contract, variants, brief.task.text, inputs)
    return Trial(contract, tuple(inputs), tuple(case_of_input(contract, one) for one in inputs))


def _closed(tools: Tools, function: str, one: Input) -> bool:
    """Whether somebody settled that inputs which break the same relation need not be asked about."""
    return one.tier == "T1" and bool(one.broken) and tools.agreed().closed(function, one.broken[0])


def case_of_input(contract: Contract, one: Input) -> Case:
    """The case that calls the contract's function with an input."""
    args, kwargs = contract.unbind(one.args, one.form)
    call = {"on": None, "call": contract.function, "args": list(args), "kwargs": kwargs}
    return with_logs({"setup": [], "calls": [call]})


def _split(contract: Contract, one: Input, case: Case, seen: Mapping[str, Observed]) -> Split | None:
    if _refused(seen) and not (len(case["calls"]) > 1 and _refused_on_purpose(seen)):
        return None
    groups, unknown = group(seen)
    if len(groups) < 2:
        return None
    relation = one.broken[0] if one.tier == "T1" and one.broken else None
    odd = oddness(list(one.args), [list(call) for call in contract.calls])
    return Split(contract.function, case, groups, seen, one.tier, relation, odd, unknown, source=one)


def _answered(seen: Mapping[str, Observed]) -> bool:
    """Whether most of the branches give what can be compared."""
    known = [one for one in seen.values() if one.complete and kind_of(one.outcomes[0]) in ("value", "timeout")]
    return len(known) * 2 >= len(seen)


def _refused(seen: Mapping[str, Observed]) -> bool:
    """Whether more than half of the branches raise: then the input is not one that callers may give."""
    known = [one for one in seen.values() if one.complete]
    return sum(kind_of(one.outcomes[0]) == "raises" for one in known) * 2 > len(known)


def _refused_on_purpose(seen: Mapping[str, Observed]) -> bool:
    """Whether all refuse an input by themselves: what they did to the callables before that can still be compared."""
    return all(one.complete and one.outcomes[0].get("own") is True for one in seen.values())


def observe_all(tools: Tools, branches: Sequence[Branch], cases: Sequence[Case]) -> dict[str, list[Observed]]:
    """What each branch does on the cases, side by side, with more time for what ran out of it."""

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
