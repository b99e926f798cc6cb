"""Answer: what an answer makes of a run: its claims, the questions that it settles or retires, and which is asked next. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from pqa.core.contract import Answer
from pqa.core.evidence import Evidence
from pqa.core.finding import Finding, Question
from pqa.core.trigger import Json
from pqa.core.verdict import Collision
from pqa.instruments.answering import claim, told
from pqa.instruments.asking import among, can_settle, word

MEASURE, ENOUGH = "contradicted-answers", 2


@dataclass(frozen=True, slots=True)
class Answered:
    """The run with its question answered, and the claims that follow; they are not proved before a replay."""

    collision: Collision
    claims: tuple[Finding, ...] = ()


def living(collision: Collision) -> frozenset[str]:
    """The branches that are alive."""
    return frozenset(name for name, verdict in collision.verdicts.items() if verdict.alive)


def contenders(collision: Collision) -> frozenset[str]:
    """The living branches that contradict the fewest answers."""
    counts = dict.fromkeys(living(collision), 0.0)
    for item in collision.evidence:
        if isinstance(item, Evidence) and item.measure == MEASURE and item.branch_id in counts:
            counts[item.branch_id] += item.count
    return frozenset(name for name, count in counts.items() if count == min(counts.values()))


def open_questions(collision: Collision, *, costless: bool = False) -> list[Question]:
    """What is still to be asked, in order: contract questions, then what tells most living branches apart, odd ones last.

    A person is asked a contract question only where it tells apart branches that may be chosen. Where an answer is
    `costless`, every question whose answer can prove a living branch wrong is asked, those inside the contract first. A
    spare one follows where nothing else is left to ask.
    """
    alive, best = living(collision), contenders(collision)
    found = [narrowed for one in collision.questions if (narrowed := _open(one, alive, alive if costless else best))]
    found = [one for one in found if not costless or can_settle(one)]
    asked = [one for one in found if not one.spare] or _due(found, collision.questions)
    return sorted(asked, key=lambda one: ((one.kind == "contract") == costless, -separated(one)))


def _due(spare: Sequence[Question], questions: Sequence[Question]) -> list[Question]:
    """The spare questions about branches between which one answer left things open; two are enough to ask no more."""
    left_open = Counter(
        pair for one in questions if (one.answer or {}).get("kind", "value") != "value" for pair in _pairs(one)
    )
    return [one for one in spare if any(left_open[pair] in range(1, ENOUGH) for pair in _pairs(one))]


def _pairs(question: Question) -> set[frozenset[str]]:
    return {
        frozenset((left, right))
        for one, other in combinations(question.separates, 2)
        for left in one
        for right in other
    }


def _open(question: Question, alive: Collection[str], best: Collection[str]) -> Question | None:
    if question.answer is not None or question.retired:
        return None
    if is_finding(question):
        return question
    needed = question.tier == "T0" or among(question, best) is not None
    return among(question, alive) if needed else None


def is_finding(question: Question) -> bool:
    """Whether it asks if a finding is right, and not which outcome is."""
    return "finding_id" in question.witness


def separated(question: Question) -> int:
    """How many pairs of branches it tells apart."""
    return sum(len(left) * len(right) for left, right in combinations(question.separates, 2))


def answer_of(question: Question, kind: str, values: Sequence[Json] = (), *, source: str = "person") -> Answer:
    """The answer to a question, with all that is needed to hold branches to it in a later run."""
    return Answer(
        question.question_id, kind, tuple(values), source, question.function, question.relation, question.tier, question.witness
    )  # fmt: skip


def answer(collision: Collision, given: Answer, *, strangers: Collection[str] = ()) -> Answered:
    """Settle one question; the others that break the same relation are retired unless a value was the answer.

    `strangers` did what no trusted implementation does, though these differ: it is held against them, and no finding.
    """
    question = next(one for one in collision.questions if one.question_id == given.question_id)
    questions = tuple(_settled(one, question, given) for one in collision.questions)
    found = {
        name: claim(given, name, question.observed[name], seed=collision.seed) for name in sorted(question.observed)
    }
    evidence = tuple(Evidence(name, "answers", MEASURE, 1, 1) for name in sorted(strangers))
    run = replace(collision, questions=questions, evidence=(*collision.evidence, *evidence))
    return Answered(run, tuple(one for one in found.values() if one is not None))


def _settled(one: Question, question: Question, given: Answer) -> Question:
    if one.question_id == question.question_id:
        return replace(one, answer=told(given))
    return replace(one, retired=True) if given.outside and _akin(one, question) and one.answer is None else one


def _akin(one: Question, question: Question) -> bool:
    return one.relation is not None and (one.function, one.relation) == (question.function, question.relation)


def inside(question: Question) -> Question:
    """The question once it is settled that its input may happen: for a value, inside the contract."""
    permitted = replace(question, kind="value", relation=None, tier="T0")
    return replace(permitted, text=word(permitted))


def permit(collision: Collision, question_id: str) -> Collision:
    """The input may happen: it and every open question that breaks the same relation now ask for a value, inside the
    contract."""
    question = next(one for one in collision.questions if one.question_id == question_id)
    return replace(
        collision,
        questions=tuple(
            inside(one) if (one is question or _akin(one, question)) and not one.answer else one
            for one in collision.questions
        ),
    )


def add(collision: Collision, findings: Sequence[Finding]) -> Collision:
    """The run with these replayed findings beside its own; one that it already holds is replaced."""
    new = {finding.id: finding for finding in findings}
    kept = tuple(finding for finding in collision.findings if finding.id not in new)
    held = [one for one in collision.findings if one.id in new]
    weighed = [one for one in findings if not one.discounted and one not in held]
    evidence = tuple(Evidence(one.branch_id, "answers", MEASURE, 1, 1) for one in weighed)
    return replace(collision, findings=(*kept, *findings), evidence=(*collision.evidence, *evidence))
