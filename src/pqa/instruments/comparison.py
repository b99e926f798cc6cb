"""Comparison: which flaws are one branch's alone and which several share, from findings and the kill matrix alone (S15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pqa.core.trigger import Json

SCHEMA = "pqa.compare/1"
ORDER = ("critical", "high", "medium", "low")
COUNTED_BY = ("category", "layer")
Finding = Mapping[str, Json]
Matrix = Mapping[str, Mapping[str, str]]


def counted(findings: Sequence[Finding]) -> list[Finding]:
    """The findings that weigh: neither resolved nor discounted nor low."""
    return [
        one for one in findings if not one.get("resolved") and not one.get("discounted") and one["severity"] != "low"
    ]


def is_needed(findings: Sequence[Finding]) -> bool:
    """There is something to compare once findings stand against two branches."""
    return len({one["branch_id"] for one in counted(findings)}) > 1


def compare_findings(findings: Sequence[Finding], matrix: Matrix) -> dict[str, Json]:
    """Flaws by root, worst first, with who has each of them; and counts by category and layer."""
    kept = counted(findings)
    roots: dict[str, list[Finding]] = {}
    for one in kept:
        roots.setdefault(_root(one), []).append(one)
    names = _names(findings, matrix)
    flaws = [_flaw(root, members, matrix, names) for root, members in roots.items()]
    flaws.sort(key=lambda flaw: (ORDER.index(flaw["severity"]), -len(flaw["branches"]), flaw["root"]))
    return {"schema": SCHEMA, "flaws": flaws, **{f"by_{key}": _by(key, kept) for key in COUNTED_BY}}


def _root(finding: Finding) -> str:
    """What joins findings of several branches: their root, else category and title without the branch's own numbers."""
    return str(finding.get("root") or f"{finding['category']}: {finding['title']}")


def _names(findings: Sequence[Finding], matrix: Matrix) -> list[str]:
    known = {str(one["branch_id"]) for one in findings} | {name for row in matrix.values() for name in row}
    return sorted(known, key=lambda name: (len(name), name))


def _flaw(root: str, members: Sequence[Finding], matrix: Matrix, names: Sequence[str]) -> dict[str, Json]:
    rows = [matrix.get(str(one.get("id")), {}) for one in members]
    accused = {str(one["branch_id"]) for one in members}
    shown = {name for row in rows for name, word in row.items() if word == "shown"}
    cleared = {name for name in names if any(row.get(name) == "not-shown" for row in rows)} - accused - shown
    worst = min(members, key=lambda one: ORDER.index(one["severity"]))
    having = [name for name in names if name in accused | shown]
    return {
        "root": root,
        "title": worst["title"],
        "severity": worst["severity"],
        "branches": having,
        "cleared": [name for name in names if name in cleared],
        "unknown": [name for name in names if name not in accused | shown | cleared],
        "words": f"{having[0]} alone" if len(having) == 1 else f"{', '.join(having[:-1])} and {having[-1]}",
        "findings": [str(one.get("id", "")) for one in members],
    }


def _by(key: str, findings: Sequence[Finding]) -> dict[str, Json]:
    """{category: {branch: {severity: count}}}."""
    table: dict[str, Json] = {}
    for one in findings:
        row = table.setdefault(str(one.get(key) or "none"), {}).setdefault(one["branch_id"], {})
        row[one["severity"]] = row.get(one["severity"], 0) + 1
    return {name: table[name] for name in sorted(table)}
