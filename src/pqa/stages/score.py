"""Score: what its findings leave of each branch; an unresolved critical kills (S14, S16, S23). Pure; it never caps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pqa.core.errors import FindingError
from pqa.core.finding import Finding
from pqa.core.severity import Severity, parse_severity
from pqa.core.verdict import Verdict

FULL = 100.0
WEIGHTS = {Severity.HIGH: 15.0, Severity.MEDIUM: 4.0}
CAPS = {Severity.HIGH: 75.0, Severity.MEDIUM: 12.0}
"""Together under 100, and all mediums under one high: volume never outweighs what is worse; a live branch keeps > 0."""

NEEDED = ("branch_id", "severity", "category", "title", "detail", "resolved")


def score_all(
    findings: Iterable[Finding | Mapping[str, Any]], branch_ids: Iterable[str] | None = None
) -> dict[str, Verdict]:
    """One verdict for every branch, in the order of `branch_ids`, or of first mention where none are given.

    A finding is a `Finding` or a mapping with the seed's six keys. Effective severities are taken as given.
    Raises FindingError (a ValueError) for a finding that cannot be scored.
    """
    by_branch = _branches(branch_ids)
    for position, claim in enumerate(findings):
        finding = _checked(claim, position)
        if branch_ids is not None and finding.branch_id not in by_branch:
            raise FindingError(
                f"{_name(finding.title, position)}: unknown branch_id {finding.branch_id!r}; "
                f"known are {', '.join(map(repr, by_branch)) or 'none'}"
            )
        by_branch.setdefault(finding.branch_id, []).append(finding)
    return {branch_id: _verdict(branch_id, claims) for branch_id, claims in by_branch.items()}


def _branches(branch_ids: Iterable[str] | None) -> dict[str, list[Finding]]:
    if isinstance(branch_ids, str):
        raise FindingError(f"branch_ids must be a list of ids, not the text {branch_ids!r}")
    found: dict[str, list[Finding]] = {}
    for branch_id in branch_ids or ():
        if not isinstance(branch_id, str):
            raise FindingError(f"branch_ids: {branch_id!r} is not text")
        if branch_id in found:
            raise FindingError(f"branch_ids: {branch_id!r} is given twice")
        found[branch_id] = []
    return found


def _checked(claim: object, position: int) -> Finding:
    """The claim as a finding with a known severity and a `resolved` that is true or false."""
    if isinstance(claim, Finding):
        values = {key: getattr(claim, key) for key in (*NEEDED, "discounted")}
    elif isinstance(claim, Mapping):
        values = dict(claim)
    else:
        raise FindingError(f"finding {position}: neither a Finding nor a mapping but {claim!r}")
    name = _name(values.get("title"), position)
    missing = [repr(key) for key in NEEDED if key not in values]
    if missing:
        raise FindingError(f"{name}: missing key {', '.join(missing)}")
    for key in ("branch_id", "category", "title", "detail"):
        if not isinstance(values[key], str):
            raise FindingError(f"{name}: {key} must be text, not {values[key]!r}")
    for key in ("resolved", "discounted"):
        if not isinstance(values.get(key, False), bool):
            raise FindingError(f"{name}: {key} must be true or false, not {values[key]!r}")
    if parse_severity(values["severity"]) is None:
        known = ", ".join(reversed(Severity))
        raise FindingError(f"{name}: unknown severity {values['severity']!r}; known are {known}")
    return Finding(**{key: values[key] for key in NEEDED}, discounted=values.get("discounted", False))


def _name(title: object, position: int) -> str:
    return f"finding {position} {title!r}" if isinstance(title, str) else f"finding {position}"


def _verdict(branch_id: str, claims: list[Finding]) -> Verdict:
    standing = [claim for claim in claims if not claim.resolved and not claim.discounted]
    standing.sort(key=lambda claim: -Severity(claim.severity).rank)
    weighing = [claim for claim in standing if claim.severity != Severity.LOW]
    reasons = tuple(f"{claim.severity}: {claim.title}" for claim in weighing)
    if standing and standing[0].severity == Severity.CRITICAL:
        return Verdict(branch_id, alive=False, score=0.0, death_reason=standing[0].title, reasons=reasons)
    return Verdict(branch_id, alive=True, score=FULL - _weight(weighing), reasons=reasons)


def _weight(claims: list[Finding]) -> float:
    counts = {level: sum(claim.severity == level for claim in claims) for level in WEIGHTS}
    return sum(min(WEIGHTS[level] * count, CAPS[level]) for level, count in counts.items())
