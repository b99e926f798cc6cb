"""Attack: every live branch times every attack; gather findings, questions, notes and evidence, and what did not run."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.event import Event
from pqa.core.evidence import Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Attack, Tools
from pqa.core.task import Brief, Task
from pqa.core.verdict import AttackRun

COULD_NOT_RUN = "could-not-run"
COULD_NOT_CHECK = "could-not-check"
SKIPPED = "skipped"


@dataclass(slots=True)
class Harvest:
    """What the attacks gave."""

    findings: list[Finding] = field(default_factory=list)
    questions: list[Question] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    evidence: list[Weighed] = field(default_factory=list)
    attacked: dict[str, list[AttackRun]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Orders:
    """What holds for every brief of a run."""

    task: Task
    seed: int
    trials: int
    wall_seconds: float


def attack(
    branches: Sequence[Branch],
    attacks: Mapping[str, Attack],
    *,
    orders: Orders,
    tools: Tools,
    emit: Callable[[Event], None],
) -> Harvest:
    """Run all attacks. One that fails is "could-not-run" on its branches with the reason, never clean; one that says by
    a note of kind "skipped" that it has nothing to ask is "skipped"."""
    harvest = Harvest(attacked={branch.branch_id: [] for branch in branches})
    for name, module in attacks.items():
        groups = [tuple(branches)] if module.SCOPE == "set" else [(branch,) for branch in branches]
        for group in groups:
            brief = Brief(name, group, orders.task, orders.trials, orders.wall_seconds, orders.seed)
            emit(Event("attack-started", None, {"attack": name, "branches": [branch.branch_id for branch in group]}))
            _carry_out(brief, module, tools, harvest, emit)
            emit(Event("attack-ended", None, {"attack": name, "branches": [branch.branch_id for branch in group]}))
    return harvest


def _carry_out(brief: Brief, module: Attack, tools: Tools, harvest: Harvest, emit: Callable[[Event], None]) -> None:
    failed, troubles, early, idle = "", [], False, ""
    try:
        for item in module.attack(brief, tools):
            if isinstance(item, Note) and item.kind == SKIPPED:
                idle = item.text
                continue
            _keep(item, brief, module, harvest, emit)
            if isinstance(item, Note) and item.kind in (COULD_NOT_RUN, COULD_NOT_CHECK):
                troubles.append(item)
            if tools.expired(brief):
                early = True
                break
    except GuestLost as error:
        failed = f"the sandbox was lost: {error}"
    except Exception as error:  # noqa: BLE001 - a plug-in's fault costs one attack, never the run
        failed = f"the attack itself failed: {type(error).__name__}: {error} ({_place(error)})"
    for branch in brief.branches:
        mine = [note for note in troubles if note.branch_id in (branch.branch_id, None)]
        lost = failed or "; ".join(note.text for note in mine if note.kind == COULD_NOT_RUN)
        why = lost or "; ".join(note.text for note in mine) or idle
        status = COULD_NOT_RUN if lost else SKIPPED if idle else "ran"
        harvest.attacked[branch.branch_id].append(
            AttackRun(brief.attack, module.LAYER, status, why[:2000], brief.trials, stopped_early=early)
        )


def _place(error: BaseException) -> str:
    """Where an exception came from, for whoever mends the attack."""
    frames = traceback.extract_tb(error.__traceback__)
    last = next((frame for frame in reversed(frames) if "pqa" in PurePath(frame.filename).parts), frames[-1])
    return f"{PurePath(last.filename).name}:{last.lineno}"


def _keep(
    item: Finding | Question | Note | Weighed,
    brief: Brief,
    module: Attack,
    harvest: Harvest,
    emit: Callable[[Event], None],
) -> None:
    if isinstance(item, Finding):
        harvest.findings.append(item)
        emit(
            Event(
                "finding",
                item.branch_id,
                {"id": item.id, "title": item.title, "severity": item.severity, "attack": brief.attack},
            )
        )
    elif isinstance(item, Question):
        harvest.questions.append(item)
        emit(Event("question", None, {"id": item.question_id, "text": item.text}))
    elif isinstance(item, Note):
        harvest.notes.append(item)
        emit(Event("note", item.branch_id, {"kind": item.kind, "text": item.text, "layer": module.LAYER}))
    else:
        harvest.evidence.append(item)
