"""Relation trials: which branch breaks a relation that holds on every recorded call of every branch, and which keep it.

A relation that one recorded call of one branch breaks, or of which too little was recorded, is not one and says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from pqa.core.branch import Branch
from pqa.core.ports import Tools
from pqa.core.trigger import Json
from pqa.instruments.metamorphic import Variation
from pqa.instruments.observation import CLASS_NODES, Observed, observe
from pqa.instruments.rules import rule_breaks
from pqa.instruments.shrink_case import shrink_case

Case = Mapping[str, Json]
Vary = Callable[[Case], Variation | None]
CALL_SECONDS = 0.2
SECONDS = 30.0
FEWEST_TELLING = 2
ENOUGH_TELLING = 5
"""Recorded answers that must support a relation before what breaks it is called a real bug."""


@dataclass(frozen=True, slots=True)
class Broken:
    """One branch that breaks a relation, on its plainest case; how many recorded answers support it; who keeps it on all
    inputs, and whether all other branches do."""

    branch_id: str
    variation: Variation
    observed: Observed
    support: int
    keepers: tuple[str, ...]
    alone: bool

    @property
    def sure(self) -> bool:
        """Whether the claim is more than a lead: enough was recorded, and every other branch keeps it, at least two."""
        return self.alone and self.support >= ENOUGH_TELLING and len(self.keepers) > 1


@dataclass(frozen=True, slots=True)
class Bench:
    """The branches that are compared on `subject`, `clones` of which count once, and the way to run them."""

    subject: str
    branches: tuple[Branch, ...]
    tools: Tools
    clones: Mapping[str, str]

    def run(self, cases: Sequence[Case]) -> dict[str, list[Observed]]:
        """What each branch does on the cases."""

        def one(branch: Branch) -> list[Observed]:
            return observe(
                self.tools.zygote(branch), cases, call_seconds=CALL_SECONDS, seconds=SECONDS, nodes=CLASS_NODES
            )

        results = self.tools.side_by_side(one, self.branches)
        return {branch.branch_id: seen for branch, seen in zip(self.branches, results, strict=True)}

    def only(self, names: Sequence[str]) -> Bench:
        """The same with these branches alone."""
        return replace(self, branches=tuple(one for one in self.branches if one.branch_id in names))

    def freed(self, relation: str) -> bool:
        """Whether a person said that the relation need not hold."""
        return self.tools.agreed().frees(self.subject, relation)

    def first(self, name: str) -> str:
        """The branch as which this one is counted."""
        return self.clones.get(name, name)


Tried = Sequence[tuple[Case, Variation]]
"""Variations, each with the case that it was made of."""
Seen = Mapping[str, Sequence[Observed]]


def try_relations(
    bench: Bench, recorded: Sequence[Case], tried: Sequence[Case], ways: Sequence[Vary]
) -> Iterator[Broken]:
    """The branches that break what a way to vary makes of the cases, where it is a relation at all; all in two runs."""
    shown = [list(_varied(recorded, vary)) for vary in ways]
    shown = [one if one and not bench.freed(str(one[0][1].rule["name"])) else [] for one in shown]
    supports = [_support(one, seen) for one, seen in zip(shown, _run_all(bench, shown), strict=True)]
    drawn = [
        list(_varied(tried, vary)) if support >= FEWEST_TELLING else []
        for vary, support in zip(ways, supports, strict=True)
    ]
    for vary, support, cases, seen in zip(ways, supports, drawn, _run_all(bench, drawn), strict=True):
        yield from _broken(bench, vary, support, cases, seen)


def _varied(bases: Sequence[Case], vary: Vary) -> Iterator[tuple[Case, Variation]]:
    for base in bases:
        variation = vary(base)
        if variation is not None:
            yield base, variation


def _run_all(bench: Bench, groups: Sequence[Tried]) -> list[Seen]:
    """What each branch does on each group, in one run a branch."""
    whole = [variation.case for group in groups for _, variation in group]
    seen = bench.run(whole) if whole else {branch.branch_id: [] for branch in bench.branches}
    found: list[Seen] = []
    start = 0
    for group in groups:
        found.append({name: run[start : start + len(group)] for name, run in seen.items()})
        start += len(group)
    return found


def _verdict(variation: Variation, observed: Observed) -> bool | None:
    return rule_breaks(variation.rule, observed.outcomes) if observed.complete else None


def _support(shown: Tried, seen: Seen) -> int:
    """How many recorded answers support the relation, in the branch where it is fewest; 0 where one breaks it."""
    least = []
    for run in seen.values():
        told = [(one, each, _verdict(one, each)) for (_, one), each in zip(shown, run, strict=True)]
        if any(verdict for _, _, verdict in told):
            return 0
        least.append(sum(one.telling(each) for one, each, verdict in told if verdict is False))
    return min(least, default=0)


def _broken(bench: Bench, vary: Vary, support: int, cases: Tried, seen: Seen) -> Iterator[Broken]:
    broken = {
        name: [_verdict(one, each) for (_, one), each in zip(cases, run, strict=True)] for name, run in seen.items()
    }
    for name, verdicts in broken.items():
        if True not in verdicts:
            continue
        place = min((at for at, one in enumerate(verdicts) if one), key=lambda at: len(cases[at][1].case["calls"]))
        others = {bench.first(other): other for other in broken if bench.first(other) != bench.first(name)}
        keepers = tuple(
            other for other in sorted(others.values()) if not any(broken[other]) and broken[other][place] is False
        )
        if len(keepers) * 2 > len(others):
            whole = cases[place][1], seen[name][place]
            variation, observed = _shrunk(bench, name, keepers, vary, cases[place][0]) or whole
            yield Broken(name, variation, observed, support, keepers, len(keepers) == len(others))


def _shrunk(
    bench: Bench, name: str, keepers: Sequence[str], vary: Vary, base: Case
) -> tuple[Variation, Observed] | None:
    """The fewest calls on which the branch still breaks it and all keepers still keep it."""
    asked = bench.only((name, *keepers))

    def parted(bases: Sequence[Case]) -> list[tuple[Variation, Observed] | None]:
        varied = [vary(one) for one in bases]
        seen = asked.run([one.case for one in varied if one is not None])
        found: list[tuple[Variation, Observed] | None] = []
        for place, one in zip(accumulate(one is not None for one in varied), varied, strict=True):
            if one is None:
                found.append(None)
                continue
            told = {other: _verdict(one, run[place - 1]) for other, run in seen.items()}
            parts = told[name] is True and all(told[other] is False for other in keepers)
            found.append((one, seen[name][place - 1]) if parts else None)
        return found

    smallest = shrink_case(base, lambda bases: [one is not None for one in parted(bases)])
    return parted([smallest])[0]
