"""Calibration: how often conviction was right (S11), and how often what an adversary claims is proved."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from pqa.core.finding import Finding
from pqa.core.trigger import Json, ReplayStatus
from pqa.core.verdict import Collision
from pqa.ledger.taxonomy import deaths

HIGH_FAILED = "High-conviction branch failed under attack"
MECHANICAL = "mechanical"
SURVIVED = "survived"
UNPROVED = "unproved"


@dataclass(frozen=True, slots=True)
class CalibrationRow:
    """One thing that was claimed and what came of it (see `migrations/0001_first.sql` for the words)."""

    kind: str
    subject: str
    branch_id: str
    outcome: str
    claimed: str | None = None
    attack: str | None = None
    note: str = ""


def calibration_rows(collision: Collision) -> list[CalibrationRow]:
    """A row for every branch with a conviction and a verdict, then one for every finding."""
    return _conviction_rows(collision) + [_severity_row(finding) for finding in collision.findings]


def _conviction_rows(collision: Collision) -> list[CalibrationRow]:
    stages = {death.branch_id: death for death in deaths(collision)}
    rows = []
    for branch in collision.branches:
        if branch.conviction is None or branch.branch_id not in collision.verdicts:
            continue
        level, death = branch.conviction.level.strip().lower(), stages.get(branch.branch_id)
        attacked = death is not None and death.stage == "attack"
        outcome = SURVIVED if death is None else "died under attack" if attacked else "died before attack"
        note = HIGH_FAILED if attacked and level == "high" else ""
        attack = None if death is None else death.attack
        rows.append(CalibrationRow("conviction", level, branch.branch_id, outcome, attack=attack, note=note))
    return rows


def _severity_row(finding: Finding) -> CalibrationRow:
    """Proved means: its replay showed the flaw; the effective severity is then what was proved."""
    proved = finding.replay is not None and finding.replay.status is ReplayStatus.SHOWN and not finding.discounted
    return CalibrationRow(
        "severity",
        finding.adversary or MECHANICAL,
        finding.branch_id,
        finding.severity if proved else UNPROVED,
        claimed=(finding.claimed_severity or finding.severity).strip().lower(),
        attack=finding.attack,
        note=finding.discount_reason or "",
    )


def calibration_rates(connection: sqlite3.Connection) -> dict[str, Json]:
    """{"conviction": {level: {branches, died}}, "adversaries": {name: {claimed level: {claimed, proved}}},
    "attacks": {the same by attack}}; `proved` counts findings that were shown at the level they claimed."""
    return {
        "conviction": {
            row["subject"]: {"branches": row["branches"], "died": row["died"]}
            for row in connection.execute(CONVICTION_RATES, (SURVIVED,))
        },
        "adversaries": _claim_rates(connection, CLAIMS_BY_ADVERSARY),
        "attacks": _claim_rates(connection, CLAIMS_BY_ATTACK),
    }


CONVICTION_RATES = """
    SELECT subject, count(*) AS branches, sum(outcome != ?) AS died
    FROM (
        SELECT calibration.subject, calibration.outcome, max(calibration.rowid)
        FROM calibration JOIN branches USING (run_id, branch_id)
        WHERE calibration.kind = 'conviction' GROUP BY calibration.subject, branches.digest
    ) GROUP BY subject ORDER BY subject
"""
CLAIMS_BY_ADVERSARY = """
    SELECT subject AS name, claimed AS level, count(*) AS claimed, sum(outcome = claimed) AS proved
    FROM calibration WHERE kind = 'severity' GROUP BY subject, claimed ORDER BY subject, claimed
"""
CLAIMS_BY_ATTACK = """
    SELECT attack AS name, claimed AS level, count(*) AS claimed, sum(outcome = claimed) AS proved
    FROM calibration WHERE kind = 'severity' AND attack IS NOT NULL GROUP BY attack, claimed ORDER BY attack, claimed
"""


def _claim_rates(connection: sqlite3.Connection, query: str) -> dict[str, Json]:
    rates: dict[str, Json] = {}
    for row in connection.execute(query):
        rates.setdefault(row["name"], {})[row["level"]] = {"claimed": row["claimed"], "proved": row["proved"]}
    return rates
