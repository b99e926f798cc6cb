"""Admit: from what was submitted to findings that can be replayed: whose word each rests on, and what speaks against it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from pqa.core.finding import Finding
from pqa.core.severity import Severity
from pqa.core.trigger import Trigger
from pqa.core.values import canonical
from pqa.instruments.quote import in_task

ATTACK = "adversary:"
MINIMUM_RUNS = 2
REASON_IN_DETAIL = re.compile(r"\bthe verifier misses it because\b.{8,}", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Grounds:
    """What a submission is held against: the task's text, the properties given with it, who submits."""

    task: str
    properties: Collection[str]
    adversary: str


def admit(claims: Iterable[Finding], grounds: Grounds) -> list[Finding]:
    """Each claim with its oracle, which is decided here and never taken from outside; some are discounted at once."""
    return [_admitted(claim, grounds) for claim in claims]


def _admitted(claim: Finding, grounds: Grounds) -> Finding:
    trigger = claim.trigger
    if trigger is not None:
        trigger = replace(trigger, runs=max(MINIMUM_RUNS, trigger.runs))
    finding = replace(
        claim,
        id="",
        attack=f"{ATTACK}{grounds.adversary}",
        adversary=grounds.adversary,
        claimed_severity=claim.severity,
        oracle=_oracle(claim, grounds),
        trigger=trigger,
        root=None if trigger is None else root_of(trigger),
    )
    reason = _against(finding, grounds)
    if reason:
        return replace(finding, severity=Severity.LOW.value, discounted=True, discount_reason=reason)
    return finding


def _oracle(claim: Finding, grounds: Grounds) -> str:
    name = ((claim.trigger.expect if claim.trigger else None) or {}).get("property")
    if name is not None and name in grounds.properties:
        return "task"
    return "task-text" if claim.quote and claim.oracle != "opinion" else "opinion"


def _against(finding: Finding, grounds: Grounds) -> str:
    """Why it counts for nothing before anything is run; "" when it may be replayed."""
    if finding.trigger is None:
        return "it has no concrete trigger"
    if finding.quote and not in_task(finding.quote, grounds.task):
        return "its quote is not in the task"
    if not finding.why_missed and not REASON_IN_DETAIL.search(finding.detail):
        return "it does not say why the verifier misses it"
    name = (finding.trigger.expect or {}).get("property")
    if name is not None and name not in grounds.properties:
        return f"the property '{str(name)[:80]}' was not given with the task"
    return ""


def root_of(trigger: Trigger) -> str:
    """What two findings share when they are one: a broken property, or the very same trigger."""
    name = (trigger.expect or {}).get("property")
    if name is not None:
        return f"property:{name}"
    parts = [list(trigger.setup), list(trigger.calls), trigger.expect, trigger.source]
    return "trigger:" + hashlib.sha256(canonical(parts).encode("utf-8", "replace")).hexdigest()[:16]


def sort_in(known: Sequence[Finding], new: Sequence[Finding]) -> tuple[list[Finding], list[Finding], list[Finding]]:
    """(known that stay, new that are taken, new that say what is known): a flaw is kept once a branch.

    A new finding takes the place of a known one that was discounted, or that was an opinion where it is more.
    """
    staying, taken, doubled = list(known), list[Finding](), list[Finding]()
    for finding in new:
        same = [one for one in (*staying, *taken) if _keys(one) & _keys(finding)]
        if any(not _weaker(one, finding) for one in same):
            doubled.append(finding)
            continue
        staying = [one for one in staying if one not in same]
        taken = [*(one for one in taken if one not in same), finding]
    return staying, taken, doubled


def _keys(finding: Finding) -> set[tuple[str, str]]:
    keys = {finding.id, finding.root, root_of(finding.trigger) if finding.trigger else None}
    return {(finding.branch_id, key) for key in keys if key}


def _weaker(known: Finding, new: Finding) -> bool:
    if new.discounted:
        return False
    return known.discounted or (known.oracle == "opinion" and new.oracle != "opinion")
