"""Class trials: run sequences of calls on one class of all branches, and keep the cases where they part."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pqa.core.branch import Branch
from pqa.core.finding import Note
from pqa.core.ports import Tools
from pqa.core.surface import Class
from pqa.core.task import Brief
from pqa.core.trigger import Json
from pqa.instruments.class_calls import class_calls
from pqa.instruments.common_surface import Shared
from pqa.instruments.company import company, observe_alone, stands_alone
from pqa.instruments.compared_instances import comparisons
from pqa.instruments.declared_names import declared_names
from pqa.instruments.divergence import Groups, Split, group
from pqa.instruments.drafts import Walk
from pqa.instruments.methods import INIT, Source, Usage, by_name, usage_of
from pqa.instruments.observation import CLASS_NODES, Observed, observe
from pqa.instruments.outcomes import Outcome, difference, kind_of
from pqa.instruments.sequences import Habits, generate, habits_of
from pqa.instruments.stand_ins import with_logs
from pqa.instruments.uncompared import uncompared
from pqa.instruments.walks import walks

Case = Mapping[str, Json]
MAXIMUM_CASES = 240
UNCHANGED_SHARE = 6
CALL_SECONDS = 0.2
SECONDS = 30.0
INPUTS = 36
MAXIMUM_ALONE, MAXIMUM_LATE = 3, 3
UNALIKE = 3.0
"""How odd it looks when nothing is given by one side: an exception or None against a value is seldom what a task is about."""


@dataclass(frozen=True, slots=True)
class Tried:
    """Where the branches part on one class, what could not be checked, and how many sequences were tried."""

    splits: tuple[Split, ...] = ()
    notes: tuple[Note, ...] = ()
    sequences: int = 0


def try_class(brief: Brief, tools: Tools, shared: Shared, found: Class) -> Tried:
    """Run one class of all branches that offer it on the same sequences; fewer where all its bodies are the same.
    What goes beyond one object is run again, each case in a process of its own, where it tells the branches apart."""
    branches = shared.offering(found.name)
    if len(branches) < 2 or tools.expired(brief):
        return Tried()
    variants = {branch.branch_id: _variant(tools, branch, found.name) for branch in branches}
    changed = shared.changed(found.name)
    trials = min(brief.trials, MAXIMUM_CASES) if changed else max(12, brief.trials // UNCHANGED_SHARE)
    chance = random.Random(f"{brief.seed}:{found.name}")
    source = Source(shared.literals, brief.task.text, INPUTS if changed else 8, tools.agreed().lines)
    offered = [one for one in variants.values() if one]
    usage = usage_of(offered, shared.traces, shared.calls, source, chance)
    habits = habits_of(found.name, shared.traces) or Habits(found.name, (), {}, (), clocked=False)
    if not (habits.traces or usage.methods) or (not changed and not habits.traces):
        return Tried()
    drawn = [*_cases(usage, habits, trials, chance), *class_calls(found.name, usage, offered, shared.calls)]
    drawn += comparisons(usage, habits, offered, chance)
    drawn += company(usage, habits, chance) if changed else ()
    cases = [replace(walk, case=with_logs(walk.case)) for walk in drawn]
    asked = {one.name for one in declared_names(brief.task.text) if one.owner == found.name.rpartition(".")[2]}
    lacking = {name: _lacking(usage, one, asked) for name, one in variants.items()}
    observed = _observe_all(tools, branches, [walk.case for walk in cases])
    bench = _Bench(found.name, lacking, shared.clones, tools)
    splits, beyond = _parted(bench, cases, observed)
    apart = observe_alone(tools, branches, [walk.case for walk in beyond])
    for index, walk in enumerate(beyond):
        split = split_of(found.name, walk, {name: outcomes[index] for name, outcomes in apart.items()}, lacking)
        splits += [replace(split, alone=True)] if split is not None and stands_alone(split, shared.clones) else []
    return Tried(tuple(splits), tuple(uncompared(found.name, observed, "sequences")), len(cases))


@dataclass(frozen=True, slots=True)
class _Bench:
    subject: str
    lacking: Mapping[str, frozenset[str]]
    clones: Mapping[str, str]
    tools: Tools


def _parted(
    bench: _Bench, cases: Sequence[Walk], observed: Mapping[str, Sequence[Observed]]
) -> tuple[list[Split], list[Walk]]:
    """The splits within one object, of which those that wait for a call that does not return are few; and the walks
    beyond it that are to be run again."""
    splits: list[Split] = []
    beyond: list[Walk] = []
    late = 0
    for index, walk in enumerate(cases):
        seen = {name: outcomes[index] for name, outcomes in observed.items()}
        split = (
            None if _closed(bench.tools, bench.subject, walk) else split_of(bench.subject, walk, seen, bench.lacking)
        )
        if split is None:
            continue
        waits = any("timeout" in outcome for one in split.observed.values() for outcome in one.outcomes)
        late += waits
        if not walk.company and not (waits and late > MAXIMUM_LATE):
            splits.append(split)
        elif walk.company and stands_alone(split, bench.clones) and len(beyond) < MAXIMUM_ALONE:
            beyond.append(walk)
    return splits, beyond


def _variant(tools: Tools, branch: Branch, name: str) -> Class | None:
    return next((one for one in tools.surface(branch).classes if one.name == name), None)


def _cases(usage: Usage, habits: Habits, trials: int, chance: random.Random) -> list[Walk]:
    """Walks; where there is a clock, half of the cases are steps of it. The oddest come last: they may be slow, and a run
    may stop early for that."""
    timed = [Walk(case) for case in generate(habits, trials // 2, chance)] if usage.clocked else []
    return sorted([*timed, *walks(usage, habits, trials - len(timed), chance)], key=lambda walk: walk.oddness)


def _observe_all(tools: Tools, branches: Sequence[Branch], cases: Sequence[Case]) -> dict[str, list[Observed]]:
    def run(branch: Branch) -> list[Observed]:
        return observe(tools.zygote(branch), cases, call_seconds=CALL_SECONDS, seconds=SECONDS, nodes=CLASS_NODES)

    results = tools.side_by_side(run, branches)
    return {branch.branch_id: seen for branch, seen in zip(branches, results, strict=True)}


def _lacking(usage: Usage, offered: Class | None, asked: Collection[str]) -> frozenset[str]:
    """The methods that neither tests call nor the task declares, and that a branch may therefore leave out, as it does."""
    names = {*asked, *(method.name for method in offered.methods)} if offered is not None else {*asked}
    return frozenset(name for name, method in by_name(usage.methods).items() if not method.known and name not in names)


def _closed(tools: Tools, subject: str, walk: Walk) -> bool:
    """Whether somebody settled that steps which break the same relation need not be asked about."""
    return walk.relation is not None and tools.agreed().closed(_owner(subject, walk), walk.relation)


def _owner(subject: str, walk: Walk) -> str:
    """The dotted name of what the relation speaks of: a method, or the class for its constructor."""
    return subject if walk.method in ("", INIT) else f"{subject}.{walk.method}"


def split_of(
    subject: str, walk: Walk, seen: Mapping[str, Observed], lacking: Mapping[str, frozenset[str]]
) -> Split | None:
    """The split that a case makes, up to the first call that most branches refuse and some do not, or for which one of
    them runs out of its time. A branch of which nothing came back is not compared."""
    used = {str(call.get("call")).rpartition(".")[2] for call in walk.case["calls"]}
    known = {name: one for name, one in seen.items() if one.outcomes or not one.trouble}
    able = {name: one for name, one in known.items() if not used & lacking.get(name, frozenset())}
    kept = _accepted([one.outcomes for one in able.values() if one.complete], len(walk.case["calls"]))
    if kept == 0 or len(able) < 2:
        return None
    if kept < len(walk.case["calls"]):
        able = {name: replace(one, outcomes=one.outcomes[:kept]) for name, one in able.items()}
        walk = walk.until(kept)
    groups, unknown = group(able)
    if len(groups) < 2:
        return None
    odd = walk.oddness + UNALIKE * _unalike(groups, able)
    return Split(
        _owner(subject, walk), walk.case, groups, able, walk.tier, walk.relation, odd,
        (*unknown, *sorted(seen.keys() - able.keys())),
    )  # fmt: skip


def _accepted(runs: Sequence[Sequence[Outcome]], calls: int) -> int:
    """How many calls come before the first one that more than half of the branches refuse, but not all; the first one
    that does not return is the last, where most others do return."""
    for index in range(calls):
        reached = [run[index] for run in runs if index < len(run)]
        returning = sum("value" in outcome for outcome in reached)
        if any("timeout" in outcome for outcome in reached):
            return index + (returning * 2 > len(reached))
        refused = sum(kind_of(outcome) == "raises" for outcome in reached)
        if refused * 2 > len(reached) and refused < len(reached):
            return index
    return calls


def _unalike(groups: Groups, seen: Mapping[str, Observed]) -> float:
    """The share of groups that differ from the largest by giving nothing against something."""
    first = seen[groups[0][0]].outcomes
    return sum(any(_bare(first, seen[members[0]].outcomes)) for members in groups[1:]) / (len(groups) - 1)


def _bare(left: Sequence[Outcome], right: Sequence[Outcome]) -> Iterator[bool]:
    """Whether the first call on which two runs part gives nothing on one side."""
    for one, other in zip(left, right, strict=False):
        if difference(one, other) in ("value", "raises"):
            empty = [outcome.get("value") is None for outcome in (one, other)]
            yield empty[0] != empty[1]
            return
