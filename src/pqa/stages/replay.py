"""Replay: does the trigger show the flaw each time, in fresh sandboxes, and not on an inert double? Caps are set here."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.event import Event
from pqa.core.finding import Finding
from pqa.core.oracle import cap_of
from pqa.core.ports import Engine, Zygote
from pqa.core.severity import Severity, parse_severity
from pqa.core.trigger import Replay, ReplayStatus, Trigger

MAXIMUM_TRIGGERS = 40
TRUSTED = ("task", "answer", "reference", "law")

Demonstrate = Callable[[Zygote, Branch, Trigger, bool], tuple[bool | None, str]]
"""Run a trigger once (inert or not): shown, not shown or could not check, and what came back in words."""


@dataclass(frozen=True, slots=True)
class Bench:
    """What replays need: fresh sandboxes, warm ones for the matrix, the way to run a trigger, the tier to stamp."""

    fresh: Callable[[Branch, int], Zygote]
    warm: Callable[[Branch], Zygote]
    demonstrate: Demonstrate
    engine: Engine
    tier: str
    emit: Callable[[Event], None]


def replay(findings: Sequence[Finding], branches: Mapping[str, Branch], bench: Bench) -> list[Finding]:
    """Every finding with its replay and its effective severity; joined by branch and root, worst claim first."""
    joined = _join(findings)
    kept, folded = joined[:MAXIMUM_TRIGGERS], joined[MAXIMUM_TRIGGERS:]
    judged = list(bench.engine.map(lambda finding: _judge(finding, branches[finding.branch_id], bench), kept))
    return judged + [_discount(finding, None, "more triggers than a run replays") for finding in folded]


def _join(findings: Sequence[Finding]) -> list[Finding]:
    """One finding a root and branch, worst first; the order of equals is that of discovery."""
    seen: dict[tuple[str, str], Finding] = {}
    ordered = sorted(findings, key=lambda finding: -_rank(finding))
    for finding in ordered:
        seen.setdefault((finding.branch_id, finding.root or finding.id), finding)
    return list(seen.values())


def _rank(finding: Finding) -> int:
    level = parse_severity(finding.severity)
    return level.rank if level else 0


def _judge(finding: Finding, branch: Branch, bench: Bench) -> Finding:
    if finding.trigger is None:
        judged = _discount(finding, None, "it has no concrete trigger")
    else:
        judged = weigh(finding, _replay_once(finding.trigger, branch, bench))
    status = judged.replay.status.value if judged.replay else "none"
    bench.emit(
        Event(
            "finding-replayed",
            finding.branch_id,
            {"id": judged.id, "title": judged.title, "severity": judged.severity, "status": status},
        )
    )
    return judged


def _replay_once(trigger: Trigger, branch: Branch, bench: Bench) -> Replay:
    runs = max(1, trigger.runs)
    results: list[bool | None] = []
    words = ""
    for run in range(runs):
        shown, words = _in_fresh(trigger, branch, bench, hash_seed=run, inert=False)
        results.append(shown)
    count = sum(shown is True for shown in results)
    status = _status(results)
    if status is ReplayStatus.SHOWN and _in_fresh(trigger, branch, bench, hash_seed=0, inert=True)[0] is True:
        status, words = ReplayStatus.VACUOUS, "it also shows on an inert double, in which no body of the branch runs"
    return Replay(status, runs, count, words, bench.tier)


def _in_fresh(
    trigger: Trigger, branch: Branch, bench: Bench, *, hash_seed: int, inert: bool
) -> tuple[bool | None, str]:
    try:
        with bench.fresh(branch, hash_seed) as zygote:
            return bench.demonstrate(zygote, branch, trigger, inert)
    except GuestLost as error:
        return None, f"the sandbox was lost: {error}"


def _status(results: Sequence[bool | None]) -> ReplayStatus:
    if all(results):
        return ReplayStatus.SHOWN
    if any(results):
        return ReplayStatus.FLAKY
    return ReplayStatus.COULD_NOT_CHECK if None in results else ReplayStatus.NOT_SHOWN


def weigh(finding: Finding, replay: Replay) -> Finding:
    """The finding with its effective severity: the lower of what is claimed and what its oracle can carry."""
    claimed = parse_severity(finding.claimed_severity or finding.severity) or Severity.LOW
    if replay.status in (ReplayStatus.NOT_SHOWN, ReplayStatus.VACUOUS):
        return _discount(finding, replay, f"its trigger is {replay.status.value}")
    kind = finding.trigger.kind if finding.trigger else "observation"
    level = claimed.at_most(cap_of(finding.oracle, qualified=finding.qualified, kind=kind))
    if replay.status is ReplayStatus.FLAKY:
        level = level.one_down()
    if replay.status is ReplayStatus.COULD_NOT_CHECK:
        level = level.at_most(Severity.MEDIUM)
    return replace(finding, severity=level.value, claimed_severity=claimed.value, replay=replay)


def _discount(finding: Finding, replay: Replay | None, reason: str) -> Finding:
    claimed = finding.claimed_severity or finding.severity
    return replace(
        finding,
        severity=Severity.LOW.value,
        claimed_severity=claimed,
        replay=replay,
        discounted=True,
        discount_reason=reason,
    )


def kill_matrix(findings: Sequence[Finding], branches: Sequence[Branch], bench: Bench) -> dict[str, dict[str, str]]:
    """Every kept trigger on every branch: the accused's own replay, and one fork on each sibling."""
    kept = [finding for finding in findings if finding.trigger is not None and not finding.discounted][
        :MAXIMUM_TRIGGERS
    ]
    cells = [(finding, branch) for finding in kept for branch in branches]
    words = list(bench.engine.map(lambda cell: _cell(cell[0], cell[1], bench), cells))
    matrix: dict[str, dict[str, str]] = {}
    for (finding, branch), word in zip(cells, words, strict=True):
        matrix.setdefault(finding.id, {})[branch.branch_id] = word
    return matrix


def _cell(finding: Finding, branch: Branch, bench: Bench) -> str:
    if branch.branch_id == finding.branch_id and finding.replay is not None:
        return finding.replay.status.value
    if finding.trigger is None:
        return "not-applicable"
    try:
        shown, _ = bench.demonstrate(bench.warm(branch), branch, finding.trigger, False)
    except GuestLost:
        return ReplayStatus.COULD_NOT_CHECK.value
    return {True: "shown", False: "not-shown", None: "could-not-check"}[shown]
