"""Mutation report: what a suite is worth on one project: counts by file and function, worst first, and missing tests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pqa.instruments.mutation import FRESH, INVALID, KILLED, NOT_MEASURED, SAME, SURVIVED, UNCOVERED, Mutant, Verdict
from pqa.instruments.mutation_run import MutationRun


@dataclass(frozen=True, slots=True)
class Missing:
    """The test that would notice one surviving mutant, and what it tells apart, in words."""

    test: str
    right: str
    changed: str


@dataclass(frozen=True, slots=True)
class Counts:
    """How many mutants of one place ended how. Those that cannot be told from the original count for nothing."""

    killed: int = 0
    survived: int = 0
    uncovered: int = 0
    unmeasured: int = 0

    @property
    def total(self) -> int:
        """All that were judged."""
        return self.killed + self.survived + self.uncovered + self.unmeasured


@dataclass(frozen=True, slots=True)
class MutationReport:
    """One run on one project. `sought` are the survivors for which a missing test was looked for, `texts` the code files as
    they were judged; `left_out` counts what the budget spared."""

    path: str
    run: MutationRun
    missing: Mapping[int, Missing] = field(default_factory=dict)
    sought: frozenset[int] = frozenset()
    texts: Mapping[str, str] = field(default_factory=dict)
    since: str | None = None
    budget: float = 0.0

    def verdict(self, mutant: Mutant) -> Verdict | None:
        """What became of a mutant; None where the budget left it out."""
        return self.run.verdicts.get(mutant.number)

    @property
    def left_out(self) -> int:
        """Mutants without any verdict."""
        return sum(one.number not in self.run.verdicts for one in self.run.mutants)

    def counts(self) -> dict[tuple[str, str], Counts]:
        """By file and function, the most survivors first; "" is the code that runs at import."""
        tally: dict[tuple[str, str], list[int]] = {}
        place = {KILLED: 0, SURVIVED: 1, UNCOVERED: 2, NOT_MEASURED: 3, FRESH: 3}
        for mutant in self.run.mutants:
            verdict = self.verdict(mutant)
            if verdict is not None and verdict.status in place:
                tally.setdefault((mutant.file, mutant.function), [0, 0, 0, 0])[place[verdict.status]] += 1
        found = {key: Counts(*numbers) for key, numbers in tally.items()}
        ordered = sorted(found, key=lambda key: (-found[key].survived, -found[key].uncovered, key))
        return {key: found[key] for key in ordered}

    def total(self) -> Counts:
        """All places together."""
        each = list(self.counts().values())
        return Counts(
            sum(one.killed for one in each), sum(one.survived for one in each),
            sum(one.uncovered for one in each), sum(one.unmeasured for one in each),
        )  # fmt: skip

    def survivors(self) -> dict[tuple[str, str], list[Mutant]]:
        """By file and function, those with most missing tests first, then as in `counts`."""
        found: dict[tuple[str, str], list[Mutant]] = {}
        for mutant in self.run.with_status(SURVIVED):
            found.setdefault((mutant.file, mutant.function), []).append(mutant)
        for several in found.values():
            several.sort(key=lambda one: (one.number not in self.missing, one.number not in self.sought, one.number))
        keys = [key for key in self.counts() if key in found]
        keys.sort(key=lambda key: -sum(one.number in self.missing for one in found[key]))
        return {key: found[key] for key in keys}

    def reasons(self) -> dict[str, int]:
        """Why mutants were not measured, the most frequent first."""
        tally: dict[str, int] = {}
        for verdict in self.run.verdicts.values():
            if verdict.status in (NOT_MEASURED, FRESH):
                tally[verdict.why or "no reason was given"] = tally.get(verdict.why or "no reason was given", 0) + 1
        return dict(sorted(tally.items(), key=lambda pair: (-pair[1], pair[0])))

    def set_aside(self) -> int:
        """Mutants that are no change at all, or no code."""
        return sum(verdict.status in (SAME, INVALID) for verdict in self.run.verdicts.values())
