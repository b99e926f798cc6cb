"""Choose: which survivor to merge, by stated steps, and when to name none."""

from __future__ import annotations

from dataclasses import replace

from pqa.core.evidence import Evidence, Parting
from pqa.core.finding import Finding, Question
from pqa.core.verdict import AttackRun, SuiteRun, Verdict, Verification
from pqa.stages.choose import Record, choose, prefer, records

GREEN = Verification(SuiteRun("green", coverage=90.0))
RED = Verification(SuiteRun("red", coverage=90.0))
NONE = Verification(SuiteRun("absent"))
RAN = (AttackRun("differential", "assumptions", "ran"), AttackRun("hollow", "suite", "ran"))
STOPPED = (AttackRun("differential", "assumptions", "could-not-run", "it broke the sandbox"), RAN[1])


def high(branch_id: str, attack: str = "hollow") -> Finding:
    return Finding(branch_id, "high", "c", f"{branch_id} {attack}", "d", attack=attack)


def question(*groups: tuple[str, ...]) -> Question:
    outcomes = {name: str(number) for number, group in enumerate(groups) for name in group}
    return Question("q1", "value", "which?", {}, outcomes, groups)


def judge(
    *names: str,
    dead: tuple[str, ...] = (),
    verifications: dict[str, Verification] | None = None,
    attacked: dict[str, tuple[AttackRun, ...]] | None = None,
    findings: tuple[Finding, ...] = (),
    evidence: tuple[Evidence | Parting, ...] = (),
    questions: tuple[Question, ...] = (),
):
    verdicts = {name: Verdict(name, name not in dead, 100.0) for name in names}
    found = records(
        names,
        verifications={name: (verifications or {}).get(name, GREEN) for name in names},
        attacked={name: (attacked or {}).get(name, RAN) for name in names},
        findings=findings,
        evidence=evidence,
        living=set(names) - set(dead),
    )
    return choose(found, verdicts, questions)


def test_no_survivor_is_said_when_all_are_dead() -> None:
    choice = judge("b0", "b1", dead=("b0", "b1"))
    assert (choice.branch_id, choice.abstained, choice.reason) == (None, False, "no survivor: every branch died")


def test_the_only_survivor_is_chosen() -> None:
    assert judge("b0", "b1", dead=("b0",)).reason == "b1 is the only survivor"


def test_an_open_question_between_the_best_is_an_abstention_that_names_it() -> None:
    choice = judge("b0", "b1", questions=(question(("b0",), ("b1",)),))
    assert (choice.branch_id, choice.abstained) == (None, True)
    assert choice.would_change == ("an answer to q1: which?",)


def test_an_answered_question_no_longer_keeps_from_choosing() -> None:
    answered = replace(question(("b0",), ("b1",)), answer={"kind": "either"})
    choice = judge("b0", "b1", questions=(answered,))
    assert (choice.branch_id, choice.reason) == ("b0", "nothing that counts separates b0 and b1; the first by name")


def test_branches_that_did_the_same_on_all_that_was_tried_are_told_apart_by_name_and_it_says_so() -> None:
    choice = judge("b0", "b1")
    assert choice.branch_id == "b0"
    assert choice.reason == "b0 and b1 did the same on all that was tried; the first by name"


def unlike(**distances: float) -> tuple[Evidence, ...]:
    return tuple(Evidence(name, "differential", "unlikeness", distance, 3) for name, distance in distances.items())


def test_of_branches_that_did_the_same_the_one_written_most_as_the_others_is_named() -> None:
    choice = judge("b0", "b1", "b2", evidence=unlike(b0=0.5, b1=0.2, b2=0.4))
    assert (choice.branch_id, choice.runner_up) == ("b1", "b2")
    assert choice.reason == "b1 and b2 did the same on all that was tried; b1 is written most as the others are"
    assert judge("b0", "b1", evidence=unlike(b1=0.2)).branch_id == "b0"


def test_how_a_branch_is_written_outweighs_nothing_that_it_did() -> None:
    worse = (*unlike(b0=0.5, b1=0.2), Evidence("b1", "task", "failed-examples", 1, 4))
    assert judge("b0", "b1", evidence=worse).branch_id == "b0"
    asked = judge("b0", "b1", evidence=unlike(b0=0.5, b1=0.2), questions=(question(("b0",), ("b1",)),))
    assert (asked.branch_id, asked.abstained) == (None, True)


def test_higher_coverage_decides_only_between_branches_that_did_the_same() -> None:
    better = {"b1": Verification(SuiteRun("green", coverage=99.0))}
    assert judge("b0", "b1", verifications=better).reason == (
        "b1 over b0: higher coverage of its own suite (99 % against 90 %)"
    )
    open_question = (question(("b0",), ("b1",)),)
    assert judge("b0", "b1", verifications=better, questions=open_question).abstained


def test_a_red_branch_is_never_chosen_over_a_green_one() -> None:
    choice = judge("b0", "b1", verifications={"b0": RED}, findings=(high("b1"), high("b1", "differential")))
    assert choice.branch_id == "b1"


def test_fewer_unresolved_highs_win() -> None:
    choice = judge("b0", "b1", findings=(high("b0"),))
    assert choice.reason == "b1 over b0: fewer unresolved high findings (0 against 1)"


def test_a_resolved_or_discounted_high_weighs_nothing() -> None:
    findings = (replace(high("b0"), resolved=True), replace(high("b0"), discounted=True))
    assert judge("b0", "b1", findings=findings).branch_id == "b0"


def test_a_branch_that_stops_an_attack_is_not_preferred_for_lack_of_its_findings() -> None:
    choice = judge("b0", "b1", attacked={"b1": STOPPED}, findings=(high("b0", "differential"),))
    assert choice.branch_id == "b0"
    assert choice.reason == "b0 over b1: more attacks ran on it to their end"


def test_a_branch_on_which_every_attack_stopped_loses_to_one_that_was_attacked() -> None:
    stopped = tuple(replace(run, status="could-not-run", why="x") for run in RAN)
    assert judge("b0", "b1", attacked={"b0": stopped}, findings=(high("b1"),)).branch_id == "b1"


def test_a_branch_that_changed_nothing_is_not_chosen_for_a_changed_task() -> None:
    copied = (Evidence("b0", "base", "no-change", 1, 1),)
    assert judge("b0", "b1", evidence=copied).reason == ("b1 over b0: it changes what the task asks to change")


def test_the_larger_group_of_the_living_is_preferred_but_a_dead_branch_has_no_vote() -> None:
    parting = (Parting("differential", "T0", (("b0", "b1"), ("b2",)), (False, False), 5),)
    assert judge("b0", "b1", "b2", evidence=parting).branch_id == "b0"
    after_death = judge("b0", "b1", "b2", dead=("b0",), evidence=parting, questions=(question(("b1",), ("b2",)),))
    assert after_death.abstained


def test_a_clean_branch_never_loses_for_being_clean() -> None:
    dirty = (high("b1"), Finding("b1", "medium", "c", "t", "d", attack="hollow"))
    assert judge("b0", "b1", findings=dirty).branch_id == "b0"


def test_an_unverified_branch_loses_to_a_verified_one() -> None:
    assert judge("b0", "b1", verifications={"b0": NONE}).branch_id == "b1"


def test_nothing_is_chosen_by_name_when_behaviour_could_not_be_compared() -> None:
    choice = judge("b0", "b1", attacked={"b0": STOPPED, "b1": STOPPED})
    assert (choice.branch_id, choice.abstained) == (None, True)
    assert choice.reason == "nothing separates b0 and b1, and their behaviour could not be compared"


def test_preference_is_the_same_from_either_side() -> None:
    left, right = records(
        ["b0", "b1"],
        verifications={"b0": GREEN, "b1": GREEN},
        attacked={"b0": RAN, "b1": RAN},
        findings=(high("b0"),),
        evidence=(),
        living={"b0", "b1"},
    )
    assert (prefer(left, right)[0], prefer(right, left)[0]) == (1, -1)


def compared(*partings: Parting) -> list[Record]:
    """The records of four branches that differ in their partings alone."""
    names = ("b0", "b1", "b2", "b3")
    return records(
        names,
        verifications=dict.fromkeys(names, GREEN),
        attacked=dict.fromkeys(names, RAN),
        findings=(),
        evidence=partings,
        living=set(names),
    )


def test_what_one_branch_could_not_be_compared_on_counts_for_neither() -> None:
    apart = Parting("differential", "T0", (("b0", "b3"), ("b1",)), (False, False), 3)
    beside = Parting("differential", "T0", (("b0", "b1", "b3"), ("b2",)), (False, False), 1)
    _, one, two, other = compared(apart, beside)
    words = "closer to the larger group of independent branches, inside the contract (0 against 1)"
    assert prefer(one, two) == (-1, words)
    assert prefer(other, one) == (-1, words.replace("(0 against 1)", "(0 against 3)"))


def test_who_was_compared_on_less_is_not_preferred_for_what_is_left() -> None:
    both = Parting("differential", "T0", (("b0", "b2", "b3"), ("b1",)), (False, False), 2)
    without = Parting("differential", "T0", (("b0", "b1"), ("b3",)), (False, False), 1)
    found = compared(both, without)
    words = "closer to the larger group of independent branches, inside the contract (0 against 2)"
    assert prefer(found[2], found[1]) == (0, "")
    assert prefer(found[0], found[1]) == (-1, words)


def parting(*groups: tuple[str, ...], tier: str = "T0", irregular: tuple[int, ...] = ()) -> Parting:
    return Parting("differential", tier, groups, tuple(False for _ in groups), 9, irregular)


def test_answers_that_break_what_holds_elsewhere_outweigh_the_larger_group() -> None:
    choice = judge("b0", "b1", "b2", evidence=(parting(("b0", "b1"), ("b2",), irregular=(1, 0)),))
    words = "fewer answers that break what holds wherever all branches answer alike"
    assert (choice.branch_id, choice.reason) == ("b2", f"b2 over b0: {words} (0 against 1)")
    assert judge("b0", "b1", "b2", evidence=(parting(("b0", "b1"), ("b2",), irregular=(1, 1)),)).branch_id == "b0"
    assert judge("b0", "b1", "b2", evidence=(parting(("b0", "b1"), ("b2",)),)).branch_id == "b0"


def test_outside_the_contract_they_weigh_less_than_the_larger_group_inside_it() -> None:
    inside, outside = parting(("b0", "b1"), ("b2",)), parting(("b0",), ("b1", "b2"), tier="T1", irregular=(2, 0))
    assert judge("b0", "b1", "b2", evidence=(inside, outside)).branch_id == "b1"
    outside = parting(("b0", "b1"), ("b2",), tier="T1", irregular=(2, 0))
    assert judge("b0", "b1", "b2", evidence=(inside, outside)).branch_id == "b0"
    assert judge("b0", "b1", "b2", evidence=(outside,)).branch_id == "b2"


def test_what_one_branch_broke_where_the_other_was_not_compared_counts_for_neither() -> None:
    beside = parting(("b0",), ("b2",), irregular=(2, 0))
    choice = judge("b0", "b1", "b2", evidence=(parting(("b0",), ("b1",)), beside), findings=(high("b2"),))
    assert choice.reason == "b0 and b1 did the same on all that was tried; the first by name"
    both = parting(("b0",), ("b1", "b2"), irregular=(2, 0))
    assert judge("b0", "b1", "b2", evidence=(both,), findings=(high("b2"),)).branch_id == "b1"


def test_who_kept_what_another_breaks_need_not_live() -> None:
    broken = parting(("b0",), ("b1",), ("b2",), irregular=(2, 0, 0))
    broken_by_two = parting(("b0",), ("b1",), ("b2",), irregular=(2, 1, 0))
    assert judge("b0", "b1", "b2", dead=("b2",), evidence=(broken,)).branch_id == "b1"
    assert judge("b0", "b1", "b2", dead=("b2",), evidence=(broken_by_two,)).branch_id == "b1"
