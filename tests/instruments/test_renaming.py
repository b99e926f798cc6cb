"""Renaming: which parameters are keys, and names that keep what a program may rightly ask of a key."""

from __future__ import annotations

from pqa.core.recording import Call, Trace
from pqa.core.surface import Class, Function, Parameter
from pqa.instruments.renaming import Keys, keys_of, names_for, renamed_arguments, with_forms
from pqa.instruments.sequences import habits_of

NAME = "tally.Tally"
KEYS = Keys("name", {"hit": (0,), "reset": (0,)})


def parameter(name: str) -> Parameter:
    return Parameter(name, "POSITIONAL_OR_KEYWORD")


def hit(*names: str) -> dict:
    calls = [{"on": "subject", "call": "hit", "args": [name], "kwargs": {}} for name in names]
    return {"setup": [{"name": "subject", "new": NAME, "args": [], "kwargs": {}}], "calls": calls}


def found(*calls: Call) -> list[Keys]:
    tally = Class(NAME, (), (Function("hit", (parameter("name"),)), Function("add", (parameter("count"),))))
    habits = habits_of(NAME, [Trace(NAME, (), {}, calls)])
    assert habits is not None
    return keys_of([tally, tally], habits)


def test_a_parameter_that_is_always_a_plain_word_is_a_key() -> None:
    calls = (Call("hit", ("ada",), {}, {"value": 1}), Call("add", (3,), {}, {"value": 1}))
    assert found(*calls) == [Keys("name", {"hit": (0,)})]


def test_a_parameter_that_is_once_a_date_or_a_sentence_is_none() -> None:
    for other in ("2024-01-01", "ada and bob", "", "x1", 3):
        assert found(Call("hit", ("ada",), {}, {"value": 1}), Call("hit", (other,), {}, {"value": 1})) == []


def test_new_names_sort_alike_are_as_long_and_keep_their_case() -> None:
    assert names_for(hit("ada", "Bob", "ada"), KEYS) == {"Bob": "Cpc", "ada": "beb"}
    assert names_for(hit("a_z"), KEYS) is None
    assert names_for(hit("zoo"), KEYS) == {"zoo": "ynn"}


def test_a_name_that_is_in_use_is_not_given() -> None:
    assert names_for(hit("a", "b"), KEYS) == {"a": "d", "b": "e"}
    assert names_for(hit("3"), KEYS) is None
    assert names_for({"setup": [], "calls": []}, KEYS) is None


def test_only_values_are_renamed_and_names_of_fields_stay() -> None:
    call = {
        "on": "subject",
        "call": "put",
        "args": [{"ada": "ada"}, ["ada", 1], {"$name": "ada"}],
        "kwargs": {"ada": "ada"},
    }
    assert renamed_arguments(call, {"ada": "beb"}) == {
        "on": "subject",
        "call": "put",
        "args": [{"ada": "beb"}, ["beb", 1], {"$name": "ada"}],
        "kwargs": {"ada": "beb"},
    }


def test_what_a_program_may_make_of_a_name_is_renamed_as_well() -> None:
    assert with_forms({"ada": "beb"}) == {"ada": "beb", "ADA": "BEB", "Ada": "Beb"}
