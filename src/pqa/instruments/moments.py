"""Moments: neighbours of dates, times, durations and decimal numbers, and of texts that hold them: where calendars turn."""

from __future__ import annotations

import datetime
import random
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import TypeVar

ZONES = (
    "UTC",
    "Europe/Warsaw",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Asia/Tokyo",
    "Pacific/Apia",
    "Africa/Cairo",
)
"""Zones with and without summer time, with offsets of half an hour, on both halves of the globe."""
ZONE = re.compile(
    r"UTC|GMT|(Africa|America|Antarctica|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)/[\w/+-]{2,30}"
)
FORMATS = (
    "%Y-%m-%d",
    "%Y/%m/%d",
    "%d/%m/%Y",
    "%m/%d/%Y",
    "%d.%m.%Y",
    "%m-%d-%Y",
    "%Y%m%d",
    "%H:%M",
    "%H:%M:%S",
    "%Y-%m-%d %H:%M",
    "%Y-%m-%d %H:%M:%S",
    "%Y-%m-%dT%H:%M:%S",
)
TURNS = ((2, 28), (2, 29), (3, 1), (3, 10), (3, 31), (10, 27), (11, 3), (12, 31), (1, 1), (4, 30))
"""Month and day: around a leap day, the days on which clocks change in 2024, ends of months and of the year."""
STEPS = (
    datetime.timedelta(microseconds=1),
    datetime.timedelta(seconds=1),
    datetime.timedelta(minutes=1),
    datetime.timedelta(hours=1),
    datetime.timedelta(hours=12),
    datetime.timedelta(days=1),
    datetime.timedelta(days=7),
    datetime.timedelta(days=31),
    datetime.timedelta(days=366),
)
CLOCK = ((0, 0, 0), (23, 59, 59), (12, 0, 0), (2, 30, 0), (1, 0, 0), (0, 30, 0))
OFFSETS = (-480, -300, 0, 60, 330, 540, 840)
CHANGES = {
    "Europe/Warsaw": ((2024, 3, 31, 1, 0), (2024, 10, 27, 1, 0)),
    "America/New_York": ((2024, 3, 10, 7, 0), (2024, 11, 3, 6, 0)),
    "Australia/Lord_Howe": ((2024, 4, 6, 15, 0), (2024, 10, 5, 15, 30)),
}
"""When clocks change in a zone, in UTC."""
BEFORE = (20, 3, 1)
"""Hours before a change at which something may be due after it."""
Date = TypeVar("Date", bound=datetime.date)
MOMENTS = (datetime.date, datetime.time, datetime.timedelta, Decimal, Fraction)


def moved(value: object, chance: random.Random) -> object:
    """A near or turning value of the same type, aware where it was aware; the value itself where there is none."""
    with suppress(OverflowError, ValueError, ArithmeticError):
        if isinstance(value, datetime.datetime):
            return _moved_datetime(value, chance)
        if isinstance(value, datetime.date):
            return _moved_date(value, chance)
        if isinstance(value, datetime.time):
            day = datetime.datetime.combine(datetime.date(2024, 1, 10), value)
            return _moved_clock(day, chance).timetz()
        if isinstance(value, datetime.timedelta):
            zero = datetime.timedelta()
            return chance.choice((value * 2, value / 2, -value, zero, value + chance.choice(STEPS), value - STEPS[1]))
        if isinstance(value, Decimal):
            return chance.choice(
                (value + 1, value - 1, -value, value * 10, value / 10, Decimal(0), value + Decimal("0.005"))
            )
        if isinstance(value, Fraction):
            return chance.choice((value + 1, -value, value * 2, value / 3, Fraction(0)))
    return value


def _moved_datetime(value: datetime.datetime, chance: random.Random) -> datetime.datetime:
    roll = chance.random()
    if roll < 0.35:
        return value + chance.choice(STEPS) * chance.choice((1, -1))
    if roll < 0.6:
        return _turned(value, chance)
    if roll < 0.8 or value.tzinfo is None:
        return _moved_clock(_turned(value, chance) if roll < 0.7 else value, chance)
    return value.astimezone(datetime.timezone(datetime.timedelta(minutes=chance.choice(OFFSETS))))


def _moved_date(value: datetime.date, chance: random.Random) -> datetime.date:
    days = chance.choice((1, -1, 7, 31, 366, -366))
    return value + datetime.timedelta(days) if chance.random() < 0.5 else _turned(value, chance)


def _moved_clock(value: datetime.datetime, chance: random.Random) -> datetime.datetime:
    hour, minute, second = chance.choice(CLOCK)
    if chance.random() < 0.3:
        return value + chance.choice(STEPS[:4]) * chance.choice((1, -1))
    return value.replace(hour=hour, minute=minute, second=second, microsecond=0)


def _turned(value: Date, chance: random.Random) -> Date:
    """The same on a day on which a calendar or a clock turns, in the leap year 2024 or in its own."""
    month, day = chance.choice(TURNS)
    year = value.year if (month, day) != (2, 29) and chance.random() < 0.5 else 2024
    return value.replace(year=year, month=month, day=day)


def moved_text(text: str, chance: random.Random) -> str | None:
    """A text that names another zone, or another moment in the same format; None where it names neither."""
    if ZONE.fullmatch(text):
        return chance.choice([zone for zone in ZONES if zone != text])
    for form in FORMATS:
        if not 4 < len(text) < 24:
            return None
        with suppress(ValueError, OverflowError):
            read = datetime.datetime.strptime(text, form)  # noqa: DTZ007 (a text without a zone stays without one)
            if read.strftime(form) == text:
                return _moved_datetime(read, chance).strftime(form)
    return None


def around_changes(aware: bool) -> Iterator[tuple[str, datetime.datetime]]:
    """Zones, each with moments from which clocks change within a day."""
    for hours in BEFORE:
        for zone, changes in CHANGES.items():
            for change in changes:
                moment = datetime.datetime(*change, tzinfo=datetime.UTC) - datetime.timedelta(hours=hours)
                yield zone, moment if aware else moment.replace(tzinfo=None)


def all_zones(texts: Sequence[object]) -> bool:
    """Whether all of some texts name time zones."""
    return bool(texts) and all(isinstance(text, str) and ZONE.fullmatch(text) for text in texts)
