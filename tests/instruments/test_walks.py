"""Walks: sequences with a tier, drawn from what tests and examples show of a class."""

from __future__ import annotations

import random

from pqa.core.recording import Call, Trace
from pqa.core.surface import Class, Function, Parameter
from pqa.core.values import canonical
from pqa.instruments.class_trials import split_of
from pqa.instruments.drafts import Walk
from pqa.instruments.methods import Source, Usage, usage_of
from pqa.instruments.observation import Observed
from pqa.instruments.sequences import Habits, habits_of
from pqa.instruments.walks import walks

NAME = "shelf.Shelf"
ANY = {"value": None}


def parameter(name: str, *, default: bool = False) -> Parameter:
    return Parameter(name, "POSITIONAL_OR_KEYWORD", default)


SHELF = Class(
    NAME,
    (),
    (
        Function("put", (parameter("name"), parameter("count", default=True))),
        Function("take", (parameter("name"),)),
        Function("merge", (parameter("other"),)),
    ),
)
TRACE = Trace(
    NAME,
    (),
    {},
    (
        Call("put", ("book", 2), {}, ANY),
        Call("items", ({"book": 3, "pen": 1},), {}, ANY, sets=True),
        Call("put", ("pen", 5), {}, ANY),
    ),
    reads=("items",),
)
MORE = Trace(NAME, (), {}, tuple(Call("put", ("cup", count), {}, ANY) for count in (1, 3, 7, 8)))
SOURCE = Source((), "", 20)


def usage(*traces: Trace, calls: tuple[Call, ...] = ()) -> Usage:
    return usage_of([SHELF, SHELF], traces, calls, SOURCE, random.Random(0))


def drawn(*traces: Trace, calls: tuple[Call, ...] = (), trials: int = 120) -> list[Walk]:
    habits = habits_of(NAME, traces) or Habits(NAME, (), {}, (), clocked=False)
    return walks(usage(*traces, calls=calls), habits, trials, random.Random(0))


def test_the_first_walk_is_the_tests_own_sequence_and_the_second_looks_at_the_state_after_it() -> None:
    setup = [{"name": "subject", "new": NAME, "args": [], "kwargs": {}}]
    own = [
        {"on": "subject", "call": "put", "args": ["book", 2], "kwargs": {}},
        {"on": "subject", "set": "items", "value": {"book": 3, "pen": 1}},
        {"on": "subject", "call": "put", "args": ["pen", 5], "kwargs": {}},
    ]
    look = {"on": "subject", "get": "items"}
    first, second, *_ = drawn(TRACE)
    assert (first.case, first.tier, first.oddness) == ({"setup": setup, "calls": own}, "T0", 0.0)
    assert second.case == {"setup": setup, "calls": [*own, look]}


def test_the_same_seed_gives_the_same_walks() -> None:
    assert drawn(TRACE) == drawn(TRACE)
    assert len({canonical(walk.case) for walk in drawn(TRACE)}) == len(drawn(TRACE)) == 120


def test_a_walk_with_a_method_that_nobody_calls_is_outside_what_is_known() -> None:
    for walk in drawn(TRACE):
        called = {call.get("call") for call in walk.case["calls"]}
        assert walk.tier == "T1" or not called & {"take", "merge"}, walk


def test_a_walk_breaks_one_relation_at_most_and_says_in_which_call() -> None:
    broken = [walk for walk in drawn(TRACE, MORE) if walk.relation]
    assert {walk.method for walk in broken} == {"put", "take"}
    assert {walk.relation for walk in broken} == {"ascii(name)", "count > 0"}
    assert all(walk.case["calls"][walk.outside]["call"] == walk.method for walk in broken)


def test_a_method_that_nobody_calls_is_lent_arguments_of_the_same_name() -> None:
    take = next(method for method in usage(TRACE).methods if method.name == "take")
    assert take.contract.calls == (("book",), ("pen",))
    assert not take.known


def test_a_method_of_whose_argument_nothing_is_known_gets_the_instance_itself() -> None:
    merge = next(method for method in usage(TRACE).methods if method.name == "merge")
    assert merge.inputs[0].args == ({"$name": "subject"},)


def test_calls_on_the_class_itself_are_made_on_an_instance() -> None:
    made = drawn(calls=(Call(f"{NAME}.take", ("book",), {}, ANY),))
    first = {"on": "subject", "call": "take", "args": ["book"], "kwargs": {}}
    case = {"setup": [{"name": "subject", "new": NAME, "args": [], "kwargs": {}}], "calls": [first]}
    assert [walk.tier for walk in made if walk.case == case] == ["T0"]


def seen(*outcomes: object) -> Observed:
    found = [one if isinstance(one, dict) else {"value": one} for one in outcomes]
    return Observed(tuple(found))


def walk_of(count: int, **more: object) -> Walk:
    calls = [{"on": "subject", "call": "take", "args": [number], "kwargs": {}} for number in range(count)]
    return Walk({"setup": [], "calls": calls}, **more)  # type: ignore[arg-type]


REFUSED = {"raises": "KeyError", "own": True}
LATE = {"timeout": True}


def test_what_follows_a_call_that_most_branches_refuse_is_not_compared() -> None:
    observed = {"b0": seen(1, REFUSED, 3), "b1": seen(2, REFUSED, 3), "b2": seen(1, 5, 4)}
    split = split_of(NAME, walk_of(3), observed, {})
    assert split is not None
    assert split.groups == (("b0", "b2"), ("b1",))
    assert len(split.case["calls"]) == 1


def test_a_call_that_all_branches_refuse_does_not_end_the_comparison() -> None:
    split = split_of(NAME, walk_of(2), {"b0": seen(REFUSED, 3), "b1": seen(REFUSED, 4)}, {})
    assert split is not None
    assert split.groups == (("b0",), ("b1",))


def test_a_walk_that_is_cut_before_its_step_outside_is_inside() -> None:
    walk = walk_of(3, tier="T1", method="take", relation="name > 0", outside=2)
    split = split_of(NAME, walk, {"b0": seen(1, 1, LATE), "b1": seen(2, 1, 1)}, {})
    assert split is not None
    assert (split.tier, split.relation, split.subject) == ("T0", None, NAME)
    whole = split_of(NAME, walk, {"b0": seen(1, 1, 1), "b1": seen(2, 1, 1)}, {})
    assert whole is not None
    assert (whole.tier, whole.relation, whole.subject) == ("T1", "name > 0", f"{NAME}.take")


def test_a_value_against_a_value_looks_less_odd_than_nothing_against_a_value() -> None:
    plain = split_of(NAME, walk_of(1), {"b0": seen(1), "b1": seen(2)}, {})
    bare = split_of(NAME, walk_of(1), {"b0": seen(1), "b1": seen(None)}, {})
    assert plain is not None
    assert bare is not None
    assert (plain.oddness, bare.oddness) == (0.0, 3.0)


def test_a_branch_without_an_optional_method_is_not_compared_where_it_is_called() -> None:
    observed = {"b0": seen(1), "b1": seen(2), "b2": seen({"raises": "AttributeError", "own": False})}
    split = split_of(NAME, walk_of(1), observed, {"b2": frozenset({"take"})})
    assert split is not None
    assert (split.groups, split.unknown) == ((("b0",), ("b1",)), ("b2",))


def test_a_branch_of_which_nothing_came_back_is_not_compared_and_the_others_are() -> None:
    dead = Observed(trouble="it was ended by signal 9")
    split = split_of(NAME, walk_of(1), {"b0": seen(1), "b1": seen(2), "b2": dead}, {})
    assert split is not None
    assert (split.groups, split.unknown) == ((("b0",), ("b1",)), ("b2",))
    assert split_of(NAME, walk_of(1), {"b0": seen(1), "b2": dead}, {}) is None


def test_a_call_that_does_not_return_where_most_others_do_ends_the_comparison_and_counts() -> None:
    split = split_of(NAME, walk_of(3), {"b0": seen(1, LATE), "b1": seen(1, 2, 3), "b2": seen(1, 2, 4)}, {})
    assert split is not None
    assert (split.groups, len(split.case["calls"])) == ((("b1", "b2"), ("b0",)), 2)


def test_a_call_that_half_of_the_branches_do_not_return_from_shows_nothing() -> None:
    assert split_of(NAME, walk_of(2), {"b0": seen(1, LATE), "b1": seen(1, 2)}, {}) is None


def test_equal_walks_of_equal_branches_part_nowhere() -> None:
    assert split_of(NAME, walk_of(2), {"b0": seen(1, 2), "b1": seen(1, 2)}, {}) is None
