"""Class trials: run sequences of calls on one class of all branches, and keep the cases where they part."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.ports import Tools
from pqa.core.surface import Class
from pqa.core.task import Brief
from pqa.core.trigger import Json
from pqa.instruments.divergence import Split, group
from pqa.instruments.observation import Observed, observe
from pqa.instruments.sequences import Habits, generate

Case = Mapping[str, Json]
SECONDS = 30.0
UNCHANGED_SHARE = 6


def class_splits(
    brief: Brief, tools: Tools, branches: Sequence[Branch], habits: Habits, found: Class, *, changed: bool
) -> tuple[list[Split], int]:
    """The cases on which the branches part, and how many were tried; fewer where all bodies of the class are the same."""
    if len(branches) < 2 or tools.expired(brief):
        return [], 0
    trials = brief.trials if changed else max(12, brief.trials // UNCHANGED_SHARE)
    cases = generate(habits, trials, random.Random(f"{brief.seed}:{found.name}"))
    observed = _observe_all(tools, branches, cases)
    splits = []
    for index, case in enumerate(cases):
        seen = {name: outcomes[index] for name, outcomes in observed.items()}
        groups, unknown = group(seen)
        if len(groups) > 1:
            splits.append(Split(found.name, case, groups, seen, "T0", unknown=unknown))
    return splits, len(cases)


def _observe_all(tools: Tools, branches: Sequence[Branch], cases: Sequence[Case]) -> dict[str, list[Observed]]:
    results = tools.side_by_side(lambda branch: observe(tools.zygote(branch), cases, seconds=SECONDS), branches)
    return {branch.branch_id: seen for branch, seen in zip(branches, results, strict=True)}
