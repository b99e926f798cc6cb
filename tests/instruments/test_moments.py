"""Moments: dates, times and zones are varied like numbers are, and a malformed one is outside the contract."""

from __future__ import annotations

import datetime
import random
from decimal import Decimal
from fractions import Fraction

import pytest

from pqa.core.recording import Call
from pqa.core.surface import Function, Parameter
from pqa.core.values import decode, encode
from pqa.instruments.contract import Contract, learn, relation_question
from pqa.instruments.generate import generate
from pqa.instruments.moments import ZONES, moved, moved_text

NOON = datetime.datetime(2023, 5, 6, 12, 0, tzinfo=datetime.UTC)


def contract_of(names: str, *calls: tuple[object, ...]) -> Contract:
    parameters = tuple(Parameter(name, "POSITIONAL_OR_KEYWORD") for name in names.split())
    return learn([Function("m.f", parameters)], [Call("m.f", tuple(map(encode, args)), {}, {}) for args in calls])


@pytest.mark.parametrize(
    "value",
    [
        NOON,
        NOON.replace(tzinfo=None),
        NOON.date(),
        NOON.time(),
        datetime.timedelta(hours=3),
        Decimal("1.50"),
        Fraction(1, 3),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_moment_or_an_exact_number_moves_to_others_of_its_type_that_are_aware_as_it_is(value: object) -> None:
    chance = random.Random(0)
    found = [moved(value, chance) for _ in range(60)]
    assert {type(one) for one in found} == {type(value)}
    assert len({repr(one) for one in found}) > 4
    assert {getattr(one, "tzinfo", None) is None for one in found} == {getattr(value, "tzinfo", None) is None}


def test_a_moment_at_the_end_of_the_calendar_stays_where_it_is_rather_than_fail() -> None:
    last = datetime.date.max
    assert all(isinstance(moved(last, random.Random(seed)), datetime.date) for seed in range(40))


@pytest.mark.parametrize(
    ("text", "form"), [("2023-05-06", "%Y-%m-%d"), ("09:30", "%H:%M"), ("06/05/2023", "%d/%m/%Y"), ("2023-05-06 09:30:00", "%Y-%m-%d %H:%M:%S")]
)  # fmt: skip
def test_a_text_that_holds_a_moment_moves_to_another_moment_in_the_same_format(text: str, form: str) -> None:
    found = {moved_text(text, random.Random(seed)) for seed in range(30)}
    assert len(found) > 3
    for one in found:
        assert one is not None
        assert datetime.datetime.strptime(one, form).strftime(form) == one  # noqa: DTZ007


def test_a_zone_moves_to_other_zones_and_a_word_to_none() -> None:
    assert {moved_text("UTC", random.Random(seed)) for seed in range(60)} == set(ZONES) - {"UTC"}
    assert moved_text("Europe", random.Random(0)) is None
    assert moved_text("hello there", random.Random(0)) is None


def test_zones_are_inside_the_contract_and_the_letters_of_the_ones_that_were_seen_say_nothing() -> None:
    contract = contract_of("after tz", (NOON, "UTC"), (NOON + datetime.timedelta(1), "UTC"))
    assert [line.relation for line in contract.lines()] == ["zone(tz)"]
    assert contract.tier([encode(NOON), "Australia/Lord_Howe"]) == ("T0", ())
    assert contract.tier([encode(NOON), "nowhere"]) == ("T1", ("zone(tz)",))
    assert relation_question("zone(tz)") == "may `tz` be anything but the name of a time zone?"


def test_a_malformed_time_is_outside_though_its_form_is_the_same() -> None:
    contract = contract_of("start", ("09:00",), ("10:30",), ("23:05",))
    assert contract.tier(["17:45"]) == ("T0", ())
    assert contract.tier(["99:99"]) == ("T1", ("moment(start, 'hh:mm')",))
    assert relation_question("moment(start, 'hh:mm')") == "may `start` be no moment that is written as 'hh:mm'?"


def test_a_moment_and_a_zone_are_tried_shortly_before_clocks_change() -> None:
    contract = contract_of("after tz", (NOON, "UTC"), (NOON + datetime.timedelta(1), "UTC"))
    made = [tuple(map(decode, one.args)) for one in generate(contract, trials=200, random=random.Random(0))]
    before = datetime.datetime(2024, 3, 31, 0, 0, tzinfo=datetime.UTC)
    assert (before, "Europe/Warsaw") in made
    assert {zone for _, zone in made} > set(ZONES) - {"Africa/Cairo"}
