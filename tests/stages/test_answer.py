"""Answer: it kills only inside the contract and value against value; what it settles or makes needless is not asked again."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from pqa.collision import rescore
from pqa.core.branch import Branch
from pqa.core.contract import Answer
from pqa.core.evidence import Evidence
from pqa.core.finding import Finding, Question
from pqa.core.task import Task
from pqa.core.trigger import Replay, ReplayStatus, Trigger
from pqa.core.verdict import AttackRun, Collision, SuiteRun, Verdict, Verification
from pqa.stages.answer import add, answer, answer_of, contenders, open_questions, permit

CALL = {"on": None, "call": "shop.total", "args": [[3, 1]], "kwargs": {}}
MISSED = "The verifier misses it because no test of the branch makes these calls."


def question(name: str = "q1", relation: str | None = None, **outcomes: Any) -> Question:
    """One call; branches with equal outcomes stand in one group."""
    groups: dict[str, tuple[str, ...]] = {}
    for branch_id, outcome in outcomes.items():
        groups[repr(outcome)] = (*groups.get(repr(outcome), ()), branch_id)
    return Question(
        name,
        "contract" if relation else "value",
        f"{name}?",
        {"setup": [], "calls": [CALL]},
        {branch_id: repr(outcome) for branch_id, outcome in outcomes.items()},
        tuple(groups.values()),
        function="shop.total",
        relation=relation,
        tier="T1" if relation else "T0",
        observed={branch_id: [outcome] for branch_id, outcome in outcomes.items()},
    )


def run_of(*questions: Question, names: tuple[str, ...] = ("b0", "b1", "b2")) -> Collision:
    branches = tuple(Branch(name, f"/candidates/{name}", f"sha256:{name}", "") for name in names)
    ran = AttackRun("differential", "assumptions", "ran")
    return Collision(
        "r1", Task("# Shop"), "full", 7, branches,
        verifications={name: Verification(SuiteRun("green")) for name in names},
        attacked=dict.fromkeys(names, (ran,)),
        verdicts={name: Verdict(name, True, 100.0, attacked=(ran,)) for name in names},
        questions=questions,
    )  # fmt: skip


def value(number: Any) -> dict[str, Any]:
    return {"value": number}


def shown(finding: Finding) -> Finding:
    return replace(finding, replay=Replay(ReplayStatus.SHOWN, 2, 2, "", "full"))


def test_another_value_inside_the_contract_is_a_critical_claim_and_the_agreeing_branch_has_none() -> None:
    asked = question(b0=value(4), b1=value(3))
    answered = answer(run_of(asked), answer_of(asked, "value", [4]))
    title = "total([3, 1]) gives 3; a person says 4"
    assert answered.claims == (
        Finding(
            "b1", "critical", "answer", title,
            f"A person answered question q1: 4 is right here. {MISSED}",
            attack="answers", layer="contract", oracle="answer",
            trigger=Trigger("observation", title, (), (CALL,), {"values": [4]}, seed=7),
            adversary="mechanical", why_missed=MISSED, qualified=True, root="answer:q1",
        ),
    )  # fmt: skip
    assert answered.collision.questions == (replace(asked, answer={"kind": "value", "value": 4}),)


@pytest.mark.parametrize(
    ("outcome", "severity"),
    [
        (value(5), "critical"),
        ({"raises": "IndexError", "own": False}, "critical"),
        ({"timeout": 2.0}, "critical"),
        ({"raises": "ValueError", "own": True}, "medium"),
        (value(4.0), None),
        (value({"$type": "other", "class": "Money"}), None),
    ],
)
def test_what_contradicts_a_value_kills_unless_it_was_raised_on_purpose(outcome: Any, severity: str | None) -> None:
    asked = question(b0=value(4), b1=outcome)
    claims = answer(run_of(asked), answer_of(asked, "value", [4])).claims
    assert [(one.branch_id, one.severity) for one in claims] == ([("b1", severity)] if severity else [])


def test_outside_the_contract_a_value_weighs_and_does_not_kill() -> None:
    asked = question(relation="sorted(prices)", b0=value(4), b1=value(3))
    (claim,) = answer(run_of(asked), answer_of(asked, "value", [4])).claims
    assert (claim.severity, claim.qualified) == ("medium", False)


def test_a_sequence_is_judged_by_its_first_differing_call_and_what_does_not_count_before_it_is_left_open() -> None:
    calls = [CALL, CALL, CALL]
    seen = {"b0": [value([1, 2]), value(1), value(9)], "b1": [value([2, 1]), value(2), value(8)]}
    asked = replace(question(b0=value(1), b1=value(2)), witness={"setup": [], "calls": calls}, observed=seen)
    (claim,) = answer(run_of(asked), answer_of(asked, "value", [[1, 2], 1, 9])).claims
    assert claim.trigger is not None
    assert (claim.branch_id, claim.severity, len(claim.trigger.calls)) == ("b1", "critical", 2)
    assert claim.trigger.expect == {"values": [{"$any": True}, 1]}


@pytest.mark.parametrize("kind", ["either", "cannot-happen"])
def test_an_answer_without_a_value_accuses_nobody_and_retires_the_questions_that_break_the_same_relation(
    kind: str,
) -> None:
    first = question("q1", "sorted(prices)", b0=value(4), b1=value(3))
    same = question("q2", "sorted(prices)", b0=value(1), b1=value(2))
    other = question("q3", "nonempty(prices)", b0=value(0), b1=value(1))
    answered = answer(run_of(first, same, other), answer_of(first, kind))
    assert answered.claims == ()
    assert answered.collision.questions == (
        replace(first, answer={"kind": kind, "value": None}),
        replace(same, retired=True),
        other,
    )


def test_input_that_may_happen_is_asked_for_its_value_inside_the_contract() -> None:
    asked = question("q1", "sorted(prices)", b0=value(4), b1=value(3))
    (now,) = permit(run_of(asked), "q1").questions
    assert (now.kind, now.relation, now.tier) == ("value", None, "T0")
    assert (
        now.text
        == "total([3, 1]): b0: {'value': 4}; b1: {'value': 3}: which is meant, is either fine, or can it not happen?"
    )


def test_contract_questions_come_first_then_what_tells_most_branches_apart() -> None:
    few = question("few", b0=value(1), b1=value(1), b2=value(2))
    many = question("many", b0=value(1), b1=value(2), b2=value(3))
    contract = question("contract", "sorted(prices)", b0=value(1), b1=value(2), b2=value(2))
    run = run_of(few, many, contract)
    assert [one.question_id for one in open_questions(run)] == ["contract", "many", "few"]
    assert [one.question_id for one in open_questions(run, costless=True)] == ["many", "few", "contract"]


def asked_next(run: Collision) -> list[str]:
    return [one.question_id for one in open_questions(run)]


def test_spare_question_is_asked_where_an_answer_left_things_open_between_the_branches_that_it_tells_apart() -> None:
    first = question("first", b0=value(1), b1=value(2), b2=value(2))
    other = replace(question("other", b0=value(1), b1=value(1), b2=value(2)), spare=True)
    again = replace(question("again", b0=value(5), b1=value(6), b2=value(6)), spare=True)
    run = run_of(first, again)
    assert asked_next(run) == ["first"]
    assert asked_next(answer(run, answer_of(first, "either")).collision) == ["again"]
    assert asked_next(answer(run_of(first, other), answer_of(first, "cannot-happen")).collision) == ["other"]


def test_spare_question_waits_for_those_that_are_not_answered_yet_and_is_needless_after_a_value() -> None:
    first = question("first", b0=value(1), b1=value(2), b2=value(2))
    second = question("second", b0=value(1), b1=value(1), b2=value(2))
    again = replace(question("again", b0=value(5), b1=value(6), b2=value(6)), spare=True)
    run = run_of(first, second, again)
    assert asked_next(answer(run, answer_of(first, "either")).collision) == ["second"]
    assert asked_next(answer(run_of(first, again), answer_of(first, "value", [3])).collision) == []


def test_two_answers_that_leave_things_open_are_enough() -> None:
    first = question("first", b0=value(1), b1=value(2))
    again, third = (replace(question(name, b0=value(5), b1=value(6)), spare=True) for name in ("again", "third"))
    run = answer(run_of(first, again, third, names=("b0", "b1")), answer_of(first, "either")).collision
    assert asked_next(run) == ["again", "third"]
    assert asked_next(answer(run, answer_of(again, "either")).collision) == []


def test_spare_question_keeps_no_branch_from_being_chosen() -> None:
    spare = replace(question("again", b0=value(5), b1=value(6)), spare=True)
    chosen = rescore(run_of(spare, names=("b0", "b1"))).choice
    asked = rescore(run_of(replace(spare, spare=False), names=("b0", "b1"))).choice
    assert chosen is not None
    assert asked is not None
    assert (chosen.abstained, asked.abstained) == (False, True)


def test_those_who_cost_nothing_are_not_asked_what_no_answer_can_settle() -> None:
    refuses = {"raises": "ValueError", "own": True}
    run = run_of(question("weighing", b0=refuses, b1=value(2)), names=("b0", "b1"))
    assert open_questions(run, costless=True) == []
    assert asked_next(run) == ["weighing"]


def test_questions_that_tell_no_two_living_branches_apart_are_not_asked() -> None:
    asked = question(b0=value(1), b1=value(2), b2=value(1))
    run = run_of(asked)
    dead = replace(run, verdicts={**run.verdicts, "b1": Verdict("b1", False, 0.0, "wrong")})
    assert open_questions(dead) == []


def test_contract_question_that_tells_no_two_contenders_apart_is_not_asked() -> None:
    contract = question("contract", "sorted(prices)", b0=value(1), b1=value(2), b2=value(1))
    inside = question("inside", b0=value(1), b1=value(2), b2=value(1))
    run = replace(run_of(contract, inside), evidence=(Evidence("b1", "answers", "contradicted-answers", 1, 1),))
    assert contenders(run) == {"b0", "b2"}
    assert [one.question_id for one in open_questions(run)] == ["inside"]


def test_answered_run_is_scored_anew_with_its_question_kept_and_the_rest_dropped() -> None:
    asked = question("q1", b0=value(4), b1=value(3), b2=value(4))
    needless = question("q2", b0=value(1), b1=value(2), b2=value(1))
    answered = answer(run_of(asked, needless), answer_of(asked, "value", [4]))
    run = rescore(add(answered.collision, [shown(one) for one in answered.claims]))
    assert {name: verdict.alive for name, verdict in run.verdicts.items()} == {"b0": True, "b1": False, "b2": True}
    assert [one.question_id for one in run.questions] == ["q1"]
    assert run.choice is not None
    assert run.choice.branch_id == "b0"


def test_discounted_claim_is_kept_and_holds_nothing_against_its_branch() -> None:
    asked = question(b0=value(4), b1=value(3))
    answered = answer(run_of(asked), answer_of(asked, "value", [4]))
    refuted = replace(answered.claims[0], severity="low", discounted=True)
    assert add(answered.collision, [refuted]).evidence == ()


def test_branch_that_does_what_no_trusted_implementation_does_is_weighed_down_and_not_accused() -> None:
    asked = question(b0=value(4), b1=value(3), b2=value(9))
    given = answer_of(asked, "either", source="reference")
    answered = answer(run_of(asked), given, strangers=["b2"])
    assert answered.claims == ()
    assert contenders(answered.collision) == {"b0", "b1"}


def test_answer_holds_all_that_a_later_run_needs() -> None:
    asked = question("q1", "sorted(prices)", b0=value(4), b1=value(3))
    assert answer_of(asked, "value", [4], source="reference") == Answer(
        "q1", "value", (4,), "reference", "shop.total", "sorted(prices)", "T1", {"setup": [], "calls": [CALL]}
    )
