"""Second reader: does what was observed contradict the quoted sentence? One who saw only these says; else it is asked."""

from __future__ import annotations

from dataclasses import replace

from pqa.core.errors import UsageError
from pqa.core.finding import Finding, Question
from pqa.core.oracle import cap_of
from pqa.core.severity import Severity, parse_severity
from pqa.core.trigger import ReplayStatus
from pqa.core.verdict import Collision
from pqa.instruments.asking import story
from pqa.instruments.observation import case_of
from pqa.instruments.quote import shortened

ARROW = " -> "


def second_reading(collision: Collision, finding_id: str, agrees: bool) -> Collision:
    """The run after a second reader's word on one shown finding that quotes the task; it is still to be scored anew.

    Agreeing qualifies the finding and answers its question; disagreeing leaves both. Raises UsageError.
    """
    finding = next((one for one in collision.findings if one.id == finding_id), None)
    if finding is None:
        raise UsageError(f"the run '{collision.run_id}' holds no finding '{finding_id}'", "look into its run.json")
    if not readable(finding):
        message = f"the finding '{finding_id}' is not one that quotes the task and was shown"
        raise UsageError(message, "only such a finding waits for a second reader")
    if not agrees:
        return collision
    told = {"kind": "value", "value": True}
    return replace(
        collision,
        findings=tuple(_qualified(one) if one.id == finding_id else one for one in collision.findings),
        questions=tuple(
            replace(one, answer=one.answer or told, retired=True)
            if one.witness.get("finding_id") == finding_id
            else one
            for one in collision.questions
        ),
    )


def readable(finding: Finding) -> bool:
    """Whether a second reader can add anything to it."""
    shown = finding.replay is not None and finding.replay.status is ReplayStatus.SHOWN
    return finding.oracle == "task-text" and shown and not finding.discounted


def _qualified(finding: Finding) -> Finding:
    """With the upper cap of its oracle, unless something else than that holds its severity down."""
    claimed = parse_severity(finding.claimed_severity) or Severity.LOW
    kind = finding.trigger.kind if finding.trigger else "observation"
    plain, upper = (claimed.at_most(cap_of(finding.oracle, qualified=held, kind=kind)) for held in (False, True))
    level = upper.value if finding.severity == plain.value else finding.severity
    return replace(finding, severity=level, qualified=True)


def reading_question(finding: Finding, row: dict[str, str]) -> Question | None:
    """What is asked while nobody has read a shown finding for the second time; `row` is its line of the kill matrix."""
    if finding.qualified or not readable(finding):
        return None
    quote = shortened(finding.quote or "")
    text = f"The task says '{quote}'. {_observed(finding)}: does that break it?"
    alike = tuple(name for name, word in row.items() if word == "shown") or (finding.branch_id,)
    others = tuple(name for name, word in row.items() if word == "not-shown")
    outcomes = dict.fromkeys(alike, "the finding shows") | dict.fromkeys(others, "it does not show")
    return Question(
        f"q{finding.id}", "value", text, {"finding_id": finding.id}, outcomes,
        tuple(group for group in (alike, others) if group),
    )  # fmt: skip


def _observed(finding: Finding) -> str:
    trigger = finding.trigger
    lines = finding.replay.output.splitlines() if finding.replay else []
    if trigger is None or trigger.kind != "observation":
        return f"A program shows: {shortened(trigger.claim if trigger else finding.title)}"
    told = story(case_of(trigger))
    told = told if told.startswith("after ") else f"after {told}"
    last = next((line.rpartition(ARROW)[2] for line in reversed(lines) if ARROW in line), "")
    return f"A{told[1:]} it answered {last}" if last else f"A{told[1:]} it answered otherwise"
