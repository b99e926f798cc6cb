"""Does the branch do what the trusted implementation does, on inputs inside the contract?

The reference is run in the sandbox like any branch. What it refuses is outside and not compared; where it returns the
same value under two hash seeds, another value is wrong, and so is an exception that nobody raised on purpose. One odd
input alone does not kill.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pqa.core.branch import Branch
from pqa.core.evidence import Evidence, Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Tools
from pqa.core.recording import Call, Recording
from pqa.core.surface import Function
from pqa.core.task import Brief
from pqa.instruments.answering import claim
from pqa.instruments.common_surface import Shared, shared_surface
from pqa.instruments.function_trials import function_trial
from pqa.instruments.observation import Case
from pqa.instruments.reference_trials import Deviation, as_answer, deviations, rights_of_cases, shrunk
from pqa.instruments.sequences import generate, habits_of, recorded_cases

LAYER = "contract"
SCOPE = "set"
NEEDED = 2
BACKED = 2 / 3
FIRM_CALLS = 3


@dataclass(frozen=True, slots=True)
class Subject:
    """What is compared: cases inside the contract and, for weighing only, type-correct ones outside it.

    `tested` are the locked suite's own calls. `firm`: the contract rests on enough calls to kill by it alone.
    """

    name: str
    inside: Sequence[Case]
    outside: Sequence[Case]
    tested: Sequence[Case]
    firm: bool


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
    """Compare every shared class and function with the reference, one finding each and branch."""
    reference = tools.reference()
    if reference is None:
        return
    shared = shared_surface(brief.branches, tools)
    surface = tools.surface(reference)
    offered = {one.name for one in surface.functions} | {one.name for one in surface.classes}
    for subject in _subjects(brief, tools, shared):
        if subject.name not in offered:
            yield Note("could-not-check", f"the reference has no '{subject.name}'")
        else:
            yield from _compared(brief, tools, reference, shared.offering(subject.name), subject)


def _compared(
    brief: Brief, tools: Tools, reference: Branch, branches: Sequence[Branch], subject: Subject
) -> Iterator[Finding | Weighed]:
    rights = rights_of_cases(tools, reference, subject.inside)
    free = deviations(tools, branches, rights_of_cases(tools, reference, subject.tested))
    found = deviations(tools, branches, rights)
    for branch in branches:
        name = branch.branch_id
        unlooked = {one.method for one in free.get(name, [])}
        apart = [replace(one, plain=False) if one.method in unlooked else one for one in found.get(name, [])]
        if apart:
            yield Evidence(name, brief.attack, "contradicted-answers", len(apart), len(rights))
            first = next((one for one in apart if one.plain), apart[0])
            worst = shrunk(tools, reference, branch, first)
            yield _finding(brief, name, subject, worst, apart, len(rights))
    rights = rights_of_cases(tools, reference, subject.outside)
    for name, apart in deviations(tools, branches, rights).items():
        yield Evidence(name, brief.attack, "contradicted-outside", len(apart), len(rights))


def _subjects(brief: Brief, tools: Tools, shared: Shared) -> Iterator[Subject]:
    tested = tools.verification(brief.branches[0]).locked
    recording = tested.recording if tested is not None else Recording()
    for found in shared.classes:
        habits = habits_of(found.name, shared.traces)
        if habits is not None and not tools.expired(brief):
            locked = habits_of(found.name, recording.traces)
            cases = generate(habits, brief.trials, random.Random(f"{brief.seed}:{found.name}"))
            yield Subject(found.name, cases, [], recorded_cases(locked) if locked else [], firm=False)
    for function in shared.functions:
        recorded = any(call.function == function.name for call in shared.calls)
        if (recorded or shared.changed(function.name)) and not tools.expired(brief):
            yield _function(brief, tools, shared, function, recording)


def _function(brief: Brief, tools: Tools, shared: Shared, function: Function, recording: Recording) -> Subject:
    trial = function_trial(brief, tools, shared, function)
    tiers = [one.tier for one in trial.inputs]
    inside, outside = (
        [case for case, found in zip(trial.cases, tiers, strict=True) if found == tier] for tier in ("T0", "T1")
    )
    calls = [call for call in recording.calls if call.function == function.name and call.replayable]
    tested = [case_of_call(call) for call in calls]
    return Subject(function.name, inside, outside, tested, firm=len(trial.contract.calls) >= FIRM_CALLS)


def case_of_call(call: Call) -> Case:
    """The case that repeats one recorded call."""
    made = {"on": None, "call": call.function, "args": list(call.args), "kwargs": dict(call.kwargs)}
    return {"setup": [], "calls": [made]}


def _lasting(deviation: Deviation) -> bool:
    """Not an error with which a library refuses an argument: where little is agreed, that may be meant."""
    return "raises" not in deviation.outcomes[-1] or deviation.internal


def _finding(
    brief: Brief, name: str, subject: Subject, worst: Deviation, apart: Sequence[Deviation], total: int
) -> Finding:
    """Critical where two inputs show it and the contract is firm, or the branch stands alone against most others."""
    made = claim(as_answer(worst, subject.name), name, worst.outcomes, seed=brief.seed)
    if made is None:
        raise ValueError(f"the deviation of {name} on {subject.name} is none")
    plain = [one for one in apart if one.plain]
    sure = [one for one in plain if subject.firm or (one.alone and one.backed >= BACKED and _lasting(one))]
    level = "critical" if len(sure) >= NEEDED else "high" if plain else "medium"
    share = f"It differs from the reference on {len(apart)} of {total} inputs inside the contract."
    return replace(
        made, id="", severity=level, category="reference", detail=f"{share} {made.why_missed}", attack=brief.attack,
        layer=LAYER, oracle="reference", root=f"reference:{subject.name}",
    )  # fmt: skip
