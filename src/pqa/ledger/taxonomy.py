"""Taxonomy: why branches died, kept so that a like approach meets its predecessor's death reason (S5, S24)."""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.finding import Finding
from pqa.core.severity import Severity
from pqa.core.verdict import CheckRun, Collision

EXCERPT_LENGTH = 2_000


@dataclass(frozen=True, slots=True)
class Death:
    """One entry of the failure taxonomy; `stage` is "static" (early kill) or "attack"."""

    branch_id: str
    stage: str
    death_reason: str
    excerpt: str
    finding_id: str | None = None
    attack: str | None = None
    category: str | None = None


@dataclass(frozen=True, slots=True)
class PriorDeath:
    """A death in an earlier run that a branch of this run should know of.

    `likeness` is "same code" (equal digest, whatever the task) or "same approach" (equal task and topology axis).
    """

    branch_id: str
    likeness: str
    run_id: str
    at: str
    dead_branch_id: str
    stage: str
    death_reason: str
    excerpt: str


def task_digest(text: str) -> str:
    """A name for what was asked, the same however the text is wrapped."""
    return hashlib.sha256(" ".join(text.split()).encode("utf-8", "backslashreplace")).hexdigest()[:16]


def axis_key(topology_axis: str | None) -> str | None:
    """A topology axis as it is compared: case and spacing do not count; an empty one is none."""
    text = (topology_axis or "").encode("utf-8", "backslashreplace").decode("utf-8")
    return " ".join(text.casefold().split()) or None


def deaths(collision: Collision) -> list[Death]:
    """One death for every branch whose verdict says so, in the order of the branches."""
    names = [branch.branch_id for branch in collision.branches]
    dead = [name for name in names if name in collision.verdicts and not collision.verdicts[name].alive]
    return [_death(collision, name) for name in dead]


def _death(collision: Collision, branch_id: str) -> Death:
    reason = collision.verdicts[branch_id].death_reason or "no reason was given"
    killer = killing_finding(collision, branch_id)
    if killer is not None:
        excerpt = _excerpt(f"{killer.title}: {killer.detail}")
        return Death(branch_id, "attack", reason, excerpt, killer.id, killer.attack, killer.category)
    failed = [run for run in collision.checks.get(branch_id, ()) if run.status == "failed"]
    return Death(branch_id, "static" if failed else "attack", reason, _check_excerpt(failed))


def killing_finding(collision: Collision, branch_id: str) -> Finding | None:
    """The unresolved critical that the death reason names, else the first one, else None."""
    standing = [
        finding
        for finding in collision.findings
        if finding.branch_id == branch_id
        and finding.severity == Severity.CRITICAL
        and not finding.resolved
        and not finding.discounted
    ]
    named = [finding for finding in standing if finding.title == collision.verdicts[branch_id].death_reason]
    return next(iter(named or standing), None)


def _check_excerpt(failed: list[CheckRun]) -> str:
    return _excerpt(f"{failed[0].command}\n{failed[0].output or failed[0].why}") if failed else ""


def _excerpt(text: str) -> str:
    return text if len(text) <= EXCERPT_LENGTH else text[: EXCERPT_LENGTH - 1] + "…"


RERUNS = 50
PRIOR = """
    SELECT runs.run_id, runs.at, runs.task_digest, branches.branch_id, branches.digest, branches.topology_axis,
           deaths.stage, deaths.death_reason, deaths.excerpt
    FROM deaths JOIN branches USING (run_id, branch_id) JOIN runs USING (run_id)
    WHERE runs.run_id IS NOT ? AND (branches.digest = ? OR (runs.task_digest = ? AND branches.topology_axis = ?))
    ORDER BY runs.at DESC, runs.run_id DESC, branches.branch_id
    LIMIT ?
"""


def prior_deaths(
    connection: sqlite3.Connection, task_text: str, branches: Iterable[Branch], *, except_run: str | None, limit: int
) -> list[PriorDeath]:
    """For each branch, at most `limit` deaths of like ones in other runs, newest first; one that died again of the
    same in a later run is told once."""
    found: list[PriorDeath] = []
    for branch in branches:
        keys = (except_run, branch.digest, task_digest(task_text), axis_key(branch.topology_axis), limit * RERUNS)
        told_before: set[tuple[str, str]] = set()
        for row in connection.execute(PRIOR, keys):
            death = (row["digest"], row["death_reason"])
            if death in told_before or len(told_before) == limit:
                continue
            told_before.add(death)
            likeness = "same code" if row["digest"] == branch.digest else "same approach"
            told = (row["run_id"], row["at"], row["branch_id"], row["stage"], row["death_reason"], row["excerpt"])
            found.append(PriorDeath(branch.branch_id, likeness, *told))
    return found
