"""Round trip: which recorded calls show that one undoes another."""

from __future__ import annotations

from pqa.core.recording import Call
from pqa.instruments.round_trip import Pair, pairs_among, values_of


def call(function: str, given: object, got: object) -> Call:
    return Call(function, (given,), {}, {"value": got})


def both_ways(*values: tuple[str, str]) -> list[Call]:
    return [one for x, y in values for one in (call("m.pack", x, y), call("m.unpack", y, x))]


def test_two_values_that_come_back_show_a_pair_in_both_directions() -> None:
    assert pairs_among(both_ways(("a", "1"), ("b", "2"))) == [("m.pack", "m.unpack"), ("m.unpack", "m.pack")]


def test_one_value_or_one_that_does_not_change_shows_nothing() -> None:
    assert pairs_among(both_ways(("a", "1"))) == []
    assert pairs_among(both_ways(("a", "a"), ("b", "b"))) == []


def test_a_function_that_undoes_itself_is_no_pair() -> None:
    turned = [
        call("m.turn", "ab", "ba"),
        call("m.turn", "ba", "ab"),
        call("m.turn", "cd", "dc"),
        call("m.turn", "dc", "cd"),
    ]
    assert pairs_among(turned) == []


def test_the_rule_asks_for_the_value_only_where_the_first_call_gives_what_was_seen() -> None:
    pair = Pair("m.pack", "m.unpack")
    assert pair.rule("a", "1") == {"name": "round trip pack unpack", "when": [[0, "1"]], "then": [[1, "a"]]}
    assert [one["call"] for one in pair.returning("a", "1")["calls"]] == ["m.pack", "m.unpack"]


def test_values_are_distinct_and_calls_with_two_arguments_are_left_out() -> None:
    calls = [
        call("m.pack", "b", 1),
        call("m.pack", "a", 1),
        call("m.pack", "b", 1),
        Call("m.pack", ("c", 1), {}, {"value": 1}),
    ]
    assert values_of(calls, "m.pack") == ["a", "b"]
