"""Divergence: into which groups the branches part, and the fewest cases that tell them all apart."""

from __future__ import annotations

from dataclasses import replace

from pqa.core.evidence import Evidence, Kinship, Parting
from pqa.instruments.asking import among, ask
from pqa.instruments.divergence import Split, Tally, fewest, group, spares
from pqa.instruments.observation import Observed
from pqa.instruments.weighing import weigh

CASE = {"setup": [], "calls": [{"on": None, "call": "m.f", "args": [3], "kwargs": {}}]}


def did(value: object) -> Observed:
    return Observed(({"value": value},))


def crashed(own: bool) -> Observed:
    return Observed(({"raises": "IndexError", "own": own},))


def split(*groups: tuple[str, ...], tier: str = "T0", size: int = 0, oddness: float = 0.0) -> Split:
    case = {"setup": [], "calls": CASE["calls"] + [{"pad": "x" * size}]}
    seen = {name: did(number) for number, members in enumerate(groups) for name in members}
    return Split("m.f", case, groups, seen, tier, None, oddness)


def test_branches_that_did_the_same_form_one_group_the_largest_first() -> None:
    seen = {"b10": did(1), "b2": did(2), "b3": did(2.0), "b1": did([])}
    assert group(seen) == ((("b2", "b3"), ("b1",), ("b10",)), ())


def test_a_branch_that_could_not_be_run_is_in_no_group() -> None:
    seen = {
        "b0": did(1),
        "b1": Observed(trouble="it was ended by signal 9"),
        "b2": did({"$type": "other", "value": "X"}),
    }
    assert group(seen) == ((("b0",),), ("b1", "b2"))


def test_the_fewest_questions_are_asked_that_tell_all_apart() -> None:
    whole = split(("b0",), ("b1",), ("b2",), size=50)
    half = split(("b0", "b1"), ("b2",))
    assert fewest([half, whole], maximum=8) == [whole]


def test_a_question_that_separates_nothing_new_is_not_asked() -> None:
    first, again = split(("b0", "b1"), ("b2",)), split(("b0", "b1"), ("b2",), size=9)
    assert fewest([again, first], maximum=8) == [first]


def one_call(*groups: tuple[str, ...], number: int, tier: str = "T0") -> Split:
    case = {"setup": [], "calls": [{"on": None, "call": "m.f", "args": [number], "kwargs": {}}]}
    return replace(split(*groups, tier=tier), case=case)


def test_what_is_kept_for_later_tells_the_same_branches_apart_by_one_call_inside_the_contract() -> None:
    again, longer = one_call(("b0", "b1"), ("b2",), number=9), one_call(("b0", "b1"), ("b2",), number=2000)
    outside, sequence = one_call(("b0",), ("b1", "b2"), number=3, tier="T1"), split(("b0",), ("b1",), ("b2",))
    assert spares([longer, again, outside, sequence], maximum=8) == [again]
    assert spares([outside, sequence], maximum=8) == []


def test_a_witness_inside_the_contract_goes_before_one_outside_it() -> None:
    outside, inside = split(("b0",), ("b1",), tier="T1"), split(("b0",), ("b1",), size=99)
    assert fewest([outside, inside], maximum=1) == [inside]


def test_a_witness_that_looks_like_the_tests_goes_before_an_odd_one() -> None:
    odd, plain = split(("b0",), ("b1",), oddness=3.0), split(("b0",), ("b1",), size=9)
    assert fewest([odd, plain], maximum=1) == [plain]


def test_partings_are_counted_by_groups_so_that_the_dead_can_be_left_out() -> None:
    tally = Tally()
    parted = {"b0": did(1), "b1": did(1), "b2": crashed(own=False)}
    for _ in range(2):
        tally.count(Split("m.f", CASE, (("b0", "b1"), ("b2",)), parted))
    assert tally.partings == {("T0", (("b0", "b1"), ("b2",)), (False, True)): 2}


def test_answers_that_break_a_regularity_are_counted_by_group() -> None:
    tally, seen = Tally(), {"b0": did(1), "b1": did(1), "b2": did(2)}
    parted = Split("m.f", CASE, (("b0", "b1"), ("b2",)), seen)
    tally.count(parted)
    tally.count(parted, {"b2"})
    tally.count(parted, {"b0", "b1"})
    tally.count(parted, {"b2"})
    assert tally.partings == {("T0", (("b0", "b1"), ("b2",)), (False, False)): 4}
    assert tally.irregular == {("T0", (("b0", "b1"), ("b2",)), (False, False)): [1, 2]}
    counted = Parting("differential", "T1", (("b0", "b1"), ("b2",)), (False, False), 4, (1, 2))
    assert weigh([counted], {"b0", "b2"}) == {"b0": {"irregular-outside": 1}, "b2": {"irregular-outside": 2}}
    assert weigh([counted], {"b2"}) == {}


def test_a_branch_outside_the_larger_group_of_the_living_is_counted_apart() -> None:
    parting = Parting("differential", "T0", (("b0", "b1"), ("b2",)), (False, False), 3)
    assert weigh([parting], {"b0", "b1", "b2"}) == {"b2": {"apart-inside": 3}}
    assert weigh([parting], {"b1", "b2"}) == {}


def test_copies_of_one_branch_make_no_larger_group() -> None:
    parting = Parting("differential", "T1", (("b0", "b1"), ("b2",)), (False, False), 3)
    kin = [Kinship("b0", "b0"), Kinship("b1", "b0"), Kinship("b2", "b2")]
    assert weigh([*kin, parting], {"b0", "b1", "b2"}) == {}


def test_a_crash_counts_only_where_at_least_half_return() -> None:
    alone = Parting("differential", "T0", (("b0", "b1"), ("b2",)), (False, True), 1)
    most = Parting("differential", "T0", (("b0", "b1"), ("b2",)), (True, False), 1)
    assert weigh([alone], {"b0", "b1", "b2"})["b2"]["crashes"] == 1
    assert "crashes" not in weigh([most], {"b0", "b1", "b2"}).get("b0", {})


def test_counts_of_several_subjects_add_up() -> None:
    items = [Evidence("b0", "task", "failed-examples", 1, 4), Evidence("b0", "task", "failed-examples", 2, 4)]
    assert weigh(items, {"b0"}) == {"b0": {"failed-examples": 3}}


def test_a_question_names_the_call_and_who_says_what() -> None:
    question = ask(Split("m.f", CASE, (("b0", "b2"), ("b1",)), {"b0": did(1), "b2": did(1), "b1": did(2)}))
    assert question.text == "f(3): b0 and b2: 1; b1: 2: which is meant, is either fine, or can it not happen?"
    assert question.outcomes == {"b0": "1", "b1": "2", "b2": "1"}
    assert question.observed == {"b0": [{"value": 1}], "b1": [{"value": 2}], "b2": [{"value": 1}]}


def test_a_question_among_the_living_leaves_the_dead_out_and_is_dropped_when_it_tells_none_apart() -> None:
    question = ask(Split("m.f", CASE, (("b0", "b2"), ("b1",)), {"b0": did(1), "b2": did(1), "b1": did(2)}))
    narrowed = among(question, {"b1", "b2"})
    assert narrowed is not None
    assert narrowed.text == "f(3): b2: 1; b1: 2: which is meant, is either fine, or can it not happen?"
    assert narrowed.question_id == question.question_id
    assert among(question, {"b0", "b2"}) is None


def refused() -> Observed:
    return Observed(({"raises": "ValueError", "own": True},))


def test_a_question_that_can_settle_a_pair_is_asked_beside_one_that_only_tells_it_apart() -> None:
    blunt = Split("m.f", CASE, (("b0",), ("b1",), ("b2",)), {"b0": did(1), "b1": refused(), "b2": did(2)})
    sharp = Split("m.f", CASE, (("b0",), ("b1",)), {"b0": did(1), "b1": did(2)})
    again = Split("m.f", CASE, (("b0",), ("b1",)), {"b0": did(3), "b1": refused()})
    assert blunt.settling == {("b0", "b2")}
    assert fewest([again, sharp, blunt], maximum=8) == [blunt, sharp]
