"""What do the branches do differently on inputs that their own tests allow?

Every branch's tests are recorded and pooled; inputs are drawn inside and around the contract that these calls show; all
branches run on them, and where they part a question is asked. One relation is an oracle by itself: answers of a clocked
class must not depend on where its clock starts. A vote never kills: the majority can be wrong together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pqa.core.branch import Branch
from pqa.core.evidence import UNLIKENESS, Evidence, Kinship, Parting, Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.instruments.answering import settled
from pqa.instruments.asking import ask
from pqa.instruments.class_trials import try_class
from pqa.instruments.common_surface import shared_surface
from pqa.instruments.contract import Contract
from pqa.instruments.crash_vote import crash_vote
from pqa.instruments.divergence import Split, Tally, fewest, spares
from pqa.instruments.example_calls import with_examples
from pqa.instruments.function_trials import try_function
from pqa.instruments.likeness import unlikeness
from pqa.instruments.regularities import breaking
from pqa.instruments.relations import Relation
from pqa.instruments.sequences import habits_of
from pqa.instruments.shrink_case import shrink_split
from pqa.instruments.shrink_input import shrink_input
from pqa.instruments.sibling_vote import Ground, vote
from pqa.instruments.steady import stand_in, steady
from pqa.instruments.time_shift_finding import time_shift_findings

LAYER = "assumptions"
SCOPE = "set"
MAXIMUM_QUESTIONS, MAXIMUM_SPARES = 8, 4
NOTHING_COMPARED = "no call that its tests make can be repeated with plain values, so nothing was compared"


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
    """Time shift first, since it accuses; then the splits of classes and functions, then the fewest questions."""
    shared = with_examples(shared_surface(brief.branches, tools), brief.task.text)
    yield from shared.notes
    if not shared.classes and not shared.functions:
        for branch in brief.branches:
            yield Note("could-not-run", shared.why_not(branch), branch.branch_id)
        return
    seen = _Seen(Tally(clones=shared.clones))
    for found in shared.classes:
        habits = habits_of(found.name, shared.traces)
        freed = tools.agreed().frees(found.name, "time-shift")
        if habits is not None and shared.changed(found.name) and not freed:
            yield from time_shift_findings(brief, tools, shared.offering(found.name), habits, found)
        compared = try_class(brief, tools, shared, found)
        seen.take(compared.splits, compared.sequences)
        yield from compared.notes
    for function in shared.functions:
        tried = try_function(brief, tools, shared, function)
        seen.take(tried.splits, tried.inputs)
        seen.grounds.append(Ground(function.name, tried.inside, tried.support))
        if tried.contract is not None:
            seen.contracts[function.name] = tried.contract
            seen.regular[function.name] = tried.regular
        yield from tried.notes
    if len(brief.branches) > 1:
        yield from _settle(brief, tools, seen)


@dataclass(slots=True)
class _Seen:
    """What the trials of all classes and functions gave."""

    tally: Tally
    splits: list[Split] = field(default_factory=list)
    grounds: list[Ground] = field(default_factory=list)
    contracts: dict[str, Contract] = field(default_factory=dict)
    regular: dict[str, tuple[Relation, ...]] = field(default_factory=dict)
    tried: int = 0
    subjects: int = 0

    def take(self, splits: Sequence[Split], tried: int) -> None:
        """Add the trials of one subject."""
        self.splits += splits
        self.tried += tried
        self.subjects += bool(tried)


def _settle(brief: Brief, tools: Tools, seen: _Seen) -> Iterator[Finding | Question | Weighed | Note]:
    """Drop what is no steady difference; then who stands alone, the fewest questions, and what the choice may weigh."""
    if not seen.tried:
        for branch in brief.branches:
            yield Note("could-not-run", NOTHING_COMPARED, branch.branch_id)
        return
    subjects = "1 function or class" if seen.subjects == 1 else f"{seen.subjects} functions and classes"
    yield Note("compared", f"{seen.tried} inputs and sequences of {subjects} were compared")
    by_name = {branch.branch_id: branch for branch in brief.branches}
    kept = steady(seen.splits, by_name, tools)
    left_out = len(seen.splits) - len(kept)
    if left_out:
        yield Note("unstable", f"{left_out} differences were left out: a branch did otherwise when run again")
    yield from vote(brief, kept, seen.grounds, seen.tally.clones)
    yield from crash_vote(brief, kept, seen.tally.clones)
    yield from _counted(kept, seen)
    yield from _asked(kept, seen.contracts, by_name, tools)
    yield from _weighed(brief, seen.tally)


def _counted(kept: Sequence[Split], seen: _Seen) -> Iterator[Note]:
    """Count how the branches parted, and say whose answers broke what holds wherever all answer alike."""
    told: dict[tuple[str, str], Counter[str]] = {}
    tiers: Counter[tuple[str, str, str, str]] = Counter()
    for split in kept:
        known = seen.regular.get(split.subject, ())
        broken = breaking(seen.contracts[split.subject], known, split) if known else {}
        seen.tally.count(split, broken)
        for name, texts in broken.items():
            told.setdefault((name, split.subject), Counter()).update(texts)
            tiers.update((name, split.subject, text, split.tier) for text in texts)
    for (name, subject), counts in sorted(told.items()):
        text = max(counts, key=lambda text: (counts[text], text))
        inside, outside = (tiers[name, subject, text, tier] for tier in ("T0", "T1"))
        where = f"{inside} inputs inside and {outside} outside the contract"
        words = f"'{subject}': on {where} its answers break '{text}', which holds wherever all branches answer alike"
        yield Note("irregular", f"{words} and another branch's keep; for the choice only, no accusation", name)


def _asked(
    kept: Sequence[Split], contracts: Mapping[str, Contract], by_name: Mapping[str, Branch], tools: Tools
) -> Iterator[Question | Note]:
    """The fewest questions, and spare ones for where the answer to one of them leaves things open."""
    chosen, ids = fewest(kept, maximum=MAXIMUM_QUESTIONS), set[str]()
    for split in chosen:
        standing = stand_in(split, kept, by_name, tools)
        if standing is None:
            yield Note("unstable", f"'{split.subject}': a difference was not asked about: alone, it does not show")
            continue
        question = ask(_shrunk(standing, contracts, by_name, tools))
        ids.add(question.question_id)
        yield settled(question, tools.agreed())
    taken = {id(split) for split in chosen}
    rest = [split for split in kept if id(split) not in taken]
    for split in spares(rest, maximum=MAXIMUM_SPARES):
        standing = stand_in(split, rest, by_name, tools)
        if standing is None:
            continue
        forms = (ask(_shrunk(standing, contracts, by_name, tools)), ask(standing))
        spare = next((one for one in forms if one.question_id not in ids), None)
        if spare is not None:
            ids.add(spare.question_id)
            yield settled(replace(spare, spare=True), tools.agreed())


def _shrunk(split: Split, contracts: Mapping[str, Contract], by_name: Mapping[str, Branch], tools: Tools) -> Split:
    contract = contracts.get(split.subject)
    if split.source is None or contract is None:
        return shrink_split(split, by_name, tools)
    return shrink_input(split, split.source, contract, by_name, tools)


def _weighed(brief: Brief, tally: Tally) -> Iterator[Weighed]:
    for branch in brief.branches:
        yield Kinship(branch.branch_id, tally.clones.get(branch.branch_id, branch.branch_id))
    others = len({*tally.clones.values()}) - 1
    for name, distance in unlikeness(brief.branches, tally.clones).items():
        yield Evidence(name, brief.attack, UNLIKENESS, distance, others)
    for (tier, groups, crashed), count in sorted(tally.partings.items()):
        irregular = tuple(tally.irregular[tier, groups, crashed])
        yield Parting(brief.attack, tier, groups, crashed, count, irregular)
