"""Answering: what a trusted answer makes of what a branch did; it kills only value against value, inside the contract."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pqa.core.contract import Agreed, Answer
from pqa.core.finding import Finding, Question
from pqa.core.trigger import Json, Trigger
from pqa.core.values import canonical, source_text
from pqa.instruments.asking import story
from pqa.instruments.observation import Observed, expected_outcome, leaves_open
from pqa.instruments.outcomes import SEPARATING, Difference, Outcome, describe, difference, kind_of, vector_difference
from pqa.instruments.stand_ins import reads_log

ANY: Json = {"$any": True}
ALIKE = (Difference.FLOAT_CLOSE, Difference.TYPE_ONLY, Difference.MUTATION)
WHO = {"person": "a person", "reference": "the reference"}
MISSED = "The verifier misses it because no test of the branch makes these calls."


def disagreement(rights: Sequence[Json], outcomes: Sequence[Outcome]) -> int | None:
    """The first call that came out separably otherwise than is right; None when there is none, or it cannot be told."""
    for index, (right, outcome) in enumerate(zip(rights, outcomes, strict=False)):
        found = Difference.NONE if leaves_open(right) else difference(expected_outcome(right), outcome)
        if found is Difference.UNKNOWN:
            return None
        if found in SEPARATING:
            return index
    return None


def plain_wrong(right: Json, outcome: Outcome) -> bool:
    """Whether nobody could mean it: another value where a value is right, an exception that nobody raised, no return."""
    if "value" not in expected_outcome(right):
        return False
    return "value" in outcome or "timeout" in outcome or outcome.get("own") is False


def rights_until(rights: Sequence[Json], outcomes: Sequence[Outcome], last: int) -> list[Json]:
    """What to expect of the calls up to `last`; what differs before it in a way that does not count is left open."""
    kept = []
    for right, outcome in zip(rights[:last], outcomes, strict=False):
        same = leaves_open(right) or difference(expected_outcome(right), outcome)
        counts = same in (Difference.NONE, *ALIKE)
        kept.append(right if counts else ANY)
    return [*kept, rights[last]]


def claim(answer: Answer, branch_id: str, outcomes: Sequence[Outcome], *, seed: int = 0) -> Finding | None:
    """The finding that an answer makes of a branch's outcomes on its witness; None when they do not contradict it."""
    position = None if answer.outside else disagreement(answer.values, outcomes)
    if position is None:
        return None
    right, outcome = answer.values[position], outcomes[position]
    by_use = answer.source == "reference" and reads_log(answer.witness, position)
    deadly = answer.tier == "T0" and plain_wrong(right, outcome) and not by_use
    calls = tuple(answer.witness["calls"][: position + 1])
    said, told = right_text(right), f"gives {describe(outcome)}" if "value" in outcome else describe(outcome)
    title = f"{story({**answer.witness, 'calls': list(calls)})} {told}; {WHO[answer.source]} says {said}"
    detail = f"{WHO[answer.source].capitalize()} answered question {answer.question_id}: {said} is right here. {MISSED}"
    if not deadly:
        detail += " It weighs and does not kill: " + (
            "there is more than one right way to use a callable."
            if by_use
            else "the input breaks what all tests keep to."
            if answer.tier != "T0"
            else "the branch refuses the input on purpose."
        )
    trigger = Trigger(
        "observation", title, tuple(answer.witness["setup"]), calls,
        {"values": rights_until(answer.values, outcomes, position)}, seed=seed,
    )  # fmt: skip
    return Finding(
        branch_id, "critical" if deadly else "medium", "answer", title, detail, attack="answers", layer="contract",
        oracle="answer", trigger=trigger, adversary="mechanical", why_missed=MISSED, qualified=deadly,
        root=f"answer:{answer.question_id}",
    )  # fmt: skip


def right_text(right: Json) -> str:
    """What is right, in words."""
    if leaves_open(right):
        return "anything"
    return f"raises {right['$raises']}" if isinstance(right, dict) and "$raises" in right else source_text(right)


def agreed(seen: Sequence[Observed], branches: Mapping[str, Sequence[Outcome]]) -> tuple[str, tuple[Json, ...]]:
    """The kind of answer, and its values, that trusted implementations give together; `branches` is what is in question.

    A call on which they differ is left open; where nothing that they agree on tells a branch wrong, either is fine.
    """
    if not seen or any(not one.complete or "timeout" in one.outcomes[-1] for one in seen):
        return "either", ()
    rights = tuple(_agreed_call([one.outcomes[index] for one in seen]) for index in range(len(seen[0].outcomes)))
    if not any("value" in outcome for one in seen for outcome in one.outcomes):
        return "cannot-happen", ()
    undecided = any(leaves_open(right) for right in rights)
    if undecided and all(disagreement(rights, outcomes) is None for outcomes in branches.values()):
        return "either", ()
    return "value", rights


def is_confirmed(
    rights: Sequence[Json], trusted: Sequence[Observed], branches: Mapping[str, Sequence[Outcome]]
) -> bool:
    """Whether a trusted answer beyond the contract is more than one implementation's chance: several give it, or one and
    a branch. Then the input may happen, and the answer is what is right there."""
    return len(trusted) > 1 or any(disagreement(rights, outcomes) is None for outcomes in branches.values())


def strangers(seen: Sequence[Observed], branches: Mapping[str, Sequence[Outcome]]) -> list[str]:
    """The branches that do what none of the trusted implementations does, where all of these can be compared."""
    known = [one.outcomes for one in seen if one.complete]
    return [
        name
        for name, outcomes in branches.items()
        if known and all(vector_difference(trusted, outcomes) in SEPARATING for trusted in known)
    ]


def rights_of(outcomes: Sequence[Outcome], count: int) -> tuple[Json, ...]:
    """What is right when it is what gave these outcomes; raises ValueError where there is nothing to hold others to."""
    if len(outcomes) != count or any("timeout" in outcome for outcome in outcomes):
        raise ValueError("it does not return there")
    rights = tuple(_right(outcome) for outcome in outcomes)
    if all(map(leaves_open, rights)):
        raise ValueError("what it gives has no plain form")
    return rights


def _right(outcome: Outcome) -> Json:
    kind = kind_of(outcome)
    if kind == "unknown":
        return ANY
    return outcome["value"] if kind == "value" else {"$raises": outcome["raises"]}


def _agreed_call(outcomes: Sequence[Outcome]) -> Json:
    found = {difference(outcomes[0], other) for other in outcomes}
    if not found <= {Difference.NONE, *ALIKE}:
        return ANY
    return _right(outcomes[0])


def settled(question: Question, agreed: Agreed) -> Question:
    """The question with the answer that somebody gave to the same witness before."""
    for answer in agreed.answers:
        same = canonical(dict(answer.witness)) == canonical(dict(question.witness))
        if answer.question_id == question.question_id or same:
            return replace(question, answer=told(answer))
    return question


def told(answer: Answer) -> dict[str, Json]:
    """The answer as a run's question holds it."""
    return {"kind": answer.kind, "value": answer.values[0] if len(answer.values) == 1 else list(answer.values) or None}


def check_of(answer: Answer) -> Finding:
    """A finding against nobody whose trigger holds any code to the answer; its regression test is kept."""
    title = f"{story(answer.witness)} is {', '.join(map(right_text, answer.values))}"
    trigger = Trigger(
        "observation", title, tuple(answer.witness["setup"]), tuple(answer.witness["calls"]), {"values": list(answer.values)}
    )  # fmt: skip
    detail = f"{WHO[answer.source].capitalize()} answered question {answer.question_id} so."
    return Finding("any", "low", "answer", title, detail, id=f"answer_{answer.question_id}", trigger=trigger)
