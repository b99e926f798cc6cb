"""Gate: the one way by which findings from outside enter a run: admitted, replayed, capped, joined, scored anew."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from pqa.collision import rescore
from pqa.core.branch import Branch
from pqa.core.finding import Finding, Note
from pqa.core.verdict import Collision
from pqa.stages.admit import Grounds, admit, sort_in
from pqa.stages.early_kill import died
from pqa.stages.replay import Bench, kill_matrix, replay
from pqa.stages.second_reader import reading_question


@dataclass(frozen=True, slots=True)
class Gate:
    """What a replay needs of a run: its bench, its branches by name, the properties that were given with the task."""

    bench: Bench
    branches: Mapping[str, Branch]
    properties: Collection[str]


@dataclass(frozen=True, slots=True)
class Taken:
    """The run with what was taken in, the findings as they were judged, and those that say what is known already."""

    collision: Collision
    judged: tuple[Finding, ...] = ()
    doubled: tuple[Finding, ...] = ()


def take_in(collision: Collision, claims: Mapping[str, Sequence[Finding]], gate: Gate) -> Taken:
    """`claims` are what each adversary submitted, well-formed; the run is scored anew from what was proved."""
    admitted = [
        finding
        for name, submitted in claims.items()
        for finding in admit(submitted, Grounds(collision.task.text, gate.properties, name))
    ]
    staying, taken, doubled = sort_in(collision.findings, admitted)
    early = {name for name, runs in collision.checks.items() if died(runs)}
    branches = {name: branch for name, branch in gate.branches.items() if name not in early}
    proved = replay([one for one in taken if not one.discounted], branches, gate.bench)
    judged = [*proved, *(one for one in taken if one.discounted)]
    rows = kill_matrix(proved, list(branches.values()), gate.bench)
    findings = (*staying, *judged)
    matrix = {**collision.kill_matrix, **rows}
    kept = {one.id for one in findings}
    asked = [reading_question(one, rows.get(one.id, {})) for one in proved]
    known = {one.question_id for one in collision.questions}
    collision = replace(
        collision,
        findings=findings,
        kill_matrix={name: row for name, row in matrix.items() if name in kept},
        questions=(*collision.questions, *(one for one in asked if one and one.question_id not in known)),
        notes=(*collision.notes, *_notes(claims, judged, doubled)),
    )
    return Taken(rescore(collision), tuple(judged), tuple(doubled))


def _notes(
    claims: Mapping[str, Sequence[Finding]], judged: Sequence[Finding], doubled: Sequence[Finding]
) -> list[Note]:
    notes = []
    for name, submitted in claims.items():
        mine = [one for one in judged if one.adversary == name]
        counted = sum(not one.discounted for one in mine)
        known = sum(one.adversary == name for one in doubled)
        more = f", {known} known already" if known else ""
        text = f"{name} submitted {_count(len(submitted))}: {counted} count, {len(mine) - counted} discounted{more}"
        notes.append(Note("submitted", text))
    return notes


def _count(number: int) -> str:
    return f"{number} finding{'' if number == 1 else 's'}"
