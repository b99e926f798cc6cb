"""Relation trials: which branch breaks a relation that holds on every recorded call of every branch, and which keep it.

A relation that one recorded call of one branch breaks, or of which too little was recorded, is not one and says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

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


def try_relation(bench: Bench, recorded: Sequence[Case], tried: Sequence[Case], vary: Vary) -> list[Broken]:
    """The branches that break what `vary` makes of the cases, where it is a relation at all."""
    shown = [one for one in map(vary, recorded) if one is not None]
    cases = [(base, one) for base, one in ((base, vary(base)) for base in tried) if one is not None]
    if not shown or not cases or bench.freed(str(shown[0].rule["name"])):
        return []
    support = supported(bench, shown)
    if support < FEWEST_TELLING:
        return []
    seen = bench.run([one.case for _, one in cases])
    broken = {
        name: [
            rule_breaks(one.rule, each.outcomes) if each.complete else None
            for (_, one), each in zip(cases, run, strict=True)
        ]
        for name, run in seen.items()
    }
    found = []
    for name, verdicts in broken.items():
        if True not in verdicts:
            continue
        place = min((at for at, one in enumerate(verdicts) if one), key=lambda at: len(cases[at][1].case["calls"]))
        others = {bench.first(other): other for other in broken if bench.first(other) != bench.first(name)}
        keepers = tuple(
            other for other in sorted(others.values()) if not any(broken[other]) and broken[other][place] is False
        )
        if len(keepers) * 2 > len(others):
            variation, observed = _shrunk(bench, name, keepers, vary, cases[place][0]) or (
                cases[place][1],
                seen[name][place],
            )
            found.append(Broken(name, variation, observed, support, keepers, len(keepers) == len(others)))
    return found


def supported(bench: Bench, shown: Sequence[Variation]) -> int:
    """How many recorded answers support the relation, in the branch where it is fewest; 0 where one breaks it."""
    least = []
    for run in bench.run([one.case for one in shown]).values():
        verdicts = [
            rule_breaks(one.rule, each.outcomes) if each.complete else None
            for one, each in zip(shown, run, strict=True)
        ]
        if any(verdicts):
            return 0
        least.append(
            sum(one.telling(each) for one, each, broken in zip(shown, run, verdicts, strict=True) if broken is False)
        )
    return min(least, default=0)


def _shrunk(
    bench: Bench, name: str, keepers: Sequence[str], vary: Vary, base: Case
) -> tuple[Variation, Observed] | None:
    """The fewest calls on which the branch still breaks it and all keepers still keep it."""
    asked = bench.only((name, *keepers))

    def verdicts(bases: Sequence[Case]) -> list[tuple[Variation, Observed] | None]:
        varied = [vary(one) for one in bases]
        real = [one for one in varied if one is not None]
        seen = asked.run([one.case for one in real])
        found: list[tuple[Variation, Observed] | None] = []
        place = 0
        for one in varied:
            if one is None:
                found.append(None)
                continue
            here = {other: run[place] for other, run in seen.items()}
            told = {
                other: rule_breaks(one.rule, each.outcomes) if each.complete else None for other, each in here.items()
            }
            place += 1
            parts = told[name] is True and all(told[other] is False for other in keepers)
            found.append((one, here[name]) if parts else None)
        return found

    smallest = shrink_case(base, lambda bases: [one is not None for one in verdicts(bases)])
    return verdicts([smallest])[0]
