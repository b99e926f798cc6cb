"""Mutation run: judge mutants within a budget, one a line before two, and confirm those that survive."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pqa.instruments.mutation import (
    FRESH,
    INVALID,
    NOT_MEASURED,
    SAME,
    SURVIVED,
    Mutant,
    Mutation,
    Survey,
    Verdict,
)

PREFERRED = (
    *("boundary", "condition", "comparison", "answer", "call", "number", "assignment", "augmented", "arithmetic"),
    *("logical", "negation", "index", "refusal", "handling", "truth", "default", "keyword", "jump", "cleanup", "text"),
)
"""The order in which operators get the one mutant of a line."""


LEAST_BATCH, FIRST_BATCH, MOST_BATCH = 5, 25, 100
QUICK_SECONDS, SLOW_SECONDS = 1.0, 8.0


@dataclass(slots=True)
class MutationRun:
    """What was judged of all that there is; a mutant without a verdict was left out by the budget."""

    survey: Survey
    mutants: list[Mutant] = field(default_factory=list)
    verdicts: dict[int, Verdict] = field(default_factory=dict)
    trouble: str = ""
    cpu: float = 0.0

    def with_status(self, status: str) -> list[Mutant]:
        """The mutants of one verdict, in order."""
        return [one for one in self.mutants if self._status(one) == status]

    def _status(self, mutant: Mutant) -> str:
        verdict = self.verdicts.get(mutant.number)
        return verdict.status if verdict is not None else ""


def in_turn(mutants: Iterable[Mutant], first: Mapping[str, Iterable[int]], seed: int) -> list[Mutant]:
    """The order of work: the lines in `first` before others, one mutant a line before two, code that runs at import last."""
    wanted = {name: set(lines) for name, lines in first.items()}
    lines: dict[tuple[str, int], list[Mutant]] = {}
    for mutant in mutants:
        lines.setdefault((mutant.file, mutant.line), []).append(mutant)
    turns: list[tuple[tuple[bool, int, bool], Mutant]] = []
    for (file, line), here in lines.items():
        ordered = sorted(here, key=lambda one: (PREFERRED.index(one.operator), one.column, one.number))
        turns += [((line not in wanted.get(file, ()), turn, one.imported), one) for turn, one in enumerate(ordered)]
    random.Random(f"mutants {seed}").shuffle(turns)
    return [mutant for _, mutant in sorted(turns, key=lambda pair: pair[0])]


def batches(ordered: Sequence[Mutant], spent: Callable[[], float]) -> Iterator[list[Mutant]]:
    """The mutants in turn, each batch in the order of files; more at once where they are judged quickly."""
    start, size = 0, FIRST_BATCH
    while start < len(ordered):
        before = spent()
        yield sorted(ordered[start : start + size], key=lambda one: one.number)
        start += size
        seconds = spent() - before
        size = min(MOST_BATCH, 2 * size) if seconds < QUICK_SECONDS else size
        size = max(LEAST_BATCH, size // 2) if seconds > SLOW_SECONDS else size


def judge(
    mutation: Mutation,
    run: MutationRun,
    ordered: Sequence[Mutant],
    *,
    over: Callable[[], bool],
    told: Callable[[int], None] = lambda _: None,
) -> None:
    """First verdicts in the order given, in batches, until it is `over`."""
    for batch in batches(ordered, lambda: mutation.cpu):
        if over():
            return
        found, run.trouble = mutation.measure([one.number for one in batch])
        run.verdicts.update(found)
        told(len(found))
        if run.trouble:
            return


def confirm(
    mutation: Mutation,
    run: MutationRun,
    *,
    over: Callable[[], bool],
    twice: bool = False,
    told: Callable[[int], None] = lambda _: None,
) -> None:
    """Every survivor, and what only a fresh process can judge, runs the whole suite there; the last word is that run's."""
    waiting = [*run.with_status(SURVIVED), *run.with_status(FRESH)]
    for mutant in waiting:
        if over():
            why = "the budget was used up before a fresh process could judge it"
            run.verdicts[mutant.number] = Verdict(NOT_MEASURED, why)
            continue
        if mutation.same(mutant.number):
            run.verdicts[mutant.number] = Verdict(SAME, "the compiler makes the same code of it")
            continue
        first = run.verdicts[mutant.number]
        fresh = mutation.fresh(mutant.number, twice=twice)
        if fresh.status == INVALID:
            run.verdicts[mutant.number] = fresh
            continue
        run.verdicts[mutant.number] = Verdict(fresh.status, fresh.why, fresh.killer, first.ran, first.imported)
        told(1)
