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
INERT_TOO = "it also shows on an inert double, in which no body of the branch runs"
EVERYWHERE = "it shows on every branch and has no control"

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
    controls: tuple[Branch, ...] = ()
    """Code that is no branch of the run (the base, a reference) on which a submitted trigger may also not show."""


def replay(findings: Sequence[Finding], branches: Mapping[str, Branch], bench: Bench) -> list[Finding]:
    """Every finding with its replay and its effective severity; joined by branch and root, worst claim first."""
    joined = _join(findings)
    kept, folded = joined[:MAXIMUM_TRIGGERS], joined[MAXIMUM_TRIGGERS:]
    judged = list(bench.engine.map(lambda finding: _judge(finding, branches, bench), kept))
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


def _judge(finding: Finding, branches: Mapping[str, Branch], bench: Bench) -> Finding:
    if finding.trigger is None:
        judged = _discount(finding, None, "it has no concrete trigger")
    else:
        replayed = _replay_once(finding.trigger, branches[finding.branch_id], branches, bench)
        judged = weigh(finding, replayed)
        if submitted(finding) and replayed.status not in (ReplayStatus.NOT_SHOWN, ReplayStatus.VACUOUS):
            judged = _controlled(finding, replayed, _control_answers(finding.trigger, finding, branches, bench))
    status = judged.replay.status.value if judged.replay else "none"
    bench.emit(
        Event(
            "finding-replayed",
            finding.branch_id,
            {"id": judged.id, "title": judged.title, "severity": judged.severity, "status": status},
        )
    )
    return judged


def _replay_once(trigger: Trigger, branch: Branch, branches: Mapping[str, Branch], bench: Bench) -> Replay:
    runs = max(1, trigger.runs)
    results: list[bool | None] = []
    words = ""
    for run in range(runs):
        shown, words = _in_fresh(trigger, branch, bench, hash_seed=run)
        results.append(shown)
    count = sum(shown is True for shown in results)
    status = _status(results)
    if status is ReplayStatus.SHOWN and _warm(trigger, branch, bench, inert=True) is True:
        others = [one for name, one in branches.items() if name != branch.branch_id]
        if not _lies_in_surface(trigger, others, bench):
            status, words = ReplayStatus.VACUOUS, INERT_TOO
    return Replay(status, runs, count, words, bench.tier)


def _lies_in_surface(trigger: Trigger, others: Sequence[Branch], bench: Bench) -> bool:
    """Whether what shows on an inert double lies in its names and signatures, which the double keeps: another branch, on
    which it does not show, stops in a body when it is inert."""
    if trigger.kind != "observation":
        return False
    return any(
        _warm(trigger, other, bench) is False and _warm(trigger, other, bench, inert=True) is False for other in others
    )


def submitted(finding: Finding) -> bool:
    """Whether the claim rests on the word of the one who claims it, so that its trigger needs one more control."""
    if finding.oracle in TRUSTED or finding.trigger is None:
        return False
    return finding.oracle in ("task-text", "opinion") or finding.trigger.kind == "program"


def _controlled(finding: Finding, replayed: Replay, answers: Mapping[str, bool | None]) -> Finding:
    """Weighed with the control of submitted claims: on at least one other input, branch or the base it must not show."""
    passed = next((name for name, shown in answers.items() if shown is False), None)
    if replayed.status is ReplayStatus.COULD_NOT_CHECK:
        if set(answers.values()) <= {None}:
            return _discount(finding, replayed, "its trigger could not be checked on any branch")
        return weigh(finding, replayed)
    if passed is not None:
        return weigh(finding, replace(replayed, output=f"{replayed.output}\ncontrol: not shown on {passed}".strip()))
    if answers and None not in answers.values():
        return weigh(finding, replace(replayed, status=ReplayStatus.VACUOUS, output=EVERYWHERE))
    where = f"tried on {', '.join(answers)}" if answers else "there is no sibling, no base and no control input"
    words = f"{replayed.output}\nits control could not be checked: {where}".strip()
    weighed = weigh(finding, replace(replayed, output=words))
    level = parse_severity(weighed.severity) or Severity.LOW
    return replace(weighed, severity=level.at_most(Severity.MEDIUM).value)


def _control_answers(
    trigger: Trigger, finding: Finding, branches: Mapping[str, Branch], bench: Bench
) -> dict[str, bool | None]:
    """What the trigger says where it may not show, up to the first place where it does not."""
    accused = branches[finding.branch_id]
    places: list[tuple[str, Branch, Trigger]] = []
    if trigger.kind == "observation" and trigger.control and trigger.control.get("calls"):
        other = replace(trigger, calls=tuple(trigger.control["calls"]), control=None)
        places.append(("its control input", accused, other))
    places += [(one.branch_id, one, trigger) for one in branches.values() if one is not accused]
    places += [(f"the {one.branch_id}", one, trigger) for one in bench.controls]
    answers: dict[str, bool | None] = {}
    for name, branch, tried in places:
        answers[name] = _warm(tried, branch, bench)
        if answers[name] is False:
            break
    return answers


def _warm(trigger: Trigger, branch: Branch, bench: Bench, *, inert: bool = False) -> bool | None:
    try:
        return bench.demonstrate(bench.warm(branch), branch, trigger, inert)[0]
    except GuestLost:
        return None


def _in_fresh(trigger: Trigger, branch: Branch, bench: Bench, *, hash_seed: int) -> tuple[bool | None, str]:
    try:
        with bench.fresh(branch, hash_seed) as zygote:
            return bench.demonstrate(zygote, branch, trigger, False)
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
        why = f": {replay.output}" if replay.status is ReplayStatus.VACUOUS else ""
        return _discount(finding, replay, f"its trigger is {replay.status.value}{why}")
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
    return {True: "shown", False: "not-shown", None: "could-not-check"}[_warm(finding.trigger, branch, bench)]
