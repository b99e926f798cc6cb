"""Tables: the branches and the kill matrix, as rich renderables; on a narrow screen one line a branch instead."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pqa.core.branch import Branch
from pqa.core.finding import Finding
from pqa.core.verdict import Collision, SuiteRun, Verification
from pqa.reports.text import percent, plain

NARROW = 72
SEVERITIES = ("critical", "high", "medium", "low")
STYLES = {"critical": "bold red", "high": "red", "medium": "yellow", "low": "dim"}
CELLS = {
    "shown": ("SHOWN", "bold red"),
    "not-shown": ("not shown", "green"),
    "flaky": ("flaky", "yellow"),
    "vacuous": ("vacuous", "dim"),
    "could-not-check": ("not checked", "bold yellow"),
    "not-applicable": ("n/a", "dim"),
}


def branch_table(collision: Collision, *, width: int) -> RenderableType:
    """One row a branch: state, verification word, tests, coverage, unresolved findings, score."""
    rows = [_branch_cells(collision, branch) for branch in collision.branches]
    if width < NARROW:
        return Padding(Text("\n").join(_joined(row) for row in rows), (0, 0, 0, 2))
    table = _table("branch", "state", "verification", "tests", "coverage", "findings", "score")
    for row in rows:
        table.add_row(*row)
    return Padding(table, (0, 0, 0, 2))


def _branch_cells(collision: Collision, branch: Branch) -> list[Text]:
    name = branch.branch_id
    verdict = collision.verdicts.get(name)
    verification = collision.verifications.get(name)
    return [
        Text(plain(name), style="bold"),
        _state(collision, name),
        _word(verification),
        Text(_tests(verification)),
        Text(_coverage(verification)),
        count_by_severity(finding for finding in collision.findings if finding.branch_id == name),
        Text("–" if verdict is None else f"{verdict.score:.1f}".removesuffix(".0")),
    ]


def _joined(cells: Sequence[Text]) -> Text:
    name, state, word, tests, coverage, findings, score = cells
    parts = [word, tests, Text.assemble("coverage ", coverage), Text.assemble("findings ", findings)]
    return Text(", ").join([Text.assemble(name, " ", state), *parts, Text.assemble("score ", score)])


def _state(collision: Collision, name: str) -> Text:
    verdict = collision.verdicts.get(name)
    if verdict is None:
        return Text("not judged", style="bold yellow")
    if not verdict.alive:
        return Text("dead", style="bold red")
    chosen = collision.choice is not None and collision.choice.branch_id == name
    return Text("chosen" if chosen else "alive", style="bold green" if chosen else "green")


def _word(verification: Verification | None) -> Text:
    if verification is None:
        return Text("not run", style="dim")
    styles = {"verified": "green", "red": "bold red", "UNVERIFIED": "bold yellow"}
    return Text(verification.word, style=styles[verification.word])


def _tests(verification: Verification | None) -> str:
    if verification is None:
        return "–"
    own, locked = verification.own, verification.locked
    parts = ["no tests of its own" if own.status in ("absent", "empty") else suite_counts(own)]
    return "; ".join([*parts, f"locked: {suite_counts(locked)}"] if locked is not None else parts)


def suite_counts(suite: SuiteRun) -> str:
    """What became of a suite's tests, in words and numbers."""
    if suite.status == "could-not-check":
        return "not checked"
    words = (("passed", ("passed",)), ("failed", ("failed", "error")), ("skipped", ("skipped", "xfailed")))
    counts = [(word, sum(suite.count(outcome) for outcome in outcomes)) for word, outcomes in words]
    return ", ".join(f"{count} {word}" for word, count in counts if count) or suite.status


def _coverage(verification: Verification | None) -> str:
    return "–" if verification is None or verification.own.coverage is None else percent(verification.own.coverage)


def count_by_severity(findings: object) -> Text:
    """ "1 critical, 2 high": what counts, that is neither resolved nor discounted; "none" without any."""
    counted = Counter(
        finding.severity
        for finding in (findings if hasattr(findings, "__iter__") else ())
        if isinstance(finding, Finding) and not finding.resolved and not finding.discounted
    )
    known = [Text(f"{counted[level]} {level}", style=STYLES[level]) for level in SEVERITIES if counted[level]]
    return Text(", ").join(known) if known else Text("none", style="dim")


def kill_matrix(collision: Collision, shown: Sequence[Finding]) -> RenderableType | None:
    """Findings against branches, in the order of `shown`; None when nothing was replayed on the set."""
    listed = {finding.id: finding for finding in shown if finding.id in collision.kill_matrix}
    if not listed:
        return None
    names = [branch.branch_id for branch in collision.branches]
    table = _table("finding", *map(plain, names))
    for finding_id, finding in listed.items():
        row = collision.kill_matrix[finding_id]
        table.add_row(Text(plain(finding_id), style=STYLES.get(finding.severity, "")), *_matrix_cells(row, names))
    return Padding(table, (0, 0, 0, 2))


def _matrix_cells(row: Mapping[str, str], names: Sequence[str]) -> list[Text]:
    cells = [CELLS.get(row.get(name, "not-applicable"), (plain(row.get(name, "")), "")) for name in names]
    return [Text(word, style=style) for word, style in cells]


def _table(*headings: str) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for heading in headings:
        table.add_column(heading, overflow="fold", no_wrap=heading == "state")
    return table
