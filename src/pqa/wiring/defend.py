"""Defend: take each branch's one answer to its findings, judge it, score the run anew, and keep what came of it."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import replace

from pqa.collision import rescore
from pqa.config import DefendRequest
from pqa.core.errors import UsageError
from pqa.core.finding import Finding, Note
from pqa.core.ports import Sink
from pqa.core.verdict import Collision, Defense
from pqa.instruments.rebuttal import notes_of, read_rebuttals
from pqa.ledger.store import SqliteLedger
from pqa.stages.defend import RESOLVED, answerable
from pqa.stages.defend import defend as judge
from pqa.wiring.hearing import hear
from pqa.wiring.run_folder import HOME, write_run
from pqa.wiring.workbench import Order, Workbench

ONCE = "each branch may answer once in a run; 'pqa collide' again judges the patched branch as a new one"


def defend(request: DefendRequest, sinks: Sequence[Sink] = ()) -> Collision:
    """The run with the defenses of this request; run.json and the ledger hold it when this returns."""
    run = request.collision
    _refuse(run, [name for name, _ in (*request.patches, *request.rebuttals)], [name for name, _ in request.patches])
    defenses, notes = _rebuttals(request)
    if request.patches:
        order = Order(request.project, run, request.settings, request.unsafe_no_sandbox)
        with Workbench(order, None, sinks) as bench:
            for name, folder in request.patches:
                with hear(bench, run, name, folder) as hearing:
                    answers = judge(run.findings, name, run.kill_matrix, hearing)
                defenses.append(Defense(name, "patch", answers))
    settled = {str(one["finding_id"]) for each in defenses for one in each.answers if one["status"] == RESOLVED}
    findings = tuple(replace(one, resolved=True) if one.id in settled else one for one in run.findings)
    defended = replace(run, findings=findings, defenses=(*run.defenses, *defenses), notes=(*run.notes, *notes))
    return _keep(request, rescore(defended))


def _refuse(run: Collision, names: Sequence[str], patched: Sequence[str]) -> None:
    known = [branch.branch_id for branch in run.branches]
    answered = {defense.branch_id for defense in run.defenses}
    for position, name in enumerate(names):
        if name not in known:
            raise UsageError(f"the run '{run.run_id}' holds no branch '{name}'", f"its branches: {', '.join(known)}")
        if name in answered or name in names[:position]:
            raise UsageError(f"the branch '{name}' has already answered in the run '{run.run_id}'", ONCE)
        if not _mine(run.findings, name):
            raise UsageError(f"no unresolved finding stands against the branch '{name}'", "there is nothing to answer")
        if name in patched and not answerable(run.findings, name):
            message = f"no finding against the branch '{name}' has a trigger, so that no patch can be judged"
            raise UsageError(message, "answer with --rebuttal")


def _mine(findings: Sequence[Finding], name: str) -> list[Finding]:
    return [one for one in findings if one.branch_id == name and not one.resolved and not one.discounted]


def _rebuttals(request: DefendRequest) -> tuple[list[Defense], list[Note]]:
    """What is said in words is kept as a note that a person may act on; it resolves nothing."""
    defenses: list[Defense] = []
    notes: list[Note] = []
    for name, file in request.rebuttals:
        answers = read_rebuttals(request.project / file, _mine(request.collision.findings, name))
        defenses.append(Defense(name, "rebuttal", answers))
        notes += notes_of(name, answers)
    return defenses, notes


def _keep(request: DefendRequest, run: Collision) -> Collision:
    write_run(run, request.folder)
    with SqliteLedger(request.project / HOME / "ledger.db") as ledger:
        known = {row["run_id"]: str(row["at"]) for row in ledger.runs()}
        now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        ledger.record(run, at=known.get(run.run_id, now))
    return run
