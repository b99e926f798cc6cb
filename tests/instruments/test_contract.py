"""Contract: what recorded calls, signatures, docstrings and a person say may be passed to a function."""

from __future__ import annotations

import pytest

from pqa.core.contract import Line
from pqa.core.recording import Call
from pqa.core.surface import Function, Parameter
from pqa.core.values import encode
from pqa.instruments.contract import Contract, learn, relation_question


def function(*names: str, doc: str = "", kinds: dict[str, str] | None = None, **annotations: str) -> Function:
    kinds = kinds or {}
    parameters = (
        Parameter(name, kinds.get(name, "POSITIONAL_OR_KEYWORD"), False, annotations.get(name, "")) for name in names
    )
    return Function("m.f", tuple(parameters), doc)


def call(*args: object, **kwargs: object) -> Call:
    return Call("m.f", tuple(map(encode, args)), {name: encode(value) for name, value in kwargs.items()}, {})


def learned(*calls: tuple[object, ...], names: str = "seq", lines: tuple[Line, ...] = (), doc: str = "") -> Contract:
    return learn([function(*names.split(), doc=doc)], [call(*args) for args in calls], lines)


def texts(contract: Contract) -> list[str]:
    return [line.relation for line in contract.lines()]


def tier(contract: Contract, *args: object) -> tuple[str, tuple[str, ...]]:
    return contract.tier([encode(value) for value in args])


SORTED = learned(([1, 2, 3],), ([4, 9],))


def test_sorted_lists_make_sorting_a_relation_with_its_support() -> None:
    assert Line("m.f", "sorted(seq)", 2, 2) in SORTED.lines()


def test_an_unsorted_list_breaks_that_relation_alone() -> None:
    assert tier(SORTED, [5, 3]) == ("T1", ("sorted(seq)",))


def test_another_sorted_list_is_inside() -> None:
    assert tier(SORTED, [5, 6, 7, 8]) == ("T0", ())


def test_a_list_of_texts_is_outside_where_only_numbers_were_seen() -> None:
    assert tier(SORTED, ["a"]) == ("T2", ("seq[*] is str, not int",))


def test_one_unsorted_call_among_many_leaves_no_such_relation() -> None:
    assert "sorted(seq)" not in texts(learned(([1, 2, 3],), ([4, 9],), ([2, 1],)))


def test_lists_of_one_item_are_no_evidence_of_sorting() -> None:
    assert "sorted(seq)" not in texts(learned(([1],), ([4],), ([7],)))


def test_the_same_call_twice_counts_once() -> None:
    contract = learned(([1, 2],), ([1, 2],), ([3],))
    assert (len(contract.calls), "sorted(seq)" in texts(contract)) == (2, False)


def test_a_relation_seen_once_counts_only_if_one_call_is_known() -> None:
    assert "sorted(seq)" in texts(learned(([1, 2],)))


def test_habits_of_examples_need_four_calls() -> None:
    three = learned(("ab",), ("cd",), ("ef",), names="text")
    four = learned(("ab",), ("cd",), ("ef",), ("gh",), names="text")
    assert ("lower(text)" in texts(three), "lower(text)" in texts(four)) == (False, True)


def test_a_negative_number_breaks_the_weaker_relation_and_zero_the_stronger() -> None:
    contract = learned((3,), (5,), names="n")
    assert (tier(contract, -1), tier(contract, 0)) == (("T1", ("n >= 0",)), ("T1", ("n > 0",)))


@pytest.mark.parametrize(
    ("calls", "names", "relation"),
    [
        ([([3, 1, 2],), ([2, 1],)], "p", "permutation(p, 1..n)"),
        ([([9, 5],), ([4, 3, 1],)], "seq", "descending(seq)"),
        ([([1, 5],), ([4, 3, 1],)], "seq", "unique(seq)"),
        ([([[1, 2], [3, 4]],), ([[5], [6]],)], "rows", "same_length(rows)"),
        ([([[1, 2], [3, 4]],), ([[5]],)], "rows", "square(rows)"),
        ([([("a", 2), ("b", 3)],), ([("c", 1), ("c", 7)],)], "rows", "sorted(rows[*][1])"),
        ([([1, 7], 7), ([4, 3, 1], 3)], "seq item", "item in seq"),
        ([("hello", "ell"), ("world", "or")], "text part", "part in text"),
        ([([1, 7], [2, 9]), ([4], [5])], "left right", "len(left) == len(right)"),
        ([("ab", "baab"), ("cd", "dcd")], "left right", "set(left) == set(right)"),
        ([("abc", "cab"), ("cd", "dc")], "left right", "sorted(left) == sorted(right)"),
        ([([1, 7], 9), ([4, 2], 5)], "seq bound", "max(seq) < bound"),
        ([("12-25",), ("01-31",)], "day", "template(day, '9-9')"),
        ([("(()",), (")((",)], "text", "only(text, '()')"),
        ([("0010",), ("1101",)], "bits", "digits(bits)"),
        ([("a b",), ("c dd e",)], "text", "single_spaced(text)"),
        ([([(1, "a"), (2, "b")],), ([(3, "c")],)], "rows", "record(rows[*], int, str)"),
        ([([1, "a"],), ([2.5, None],)], "seq", "unique(seq)"),
        ([([-1, 0],), ([-2, 4],)], "seq", "one_type(seq)"),
    ],
)
def test_relations_are_found(calls: list[tuple[object, ...]], names: str, relation: str) -> None:
    assert relation in texts(learned(*calls, names=names))


def test_an_order_of_one_to_n_is_not_read_off_a_sorted_example() -> None:
    assert "permutation(p, 1..n)" not in texts(learned(([1, 2, 3],), ([1, 2],), names="p"))


def test_a_record_may_as_a_question_have_other_fields() -> None:
    contract = learned(([(1, "a"), (2, "b")],), ([(3, "c")],), names="rows")
    assert tier(contract, [(1, "a", 5)]) == ("T1", ("record(rows[*], int, str)",))


def test_nested_lists_may_nest_to_any_depth() -> None:
    contract = learned(([1, [2, [3]]],), ([4],))
    assert (tier(contract, [[[[1]]]])[0], tier(contract, [[["a"]]])[0]) == ("T0", "T2")


def test_a_dictionary_with_fixed_keys_is_a_record() -> None:
    contract = learned(({"name": "a", "age": 3},), ({"name": "b", "age": 4},), names="person")
    assert tier(contract, {"name": "c"}) == ("T2", ("person lacks 'age'",))


def test_a_dictionary_with_free_keys_is_none() -> None:
    contract = learned(({"a": 1},), ({"b": 4, "c": 5},), names="counts")
    assert tier(contract, {"z": 6}) == ("T0", ())


def test_a_whole_number_passes_for_a_fraction_and_a_boolean_does_not() -> None:
    contract = learned((1.5,), (-2.5,), names="x")
    assert (tier(contract, 3)[0], tier(contract, True)[0]) == ("T0", "T2")


def test_arguments_by_name_and_by_position_are_one_form() -> None:
    contract = learn([function("a", "b")], [call(1, b="x"), call(2, "y"), call(b="z", a=3)])
    assert (contract.forms, len(contract.calls)) == ((("a", "b"),), 3)


def test_another_branchs_name_of_a_parameter_is_understood() -> None:
    contract = learn([function("a", "b"), function("a", "b"), function("a", "c")], [call(1, c=2)])
    assert contract.forms == (("a", "b"),)


def test_calls_of_several_arities_are_kept_apart() -> None:
    contract = learn([function("a", "b")], [call(1), call(2), call(3, "x")])
    assert (contract.forms, tier(contract, 5), tier(contract, 5, "y")) == (
        (("a",), ("a", "b")),
        ("T0", ()),
        ("T0", ()),
    )


def test_a_keyword_only_argument_is_passed_by_name() -> None:
    contract = learn([function("a", "b", kinds={"b": "KEYWORD_ONLY"})], [call(1, b=2)])
    assert contract.unbind([7, 8]) == ((7,), {"b": 8})


def test_arguments_without_a_plain_form_are_left_out() -> None:
    opaque = Call("m.f", ({"$type": "other", "value": "X"},), {}, {}, replayable=False)
    assert learn([function("a")], [opaque, call(3)]).calls == ((3,),)


def test_an_annotation_fills_what_an_empty_list_leaves_open() -> None:
    contract = learn([function("seq", seq="list[int]")], [call([])])
    assert (tier(contract, [3])[0], tier(contract, ["a"])[0]) == ("T0", "T2")


@pytest.mark.parametrize(
    "doc",
    [
        ":param seq: list of int",
        ":param list[int] seq: what",
        ":type seq: list of ints",
        "    seq (list of int): numbers",
    ],
)
def test_a_docstring_states_a_type(doc: str) -> None:
    contract = learn([function("seq", doc=doc)], [])
    assert (tier(contract, [3])[0], tier(contract, ["a"])[0]) == ("T0", "T2")


def test_a_bound_in_the_docstring_is_a_declared_line_and_overrules_a_narrower_learned_one() -> None:
    contract = learned(([5, 4], 1), ([5, 6], 1), names="lst k", doc="where (0 <= k <= len(lst)) holds")
    assert contract.lines()[:2] == [
        Line("m.f", "k >= 0", 2, 2, "declared"),
        Line("m.f", "k <= len(lst)", 2, 2, "declared"),
    ]
    assert (tier(contract, [5, 4], 0), tier(contract, [5, 4], 3)) == (("T0", ()), ("T1", ("k <= len(lst)",)))


def test_a_bound_that_a_recorded_call_contradicts_is_no_line() -> None:
    assert "n > 5" not in texts(learned((3,), names="n", doc="for n > 5"))


def test_a_person_frees_a_relation_and_what_implies_it() -> None:
    contract = learned((3,), (5,), names="n", lines=(Line("m.f", "not n >= 0", source="person"),))
    assert (tier(contract, -1), tier(contract, 0)) == (("T0", ()), ("T0", ()))


def test_a_person_states_a_relation_that_no_call_shows() -> None:
    contract = learned(([2, 1],), ([7],), lines=(Line("m.f", "len( seq )>=2", source="person"),))
    assert (tier(contract, [1]), tier(contract, [1, 4])) == (("T1", ("len(seq) >= 2",)), ("T0", ()))


def test_a_learned_line_is_never_read_back() -> None:
    contract = learned(([2, 1],), lines=(Line("m.f", "sorted(seq)", source="learned"),))
    assert tier(contract, [2, 1]) == ("T0", ())


def test_a_line_of_another_function_is_none_of_its_business() -> None:
    contract = learned(([1, 2],), ([1, 3],), lines=(Line("m.g", "not sorted(seq)", source="person"),))
    assert tier(contract, [2, 1])[0] == "T1"


@pytest.mark.parametrize(
    ("relation", "question"),
    [
        ("sorted(seq)", "may `seq` be unsorted?"),
        ("not sorted(seq)", "may `seq` be unsorted?"),
        ("n > 0", "may `n` be zero?"),
        ("seq[*] >= 0", "may an item of `seq` be negative?"),
        ("k < len(seq)", "may `k` equal the length of `seq`?"),
        ("item in seq", "may `item` be missing from `seq`?"),
        ("b % a == 0", "may `b` be other than a multiple of `a`?"),
        ("n >= 2", "may `n` be less than 2?"),
        ("only(text, '()')", "may `text` hold anything but '()'?"),
        ("mode in ['a', 'b']", "may `mode` be other than one of ['a', 'b']?"),
        ("record(rows[*], int, str)", "may an item of `rows` have other fields than int, str?"),
    ],
)
def test_a_relation_is_asked_in_plain_words(relation: str, question: str) -> None:
    assert relation_question(relation) == question


def test_every_learned_relation_has_a_question_of_its_own() -> None:
    contract = learned(([3, 1, 2], "ab", 2), ([2, 1], "cd", 1), names="p text k")
    assert [text for text in texts(contract) if "untrue" in relation_question(text)] == []


def test_a_function_without_calls_is_known_by_its_annotations() -> None:
    contract = learn([function("n", "text", n="int", text="str | None")], [])
    assert (contract.forms, tier(contract, 3, None), tier(contract, "x", "y")[0]) == (
        (("n", "text"),),
        ("T0", ()),
        "T2",
    )
