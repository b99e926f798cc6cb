"""Example calls: what the task's examples call, as sequences and calls like those of the tests."""

from __future__ import annotations

from pqa.core.recording import Call, Trace
from pqa.core.surface import Class
from pqa.instruments.common_surface import Shared
from pqa.instruments.example_calls import UNKNOWN, with_examples

SHARED = Shared((), (Class("m.Box"),), (), (), {}, (), (), {"m.Box": ()}, {}, {})


def traces(text: str) -> tuple[Trace, ...]:
    return with_examples(SHARED, text).traces


def step(name: str, *args: object) -> Call:
    return Call(name, args, {}, UNKNOWN, test="example")


def assigned(name: str, value: object) -> Call:
    return Call(name, (value,), {}, {"value": None}, test="example", sets=True)


def test_an_example_that_assigns_an_attribute_shows_a_state_to_start_from() -> None:
    text = ">>> box = Box(3)\n>>> box.items = {'a': 1}\n>>> box.take('a')\n1\n"
    assert traces(text) == (Trace("m.Box", (3,), {}, (assigned("items", {"a": 1}), step("take", "a")), test="example"),)


def test_an_attribute_that_an_example_reads_is_read_and_not_called() -> None:
    text = ">>> box = Box()\n>>> box.put(1)\n>>> box.items\n[1]\n"
    assert traces(text) == (Trace("m.Box", (), {}, (step("put", 1),), test="example", reads=("items",)),)


def test_a_named_value_stands_where_it_is_used_and_the_instance_goes_by_its_own_name() -> None:
    text = ">>> first = {'a': 1}\n>>> box = Box(first)\n>>> Box.weigh(box)\n4\n"
    own = {"$name": "subject"}
    assert traces(text) == (Trace("m.Box", ({"a": 1},), {}, (step("weigh", own),), test="example"),)


def test_an_example_about_a_file_is_left_out() -> None:
    assert traces(">>> box = Box('a.txt')\n>>> box.count()\n1\n") == ()
