"""The whole flow on one page: kill early, verify, attack, replay, score, choose; and the seed's two names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pqa.core.branch import Branch
from pqa.core.event import Event
from pqa.core.evidence import Kinship
from pqa.core.finding import Finding, Note
from pqa.core.ports import Attack, Engine, Sandbox, Tools
from pqa.core.task import Task
from pqa.core.verdict import NOT_JUDGED, AttackRun, CheckRun, Choice, Collision, SuiteRun, Verdict, Verification
from pqa.instruments.asking import among
from pqa.instruments.recount import recount
from pqa.stages.attack import Harvest, Orders, attack
from pqa.stages.choose import choose, records
from pqa.stages.early_kill import DEATH_REASON, died
from pqa.stages.replay import Bench, kill_matrix, replay
from pqa.stages.score import score_all
from pqa.stages.second_reader import reading_question

__all__ = ["Finding", "Parts", "Plan", "collide", "score_all"]


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be judged."""

    run_id: str
    task: Task
    branches: tuple[Branch, ...]
    orders: Orders
    versions: Mapping[str, str] = field(default_factory=dict)
    stamps: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    until: str = "choose"


@dataclass(frozen=True, slots=True)
class Parts:
    """The concrete parts, reached through ports: `wiring` picks them."""

    sandbox: Sandbox
    engine: Engine
    attacks: Mapping[str, Attack]
    tools: Tools
    bench: Bench
    check: Callable[[Sequence[Branch]], Mapping[str, tuple[CheckRun, ...]]]
    verify: Callable[[Branch], Verification]
    keep: Callable[[Mapping[str, Verification]], None]
    emit: Callable[[Event], None]
    clock: Callable[[], float]


def collide(plan: Plan, parts: Parts) -> Collision:
    """Judge all branches; nothing that could not be checked is counted as clean."""
    times: dict[str, float] = {}
    began = parts.clock()
    branches = plan.branches
    parts.emit(Event("run-started", None, _start(plan, parts)))
    checks = _timed("early-kill", lambda: parts.check(branches), parts, times)
    dead = {name for name, runs in checks.items() if died(runs)}
    live = tuple(branch for branch in branches if branch.branch_id not in dead)
    if plan.until == "early-kill":
        return _ended(_stopped(plan, parts, checks, {}), parts, times, began)
    verifications = _timed("verify", lambda: _verify(live, parts), parts, times)
    if plan.until == "verify":
        return _ended(_stopped(plan, parts, checks, verifications), parts, times, began)
    parts.keep(verifications)
    harvest = _timed(
        "attack",
        lambda: attack(live, parts.attacks, orders=plan.orders, tools=parts.tools, emit=parts.emit),
        parts,
        times,
    )
    by_name = {branch.branch_id: branch for branch in branches}
    findings = _timed("replay", lambda: replay(harvest.findings, by_name, parts.bench), parts, times)
    matrix = _timed("kill-matrix", lambda: kill_matrix(findings, live, parts.bench), parts, times)
    verdicts = _verdicts(branches, dead, findings, harvest, plan)
    collision = Collision(
        plan.run_id, plan.task, parts.sandbox.tier, plan.orders.seed, branches, checks,
        {branch.branch_id: verifications.get(branch.branch_id, _unverified()) for branch in branches},
        {name: verdict.attacked for name, verdict in verdicts.items()},
        tuple(findings), matrix, (), (*plan.notes, *harvest.notes), tuple(harvest.evidence), verdicts=verdicts,
        versions=plan.versions, stamps=plan.stamps,
    )  # fmt: skip
    read = [reading_question(one, matrix.get(one.id, {})) for one in findings]
    collision = rescore(replace(collision, questions=(*harvest.questions, *(one for one in read if one))))
    if plan.until == "attack":
        collision = replace(collision, choice=_pending(plan.until))
    return _ended(collision, parts, times, began)


def _ended(collision: Collision, parts: Parts, times: dict[str, float], began: float) -> Collision:
    times["total"] = parts.clock() - began
    parts.emit(Event("run-ended", None, {"run_id": collision.run_id}))
    return replace(collision, timing={name: round(seconds, 3) for name, seconds in times.items()})


def _pending(stage: str) -> Choice:
    return Choice(None, True, f"{NOT_JUDGED}: only the stages up to '{stage}' ran")


def _stopped(
    plan: Plan, parts: Parts, checks: Mapping[str, tuple[CheckRun, ...]], verifications: Mapping[str, Verification]
) -> Collision:
    """A run that ended before its attacks: the dead have a verdict, the others none, and nothing looks clean."""
    choice = _pending(plan.until)
    dead = [name for name, runs in checks.items() if died(runs)]
    skipped = {
        branch.branch_id: tuple(
            AttackRun(name, one.LAYER, "skipped", choice.reason) for name, one in parts.attacks.items()
        )
        for branch in plan.branches
        if branch.branch_id not in dead
    }
    verdicts = {name: _early(name) for name in dead}
    return Collision(
        plan.run_id, plan.task, parts.sandbox.tier, plan.orders.seed, plan.branches, checks, verifications,
        {**skipped, **{name: verdict.attacked for name, verdict in verdicts.items()}},
        notes=plan.notes, verdicts=verdicts, choice=choice, versions=plan.versions, stamps=plan.stamps,
    )  # fmt: skip


def _early(name: str) -> Verdict:
    skipped = AttackRun("all", "", "skipped", DEATH_REASON)
    return Verdict(name, False, 0.0, DEATH_REASON, (DEATH_REASON,), (skipped,))


def rescore(collision: Collision) -> Collision:
    """Score and choose anew from the findings, questions and defenses that the run now holds; nothing is run."""
    scored = _scored(collision)
    living = {name for name, verdict in scored.verdicts.items() if verdict.alive}
    kin = {item.branch_id: item.first for item in collision.evidence if isinstance(item, Kinship)}
    findings = recount(scored.findings, scored.kill_matrix, living, kin)
    return conclude(_scored(replace(scored, findings=findings)))


def _scored(collision: Collision) -> Collision:
    scored = score_all(collision.findings, list(collision.verdicts))
    early = {name for name, runs in collision.checks.items() if died(runs)}
    verdicts = {
        name: old if name in early else replace(scored[name], attacked=old.attacked)
        for name, old in collision.verdicts.items()
    }
    return replace(collision, verdicts=verdicts)


def conclude(collision: Collision) -> Collision:
    """Drop the open questions that only the dead are told apart by, and choose among the living."""
    alive = {name for name, verdict in collision.verdicts.items() if verdict.alive}
    questions = tuple(
        asked for one in collision.questions if (asked := one if one.answer else among(one, alive)) is not None
    )
    names = [branch.branch_id for branch in collision.branches]
    found = records(
        names, verifications=collision.verifications, attacked=collision.attacked, findings=collision.findings,
        evidence=collision.evidence, living=alive,
    )  # fmt: skip
    return replace(collision, questions=questions, choice=choose(found, collision.verdicts, questions))


def _start(plan: Plan, parts: Parts) -> dict[str, Any]:
    names = [branch.branch_id for branch in plan.branches]
    return {"run_id": plan.run_id, "branches": names, "sandbox": parts.sandbox.tier, "seed": plan.orders.seed}


def _timed(stage: str, work: Callable[[], Any], parts: Parts, times: dict[str, float]) -> Any:
    parts.emit(Event("stage-started", None, {"stage": stage}))
    began = parts.clock()
    result = work()
    times[stage] = parts.clock() - began
    parts.emit(Event("stage-ended", None, {"stage": stage}))
    return result


def _verify(live: Sequence[Branch], parts: Parts) -> dict[str, Verification]:
    results = parts.engine.map(parts.verify, live)
    return {branch.branch_id: result for branch, result in zip(live, results, strict=True)}


def _unverified() -> Verification:
    return Verification(SuiteRun("could-not-check", "it died before its suite was run"))


def _verdicts(
    branches: Sequence[Branch], dead: set[str], findings: Sequence[Finding], harvest: Harvest, plan: Plan
) -> dict[str, Verdict]:
    scored = score_all(findings, [branch.branch_id for branch in branches])
    verdicts = {}
    for branch in branches:
        name, verdict = branch.branch_id, scored[branch.branch_id]
        if name in dead:
            verdicts[name] = _early(name)
        else:
            verdicts[name] = replace(verdict, attacked=tuple(harvest.attacked.get(name, ())))
    return verdicts
