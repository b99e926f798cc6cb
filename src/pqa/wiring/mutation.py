"""Mutation: is the suite of one ordinary project worth anything? Judge its mutants within a budget and look for missing tests."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from pqa.config import Settings
from pqa.core.branch import Branch
from pqa.core.errors import NothingToAttack
from pqa.core.job import Guest
from pqa.core.ports import Zygote
from pqa.core.recording import Recording
from pqa.instruments.changed_lines import lines_apart
from pqa.instruments.hollow import own_suite
from pqa.instruments.missing_test import in_words, missing_test
from pqa.instruments.mutant_witness import cases_for, find_witness
from pqa.instruments.mutation import SURVIVED, Mutant, Mutation
from pqa.instruments.mutation_report import Missing, MutationReport
from pqa.instruments.mutation_run import MutationRun, confirm, in_turn, judge
from pqa.instruments.suite import PRELOAD, files_with_tests, run_suite
from pqa.intake import Caps, discard, take_base_or_ref, take_branches
from pqa.sandbox.choose import choose_sandbox
from pqa.sandbox.interpreter import fallback_mounts, find_interpreter

JUDGE_SHARE, CONFIRM_SHARE = 0.5, 0.75
MOST_SOUGHT, MOST_A_FUNCTION = 60, 3
SUITE_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class MutationRequest:
    """One `pqa attack PATH --attacks mutation`: `since` names a ref or a folder whose lines are left out."""

    project: Path
    path: str = "."
    since: str | None = None
    budget: float = 300.0
    unsafe_no_sandbox: bool = False
    settings: Settings = field(default_factory=Settings)


class Steps(Protocol):
    """Who is told while it lasts."""

    def begin(self, what: str, total: int) -> None:
        """A step of so many parts begins."""

    def advance(self, parts: int) -> None:
        """Some parts are done."""


def mutation(request: MutationRequest, steps: Steps, clock: Callable[[], float] = time.monotonic) -> MutationReport:
    """Carry it out; nothing is left behind."""
    began = clock()
    interpreter = find_interpreter(request.settings.python, request.project, os.environ)
    sandbox = choose_sandbox(unsafe=request.unsafe_no_sandbox, environ=os.environ)
    folder = Path(tempfile.mkdtemp(prefix="pqa-mutation-"))
    try:
        caps = Caps(exclude=request.settings.exclude)
        path = Path(os.path.normpath(request.project.absolute() / request.path))
        branch = take_branches([("b0", path)], into=folder, caps=caps)[0]
        if not branch.tests:
            raise NothingToAttack(f"'{request.path}' brings no tests", "add tests, or name the project's folder")
        base = (
            take_base_or_ref(request.since, project=request.project, into=folder, caps=caps) if request.since else None
        )
        mounts, roots = fallback_mounts(interpreter), branch.import_roots
        guest = Guest(branch.snapshot, interpreter, roots, mounts, PRELOAD, 0, request.settings.limits)
        with sandbox.open(guest) as zygote:
            work = _Work(request, branch, base, zygote, steps, lambda: clock() - began)
            return work.report()
    finally:
        sandbox.close()
        discard(folder)


@dataclass(slots=True)
class _Work:
    request: MutationRequest
    branch: Branch
    base: Branch | None
    zygote: Zygote
    steps: Steps
    spent: Callable[[], float]

    def report(self) -> MutationReport:
        """All steps within their shares of the budget."""
        with Mutation(self.zygote, own_suite(self.branch), seconds=10 * self.request.budget + 600) as talk:
            run = self._judged(talk)
            confirm_total = len(run.with_status(SURVIVED)) + len(run.with_status("fresh"))
            self.steps.begin("confirming survivors in fresh processes", confirm_total)
            confirm(talk, run, over=lambda: self._over(CONFIRM_SHARE), told=self.steps.advance)
            run.cpu = talk.cpu
        sought: set[int] = set()
        missing = self._missing(run, sought)
        texts = {name: (Path(self.branch.snapshot) / name).read_text("utf-8", "replace") for name in self.branch.code}
        return MutationReport(
            self.request.path, run, missing, frozenset(sought), texts, self.request.since, self.request.budget
        )

    def _over(self, share: float) -> bool:
        return self.spent() > share * self.request.budget

    def _judged(self, talk: Mutation) -> MutationRun:
        self.steps.begin("running the suite unchanged, with controls", 1)
        mutants = self._wanted(talk.mutants())
        run = MutationRun(talk.survey())
        if run.survey.trouble:
            raise NothingToAttack(
                f"small changes cannot be judged: {run.survey.trouble}", "see that the suite is green: pqa verify"
            )
        run.mutants = sorted(mutants, key=lambda one: one.number)
        ordered = in_turn(mutants, {}, self.request.settings.seed)
        self.steps.begin("trying small changes", len(ordered))
        judge(talk, run, ordered, over=lambda: self._over(JUDGE_SHARE), told=self.steps.advance)
        return run

    def _wanted(self, mutants: Sequence[Mutant]) -> list[Mutant]:
        """All, or those on lines that the base does not have."""
        if self.base is None:
            return list(mutants)
        lines = lines_apart(self.branch, [self.base])
        return [
            one for one in mutants if not lines.get(one.file, frozenset()).isdisjoint(range(one.line, one.last + 1))
        ]

    def _missing(self, run: MutationRun, sought: set[int]) -> dict[int, Missing]:
        """Missing tests for the survivors of each function, as far as the budget goes."""
        alive: dict[str, list[Mutant]] = {}
        for one in run.with_status(SURVIVED):
            alive.setdefault(f"{one.file} {one.function}", []).append(one)
        wanted = [one for several in alive.values() for one in several[:MOST_A_FUNCTION]][:MOST_SOUGHT]
        self.steps.begin("looking for missing tests", len(wanted))
        recording = self._recording() if wanted else Recording()
        found: dict[int, Missing] = {}
        for mutant in wanted:
            if self._over(1.0):
                break
            sought.add(mutant.number)
            seed = self.request.settings.seed
            witness = find_witness(self.zygote, mutant, cases_for(mutant, [recording], seed))
            if witness is not None:
                right, changed = in_words(witness)
                found[mutant.number] = Missing(missing_test(witness, mutant.function), right, changed)
            self.steps.advance(1)
        return found

    def _recording(self) -> Recording:
        paths = files_with_tests(self.branch.tests)
        run = run_suite(self.zygote, paths, code=self.branch.code, record=True, seconds=SUITE_SECONDS)
        return run.recording
