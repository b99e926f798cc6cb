"""What do the branches do differently on inputs that their own tests allow?

Every branch's tests are recorded and pooled; inputs are drawn inside and around the contract that these calls show; all
branches run on them, and where they part a question is asked. One relation is an oracle by itself: answers of a clocked
class must not depend on where its clock starts. A vote never kills: the majority can be wrong together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pqa.core.evidence import Kinship, Parting, Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.instruments.answering import settled
from pqa.instruments.asking import ask
from pqa.instruments.class_trials import class_splits
from pqa.instruments.common_surface import shared_surface
from pqa.instruments.divergence import Split, Tally, fewest
from pqa.instruments.function_trials import function_splits
from pqa.instruments.sequences import habits_of
from pqa.instruments.shrink_case import shrink_split
from pqa.instruments.steady import steady
from pqa.instruments.time_shift_finding import time_shift_findings

LAYER = "assumptions"
SCOPE = "set"
MAXIMUM_QUESTIONS = 8


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
    """Time shift first, since it accuses; then the splits of classes and functions, then the fewest questions."""
    shared = shared_surface(brief.branches, tools)
    yield from shared.notes
    if not shared.classes and not shared.functions:
        for branch in brief.branches:
            yield Note("could-not-run", shared.why_not(branch), branch.branch_id)
        return
    splits: list[Split] = []
    tried = subjects = 0
    for found in shared.classes:
        habits = habits_of(found.name, shared.traces)
        if habits is None:
            continue
        offering, changed = shared.offering(found.name), shared.changed(found.name)
        if changed and not tools.agreed().frees(found.name, "time-shift"):
            yield from time_shift_findings(brief, tools, offering, habits, found)
        more, count = class_splits(brief, tools, offering, habits, found, changed=changed)
        splits, tried, subjects = splits + more, tried + count, subjects + bool(count)
    for function in shared.functions:
        more, notes, count = function_splits(brief, tools, shared, function)
        splits, tried, subjects = splits + more, tried + count, subjects + bool(count)
        yield from notes
    if len(brief.branches) > 1:
        yield Note("compared", f"{tried} inputs and sequences of {subjects} functions and classes were compared")
        yield from _settle(brief, tools, splits, Tally(clones=shared.clones))


def _settle(brief: Brief, tools: Tools, splits: Sequence[Split], tally: Tally) -> Iterator[Question | Weighed | Note]:
    """Drop what is no steady difference; then the fewest questions, and what the choice may weigh."""
    by_name = {branch.branch_id: branch for branch in brief.branches}
    kept = steady(splits, by_name, tools)
    if len(kept) < len(splits):
        yield Note(
            "unstable", f"{len(splits) - len(kept)} differences were left out: a branch did otherwise when run again"
        )
    for split in kept:
        tally.count(split)
    for split in fewest(kept, maximum=MAXIMUM_QUESTIONS):
        yield settled(ask(shrink_split(split, by_name, tools)), tools.agreed())
    yield from _weighed(brief, tally)


def _weighed(brief: Brief, tally: Tally) -> Iterator[Weighed]:
    for branch in brief.branches:
        yield Kinship(branch.branch_id, tally.clones.get(branch.branch_id, branch.branch_id))
    for (tier, groups, crashed), count in sorted(tally.partings.items()):
        yield Parting(brief.attack, tier, groups, crashed, count)
