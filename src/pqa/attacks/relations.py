"""Does the branch break a relation between answers that holds on every call of the tests, and that the others keep?

Other names for keys give the same answers; other keys do not matter; a look changes nothing; what one call makes another
undoes. Nobody stated these, so each must hold on all recorded calls of all branches, most others must keep it on all
generated inputs, and no more than a lead comes of it unless all do and enough was recorded. A majority is never proof.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from functools import partial

from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools
from pqa.core.surface import Class
from pqa.core.task import Brief
from pqa.core.trigger import Trigger
from pqa.instruments.common_surface import Shared, shared_surface
from pqa.instruments.demonstrate import call_text, setup_text
from pqa.instruments.getters import getters_of
from pqa.instruments.metamorphic import idempotence, independence, renaming
from pqa.instruments.methods import Source, usage_of
from pqa.instruments.outcomes import describe
from pqa.instruments.relation_trials import Bench, Broken, Vary, try_relations
from pqa.instruments.renaming import keys_of
from pqa.instruments.round_trip_trials import function_round_trips, method_round_trips
from pqa.instruments.sequences import Habits, habits_of, recorded_cases
from pqa.instruments.walks import walks

LAYER = "assumptions"
SCOPE = "set"
WALKS = 24
INPUTS = 12
RECORDED = 12
SHOWN_CALLS = 10
SAID = {
    "renaming": "the same calls with other keys are answered otherwise",
    "independence": "what is done to other keys changes the answers",
    "repeated": "the same call made twice in a row is answered otherwise the second time",
    "round": "what the first call makes the second does not undo",
}


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Note]:
    """The classes and the pairs of functions that at least two branches offer, where their code differs."""
    if len(brief.branches) < 2:
        return
    shared = shared_surface(brief.branches, tools)
    yield from shared.notes
    for found in shared.classes:
        if tools.expired(brief):
            return
        habits = habits_of(found.name, shared.traces)
        if habits is not None and shared.changed(found.name) and len(shared.offering(found.name)) > 1:
            for broken in _class_trials(brief, tools, shared, found, habits):
                yield _finding(brief, found.name, broken)
    for name, broken in function_round_trips(brief, tools, shared):
        yield _finding(brief, name, broken)


def _class_trials(brief: Brief, tools: Tools, shared: Shared, found: Class, habits: Habits) -> Iterator[Broken]:
    branches = shared.offering(found.name)
    bench = Bench(found.name, branches, tools, shared.clones)
    variants = [one for branch in branches for one in tools.surface(branch).classes if one.name == found.name]
    chance = random.Random(f"{brief.seed}:relations:{found.name}")
    source = Source(shared.literals, brief.task.text, INPUTS, tools.agreed().lines)
    usage = usage_of(variants, shared.traces, shared.calls, source, chance)
    recorded = recorded_cases(habits)[:RECORDED]
    tried = [one.case for one in walks(usage, habits, min(brief.trials, WALKS), chance) if one.tier == "T0"]
    ways: list[Vary] = [
        partial(vary, keys=keys) for keys in keys_of(variants, habits) for vary in (renaming, independence)
    ]
    ways += [partial(idempotence, method=method) for method in getters_of(bench, habits, recorded)]
    yield from try_relations(bench, recorded, tried, ways)
    yield from method_round_trips(bench, habits, usage)


def _finding(brief: Brief, subject: str, broken: Broken) -> Finding:
    rule = dict(broken.variation.rule)
    name = str(rule["name"])
    short = subject.rpartition(".")[2]
    title = f"{short} breaks a relation that its tests show ({name}): {SAID[name.split(maxsplit=1)[0]]}"
    missed = "The verifier misses it because no test makes these calls both ways."
    line = f'[[line]] function = "{subject}", relation = "not {name}", source = "person"'
    detail = (
        f"{_story(broken)}. {broken.support} recorded answers of every branch keep it, and so do, on all inputs tried, "
        f"{', '.join(broken.keepers)}. {missed} If it need not hold, this line in .pqa/contract.toml says so: {line}"
    )
    case = broken.variation.case
    trigger = Trigger("observation", title, tuple(case["setup"]), tuple(case["calls"]), {"rule": rule}, seed=brief.seed)
    return Finding(
        broken.branch_id,
        "high" if broken.sure else "medium",
        "relation",
        title,
        detail,
        attack=brief.attack,
        layer=LAYER,
        oracle="relation",
        trigger=trigger,
        adversary="mechanical",
        why_missed=missed,
        root=f"relation:{subject}:{name}",
    )


def _story(broken: Broken) -> str:
    case = broken.variation.case
    built = [setup_text(item) for item in case["setup"] if "clock" not in item]
    pairs = list(zip(case["calls"], broken.observed.outcomes, strict=False))
    said = [f"{call_text(call)} is {describe(one, 60)}" for call, one in pairs]
    return "; ".join([*built, *_middle(said)])


def _middle(said: Sequence[str]) -> list[str]:
    """The first and the last of many."""
    half = SHOWN_CALLS // 2
    return list(said) if len(said) <= SHOWN_CALLS else [*said[:half], "...", *said[-half:]]
