"""Defend: was each finding mended by the patched copy, or hidden, or is it another branch now? Computed, never claimed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.branch import Branch
from pqa.core.finding import Finding
from pqa.core.trigger import Json, Trigger
from pqa.core.verdict import CheckRun, Verification
from pqa.instruments.anatomy import Anatomy
from pqa.instruments.burst_left import burst_left
from pqa.instruments.family import Family, Side, judge_family
from pqa.instruments.kept_suite import compare_suites
from pqa.instruments.suppression import in_words, silenced, special_cases
from pqa.instruments.topology import changed

RESOLVED, SUPPRESSED, UNRESOLVED, COULD_NOT_CHECK = "resolved", "suppressed", "unresolved", "could-not-check"
Answer = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Tree:
    """One tree with the ways to run things on it: warm by `side`, `replayed` in fresh sandboxes as often as it says."""

    branch: Branch
    side: Side
    replayed: Callable[[Trigger], bool | None]
    anatomy: Anatomy


@dataclass(frozen=True, slots=True)
class Hearing:
    """All that is looked at to judge one patched copy. `properties` holds, by name, whether each declared property
    holds on it (None: could not check); `raises` says of a trigger how the copy fails where the branch answered."""

    past: Tree
    patched: Tree
    siblings: Mapping[str, Tree]
    suites: tuple[Verification, Verification]
    checks: tuple[Sequence[CheckRun], Sequence[CheckRun]]
    properties: Mapping[str, bool | None] = field(default_factory=dict)
    raises: Callable[[Trigger], str] = lambda trigger: ""
    changed_tests: tuple[str, ...] = ()
    reference: Side | None = None


def answerable(findings: Sequence[Finding], branch_id: str) -> list[Finding]:
    """The findings that a patch can answer: unresolved, of weight, with a trigger."""
    return [
        one
        for one in findings
        if one.branch_id == branch_id and one.trigger is not None and not one.resolved and not one.discounted
    ]


def defend(
    findings: Sequence[Finding], branch_id: str, matrix: Mapping[str, Mapping[str, str]], hearing: Hearing
) -> tuple[Answer, ...]:
    """One answer for each finding of the branch that has a trigger."""
    mine = answerable(findings, branch_id)
    objections = _objections(findings, branch_id, matrix, hearing)
    topology = _topology(hearing)
    judged = ((finding, finding.trigger) for finding in mine)
    return tuple(
        _answer(finding, trigger, matrix, hearing, topology, objections)
        for finding, trigger in judged
        if trigger is not None
    )


@dataclass(frozen=True, slots=True)
class _Objections:
    """What holds against the whole copy, whatever finding it answers."""

    silenced: tuple[str, ...]
    faults: tuple[str, ...]
    doubts: tuple[str, ...]


def _answer(
    finding: Finding,
    trigger: Trigger,
    matrix: Mapping[str, Mapping[str, str]],
    hearing: Hearing,
    topology: str,
    objections: _Objections,
) -> Answer:
    family = Family()
    shown = hearing.patched.replayed(trigger)
    if shown is None:
        status, reason = COULD_NOT_CHECK, "its trigger could not be run on the patched copy"
    elif shown:
        status, reason = UNRESOLVED, "its trigger still shows"
    elif topology:
        status, reason = UNRESOLVED, topology
    else:
        passing = _passing(finding, matrix, hearing)
        family = judge_family(trigger, hearing.past.side, hearing.patched.side, passing)
        burst = burst_left(trigger, hearing.past.side, hearing.patched.side, passing)
        status, reason = _weighed(trigger, family, burst, hearing, objections)
    changed_tests = f"; its tests changed: {', '.join(hearing.changed_tests)}" if hearing.changed_tests else ""
    variants = {"tried": family.tried, "shown": family.shown}
    return {"finding_id": finding.id, "status": status, "reason": reason + changed_tests, "variants": variants}


def _weighed(
    trigger: Trigger, family: Family, burst: str, hearing: Hearing, objections: _Objections
) -> tuple[str, str]:
    """The trigger is gone; why that may not be enough, the gravest first."""
    name = str((trigger.expect or {}).get("property", ""))
    if family.still:
        return (
            SUPPRESSED,
            f"its trigger is gone, but {len(family.still)} of {family.tried} variants still show the flaw",
        )
    if name and hearing.properties.get(name) is False:
        return SUPPRESSED, f"its trigger is gone, but other draws still break '{name}'"
    special = special_cases(hearing.past.anatomy, hearing.patched.anatomy, trigger)
    if special and family.general(special) < 2:
        return (
            SUPPRESSED,
            f"the patch decides by the trigger's own {in_words(special)}, and no variant shows that more is mended",
        )
    if objections.silenced:
        return SUPPRESSED, "; ".join(objections.silenced)
    fails = hearing.raises(trigger) or burst
    if fails:
        return UNRESOLVED, fails
    if family.new:
        return UNRESOLVED, f"{len(family.new)} of {family.tried} variants show a flaw that they did not show before"
    if objections.faults:
        return UNRESOLVED, "; ".join(objections.faults)
    if objections.doubts:
        return COULD_NOT_CHECK, "; ".join(objections.doubts)
    return RESOLVED, _proof(family)


def _proof(family: Family) -> str:
    if not family.tried:
        return "its trigger does not show any more; no variant could be judged"
    return f"neither its trigger nor any of {family.tried} variants shows; {len(family.mended)} of them showed before"


def _passing(finding: Finding, matrix: Mapping[str, Mapping[str, str]], hearing: Hearing) -> list[Side]:
    """Who says what is right on the variants: the trusted implementation where it passes the trigger, else the siblings."""
    trigger, reference = finding.trigger, hearing.reference
    if reference is not None and trigger is not None and reference.shows(trigger) is False:
        return [reference]
    row = matrix.get(finding.id, {})
    return [tree.side for name, tree in hearing.siblings.items() if row.get(name) == "not-shown"]


def _topology(hearing: Hearing) -> str:
    siblings = {name: tree.anatomy for name, tree in hearing.siblings.items()}
    past, patched = hearing.past.anatomy, hearing.patched.anatomy
    return "" if past.trouble or patched.trouble else changed(past, patched, siblings)


def _objections(
    findings: Sequence[Finding], branch_id: str, matrix: Mapping[str, Mapping[str, str]], hearing: Hearing
) -> _Objections:
    kept = compare_suites(*hearing.suites)
    faults, doubts = [*_checked(hearing), *kept.faults], list(kept.doubts)
    anatomies = [tree.anatomy for tree in (hearing.past, hearing.patched)]
    doubts += [f"its syntax could not be compared: {one.trouble}" for one in anatomies if one.trouble]
    for finding in findings:
        if finding.trigger is not None and matrix.get(finding.id, {}).get(branch_id) == "not-shown":
            shown = hearing.patched.side.shows(finding.trigger)
            whose = f"the trigger of {finding.id} against {finding.branch_id}"
            faults += [f"{whose} now shows on it"] if shown else []
            doubts += [f"{whose} could not be run on it"] if shown is None else []
    broken_before = {
        str((one.trigger.expect or {}).get("property")) for one in answerable(findings, branch_id) if one.trigger
    }
    for name, holds in hearing.properties.items():
        if name not in broken_before:
            faults += [f"it breaks the property '{name}'"] if holds is False else []
            doubts += [f"the property '{name}' could not be checked on it"] if holds is None else []
    return _Objections(tuple(silenced(hearing.past.anatomy, hearing.patched.anatomy)), tuple(faults), tuple(doubts))


def _checked(hearing: Hearing) -> list[str]:
    """Static checks that the branch passed and the copy fails."""
    before = {run.command for run in hearing.checks[0] if run.status == "passed"}
    return [
        f"it fails the static check '{run.command}'"
        for run in hearing.checks[1]
        if run.status == "failed" and run.command in before
    ]
