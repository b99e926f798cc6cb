"""Choose: which survivor to merge, by stated steps; abstain when nothing separates them (DESIGN 8)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.evidence import UNLIKENESS, Weighed
from pqa.core.finding import Finding, Question
from pqa.core.severity import Severity
from pqa.core.trigger import ReplayStatus
from pqa.core.verdict import AttackRun, Choice, Verdict, Verification
from pqa.instruments.weighing import weigh, weigh_each

MEASURES = {
    "contradicted-answers": "fewer answers of those who know that it contradicts",
    "contradicted-outside": "fewer differences from the reference on other type-correct inputs",
    "failed-examples": "fewer failed examples of the task",
    "crashes": "fewer crashes on inputs where others return",
    "irregular-inside": "fewer answers that break what holds wherever all branches answer alike",
    "apart-inside": "closer to the larger group of independent branches, inside the contract",
    "irregular-outside": "fewer answers to other type-correct inputs that break what holds wherever all branches answer alike",
    "apart-outside": "closer to the larger group of independent branches, on other type-correct inputs",
    "transplant": "fewer failures of other branches' tests that pass elsewhere too",
}

PARTED = ("crashes", "irregular-inside", "apart-inside", "irregular-outside", "apart-outside")
"""The measures that partings give."""


@dataclass(frozen=True, slots=True)
class Record:
    """All that the choice may look at of one branch: of its code no more than how like the others' it is, and never its
    length."""

    branch_id: str
    verification: Verification
    attacked: tuple[AttackRun, ...]
    findings: tuple[Finding, ...]
    evidence: Mapping[str, float] = field(default_factory=dict)
    unchanged: bool = False
    parted: Mapping[int, Mapping[str, float]] = field(default_factory=dict)
    """What counts against it on each parting on which it was compared."""

    @property
    def completed(self) -> frozenset[str]:
        """The attacks that ran to their end on this branch."""
        return frozenset(run.attack for run in self.attacked if run.status == "ran" and not run.why)

    @property
    def compared(self) -> bool:
        """Whether an attack put its behaviour beside the others'."""
        return any(run.attack == "differential" and run.status == "ran" for run in self.attacked)

    @property
    def unchecked(self) -> bool:
        """Whether a finding stands against it that works elsewhere and could not be checked here: it is not clean."""
        return any(
            one.replay is not None and one.replay.status is ReplayStatus.COULD_NOT_CHECK
            for one in self.findings
            if not one.resolved and not one.discounted
        )

    def count(self, level: Severity, attacks: frozenset[str]) -> int:
        """Unresolved findings of a level from these attacks, or from outside any attack."""
        return sum(
            finding.severity == level and not finding.resolved and not finding.discounted
            for finding in self.findings
            if finding.attack is None
            or finding.attack in attacks
            or finding.attack not in {run.attack for run in self.attacked}
        )


def records(
    branch_ids: Sequence[str],
    *,
    verifications: Mapping[str, Verification],
    attacked: Mapping[str, Sequence[AttackRun]],
    findings: Sequence[Finding],
    evidence: Sequence[Weighed],
    living: Collection[str],
) -> list[Record]:
    """One record a branch; where branches parted, only the living are counted."""
    totals, each = weigh(evidence, living), weigh_each(evidence, living)
    return [
        Record(
            name,
            verifications[name],
            tuple(attacked.get(name, ())),
            tuple(finding for finding in findings if finding.branch_id == name),
            totals.get(name, {}),
            bool(totals.get(name, {}).get("no-change")),
            each.get(name, {}),
        )
        for name in branch_ids
    ]


def prefer(left: Record, right: Record) -> tuple[int, str]:
    """-1 when `left` is to be preferred, 1 when `right`, 0 when nothing that counts separates them; and why."""
    both = (left.completed & right.completed) | _ran_on_both(left, right)
    steps: list[tuple[float, float, str]] = [
        (left.verification.red, right.verification.red, "its suite is green"),
        (left.unchecked, right.unchecked, "every finding against it could be checked"),
        (left.count(Severity.HIGH, both), right.count(Severity.HIGH, both), "fewer unresolved high findings"),
        (left.unchanged, right.unchanged, "it changes what the task asks to change"),
    ]
    steps += [(*_measured(left, right, name), words) for name, words in MEASURES.items()]
    steps += [
        (not left.verification.verified, not right.verification.verified, "its own or the locked tests verify it"),
        (left.count(Severity.MEDIUM, both), right.count(Severity.MEDIUM, both), "fewer medium findings"),
    ]
    for mine, theirs, words in steps:
        if mine != theirs:
            detail = f"{words} ({_number(min(mine, theirs))} against {_number(max(mine, theirs))})"
            return (-1 if mine < theirs else 1), words if isinstance(mine, bool) else detail
    if left.completed != right.completed and (left.completed < right.completed or right.completed < left.completed):
        return (1 if left.completed < right.completed else -1), "more attacks ran on it to their end"
    return 0, ""


def _measured(left: Record, right: Record, measure: str) -> tuple[float, float]:
    """What a measure counts against each. Where one of them could not be compared on some partings, these count for
    neither, and the one that was compared on fewer is not preferred for what is left."""
    if measure not in PARTED or left.parted.keys() == right.parted.keys():
        return left.evidence.get(measure, 0), right.evidence.get(measure, 0)
    both = left.parted.keys() & right.parted.keys()
    mine, theirs = (sum(one.parted[place].get(measure, 0) for place in both) for one in (left, right))
    fewer = left if len(left.parted) < len(right.parted) else right if len(right.parted) < len(left.parted) else None
    if (fewer is left and mine < theirs) or (fewer is right and theirs < mine):
        return mine, mine
    return mine, theirs


def _ran_on_both(left: Record, right: Record) -> frozenset[str]:
    ran = [frozenset(run.attack for run in record.attacked if run.status == "ran") for record in (left, right)]
    return ran[0] & ran[1]


def _number(value: float) -> str:
    return f"{value:g}"


def choose(found: Sequence[Record], verdicts: Mapping[str, Verdict], questions: Sequence[Question]) -> Choice:
    """The survivor to merge, or an abstention with what would end it."""
    alive = [record for record in found if verdicts[record.branch_id].alive]
    if not alive:
        return Choice(
            None, False, "no survivor: every branch died", would_change=("a branch without an unresolved critical",)
        )
    if len(alive) == 1:
        return Choice(
            alive[0].branch_id, False, _only(alive[0], len(found)), would_change=_would_change(alive[0], questions)
        )
    unbeaten = [one for one in alive if not any(prefer(one, other)[0] > 0 for other in alive if other is not one)]
    open_questions = [question for question in questions if question.is_open]
    if not unbeaten:
        return Choice(
            None, True, "the steps of the choice prefer the branches in a circle", would_change=_asks(open_questions)
        )
    if len(unbeaten) > 1 and not all(record.compared for record in unbeaten):
        names = " and ".join(record.branch_id for record in unbeaten)
        reason = f"nothing separates {names}, and their behaviour could not be compared"
        return Choice(None, True, reason, would_change=("tests that call their public functions with plain values",))
    if len(unbeaten) > 1 and _separated(unbeaten, open_questions):
        names = " and ".join(record.branch_id for record in unbeaten)
        reason = (
            f"nothing that counts separates {names}; they behave differently, and only an answer says which is meant"
        )
        return Choice(None, True, reason, runner_up=None, would_change=_asks(open_questions))
    return _name(unbeaten, alive, questions)


def _name(unbeaten: Sequence[Record], alive: Sequence[Record], questions: Sequence[Question]) -> Choice:
    told = all(UNLIKENESS in record.evidence for record in unbeaten)
    ordered = sorted(
        unbeaten,
        key=lambda record: (-_covered(record), record.evidence[UNLIKENESS] if told else 0.0, record.branch_id),
    )
    winner = ordered[0]
    others = [record for record in alive if record is not winner]
    runner_up = _runner_up(ordered[1:], others)
    verdict, words = prefer(winner, runner_up)
    if verdict == 0:
        mine, theirs = _covered(winner), _covered(runner_up)
        words = f"higher coverage of its own suite ({mine:.0f} % against {theirs:.0f} %)" if mine != theirs else ""
    reason = f"{winner.branch_id} over {runner_up.branch_id}: {words}"
    if not words:
        alike = told and winner.evidence[UNLIKENESS] < runner_up.evidence[UNLIKENESS]
        last = f"{winner.branch_id} is written most as the others are" if alike else "the first by name"
        pair = f"{winner.branch_id} and {runner_up.branch_id}"
        differ = _separated((winner, runner_up), questions)
        reason = f"nothing that counts separates {pair}" if differ else f"{pair} did the same on all that was tried"
        reason += f"; {last}"
    asked = [question for question in questions if question.is_open]
    return Choice(winner.branch_id, False, reason, runner_up.branch_id, words, _would_change(winner, asked))


def _covered(record: Record) -> float:
    return record.verification.own.coverage or 0.0


def _runner_up(tied: Sequence[Record], others: Sequence[Record]) -> Record:
    if tied:
        return tied[0]
    best = others[0]
    for record in others[1:]:
        if prefer(record, best)[0] < 0:
            best = record
    return best


def _separated(unbeaten: Sequence[Record], questions: Sequence[Question]) -> bool:
    names = {record.branch_id for record in unbeaten}
    return any(sum(bool(names & set(group)) for group in question.separates) > 1 for question in questions)


def _asks(questions: Sequence[Question]) -> tuple[str, ...]:
    return tuple(f"an answer to {question.question_id}: {question.text}" for question in questions)


def _would_change(winner: Record, questions: Sequence[Question]) -> tuple[str, ...]:
    mine = [q for q in questions if any(winner.branch_id in group for group in q.separates)]
    return (*_asks(mine), f"a proved critical finding against {winner.branch_id}")


def _only(record: Record, total: int) -> str:
    if total == 1:
        word = record.verification.word
        return f"{record.branch_id} is the only branch, and no attack killed it" + (
            "" if word == "verified" else f" ({word})"
        )
    return f"{record.branch_id} is the only survivor"
