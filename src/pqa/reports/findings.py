"""Findings: worst first, each with its proof and the way to see it again; lows and discounted ones folded to a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from pqa.core.finding import Finding, Question
from pqa.core.severity import parse_severity
from pqa.core.trigger import ReplayStatus
from pqa.core.verdict import Collision
from pqa.reports.tables import STYLES
from pqa.reports.text import plain, plain_lines

FOLDED_TITLES = 3
OUTPUT_LINES = 6


def worst_first(collision: Collision) -> list[Finding]:
    """Every finding that is told in full: no lows, none discounted; worst first, then by branch and title."""
    told = [finding for finding in collision.findings if finding.severity != "low" and not finding.discounted]
    return sorted(
        told, key=lambda finding: (-_rank(finding), finding.resolved, finding.branch_id, finding.title, finding.id)
    )


def finding_blocks(collision: Collision) -> Iterator[RenderableType]:
    """One block a finding, then one of at most two lines for what is folded."""
    for finding in worst_first(collision):
        yield _block(finding, collision.run_id)
    lows = [finding for finding in collision.findings if finding.severity == "low" and not finding.discounted]
    discounted = [finding for finding in collision.findings if finding.discounted]
    folded = [_folded(f"{len(lows)} low", lows)] if lows else []
    if discounted:
        folded.append(_folded(f"{len(discounted)} discounted, without proof", discounted))
    if folded:
        yield Group(*folded)


def _rank(finding: Finding) -> int:
    level = parse_severity(finding.severity)
    return -1 if level is None else level.rank


def _block(finding: Finding, run_id: str) -> RenderableType:
    style = STYLES.get(finding.severity, "")
    head = Text.assemble((plain(finding.severity).upper(), style), "  ", (plain(finding.branch_id), "bold"), "  ")
    head.append(plain(finding.title, length=300), style="bold")
    if finding.resolved:
        head.append("  resolved", style="green")
    body: list[RenderableType] = [Text(plain(finding.detail))]
    if finding.why_missed and finding.why_missed not in finding.detail:
        body.append(Text(f"Why the tests miss it: {plain(finding.why_missed)}"))
    body.append(_proof(finding))
    body += [Text(line, style="dim") for line in _output(finding)]
    body.append(_again(finding, run_id))
    return Padding(Group(head, Padding(Group(*body), (0, 0, 0, 2))), (0, 0, 0, 2))


def _proof(finding: Finding) -> Text:
    parts = [Text(replay_words(finding), style=_proof_style(finding))]
    if finding.replay is not None and finding.replay.sandbox:
        parts.append(Text(f"sandbox {plain(finding.replay.sandbox)}"))
    parts += [
        Text(f"{key} {plain(value)}")
        for key, value in (("oracle", finding.oracle), ("attack", finding.attack))
        if value
    ]
    if finding.claimed_severity and finding.claimed_severity.lower() != finding.severity:
        parts.append(Text(f"claimed {plain(finding.claimed_severity)}"))
    return Text(" · ").join(parts)


def _proof_style(finding: Finding) -> str:
    shown = finding.replay is not None and finding.replay.status is ReplayStatus.SHOWN
    return "" if shown else "bold yellow"


def replay_words(finding: Finding) -> str:
    """ "shown 2 of 2", or why there is no proof."""
    replay = finding.replay
    if replay is None:
        return "not replayed"
    if replay.status in (ReplayStatus.SHOWN, ReplayStatus.FLAKY):
        return f"{replay.status.value} {replay.shown} of {replay.runs}"
    return replay.status.value.replace("-", " ")


def _output(finding: Finding) -> list[str]:
    return plain_lines(finding.replay.output, count=OUTPUT_LINES) if finding.replay is not None else []


def _again(finding: Finding, run_id: str) -> Text:
    if finding.trigger is None:
        return Text(f"id {plain(finding.id)}, no trigger", style="dim")
    lines = Text.assemble("again    ", (f"pqa replay {plain(run_id)} {plain(finding.id)}", "cyan"))
    lines.append(f"\ntrigger  .pqa/runs/{plain(run_id)}/triggers/{plain(finding.id)}.py")
    return lines


def _folded(what: str, findings: Sequence[Finding]) -> RenderableType:
    titles = [f"{plain(finding.branch_id)} {plain(finding.title, length=80)}" for finding in findings[:FOLDED_TITLES]]
    rest = len(findings) - len(titles)
    more = f"; and {rest} more in run.json" if rest else ""
    return Padding(Text(f"{what}: {'; '.join(titles)}{more}", style="dim"), (0, 0, 0, 2))


def question_block(question: Question) -> RenderableType:
    """The question, and who says what."""
    groups: dict[str, list[str]] = {}
    for name, outcome in question.outcomes.items():
        groups.setdefault(plain(outcome, length=200), []).append(plain(name))
    lines = [Text.assemble((", ".join(names), "bold"), f": {outcome}") for outcome, names in groups.items()]
    body = Padding(Group(*lines), (0, 0, 0, 2))
    return Padding(Group(Text.assemble(("? ", "cyan"), plain(question.text, length=600)), body), (0, 0, 0, 2))
