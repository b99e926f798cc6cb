"""What do the branches do differently on inputs that their own tests allow?

Every branch's tests are recorded and pooled; inputs are drawn inside and around the contract that these calls show; all
branches run on them, and where they part a question is asked. One relation is an oracle by itself: answers of a clocked
class must not depend on where its clock starts. A vote never kills: the majority can be wrong together.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.evidence import Kinship, Parting, Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Tools
from pqa.core.surface import Class
from pqa.core.task import Brief
from pqa.core.trigger import Json
from pqa.instruments.asking import ask
from pqa.instruments.common_surface import shared_surface
from pqa.instruments.divergence import Split, Tally, fewest, group
from pqa.instruments.function_trials import function_splits
from pqa.instruments.observation import Observed, observe
from pqa.instruments.sequences import Habits, generate, habits_of
from pqa.instruments.shrink_case import shrink_split, stable_under_hash_seed
from pqa.instruments.time_shift_finding import time_shift_findings

LAYER = "assumptions"
SCOPE = "set"
MAXIMUM_QUESTIONS = 8
SECONDS = 30.0

Case = Mapping[str, Json]


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
    """Time shift first, since it accuses; then the splits of classes and functions, then the fewest questions."""
    shared = shared_surface(brief.branches, tools)
    yield from shared.notes
    if not shared.classes and not shared.functions:
        for branch in brief.branches:
            yield Note(
                "could-not-run",
                "its tests call no public function or class whose calls can be repeated",
                branch.branch_id,
            )
        return
    tally = Tally(clones=shared.clones)
    splits: list[Split] = []
    for found in shared.classes:
        habits = habits_of(found.name, shared.traces)
        if habits is None:
            continue
        yield from time_shift_findings(brief, tools, shared.offering(found.name), habits, found)
        splits += _class_splits(brief, tools, shared.offering(found.name), habits, found, tally)
    for function in shared.functions:
        found_splits, notes = function_splits(brief, tools, shared, function, tally)
        splits += found_splits
        yield from notes
    if len(brief.branches) > 1:
        yield from _questions(brief, tools, splits)
        yield from _weighed(brief, tally)


def _class_splits(
    brief: Brief, tools: Tools, branches: Sequence[Branch], habits: Habits, found: Class, tally: Tally
) -> list[Split]:
    if len(branches) < 2:
        return []
    cases = generate(habits, brief.trials, random.Random(f"{brief.seed}:{found.name}"))
    observed = observe_all(tools, branches, cases)
    splits = []
    for index, case in enumerate(cases):
        seen = {name: outcomes[index] for name, outcomes in observed.items()}
        groups, unknown = group(seen)
        tally.count(groups, seen, "T0")
        if len(groups) > 1:
            splits.append(Split(found.name, case, groups, seen, "T0", unknown=unknown))
    return splits


def observe_all(tools: Tools, branches: Sequence[Branch], cases: Sequence[Case]) -> dict[str, list[Observed]]:
    """The outcomes of the same cases on every branch, side by side."""
    results = tools.side_by_side(lambda branch: observe(tools.zygote(branch), cases, seconds=SECONDS), branches)
    return {branch.branch_id: seen for branch, seen in zip(branches, results, strict=True)}


def _questions(brief: Brief, tools: Tools, splits: Sequence[Split]) -> Iterator[Question]:
    by_name = {branch.branch_id: branch for branch in brief.branches}

    def stable(split: Split) -> bool:
        return stable_under_hash_seed(split, by_name, tools)

    for split in fewest(splits, maximum=MAXIMUM_QUESTIONS, stable=stable):
        yield ask(shrink_split(split, by_name, tools))


def _weighed(brief: Brief, tally: Tally) -> Iterator[Weighed]:
    for branch in brief.branches:
        yield Kinship(branch.branch_id, tally.clones.get(branch.branch_id, branch.branch_id))
    for (tier, groups, crashed), count in sorted(tally.partings.items()):
        yield Parting(brief.attack, tier, groups, crashed, count)
