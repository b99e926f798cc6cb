"""Moment families: texts that name time zones, or moments in one format; a malformed one is outside, however alike it looks."""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence

from pqa.instruments.families import Family
from pqa.instruments.moments import FORMATS, ZONE, all_zones
from pqa.instruments.shapes import Shape

ZONE_QUESTION = "may {0} be anything but the name of a time zone?"
MOMENT_QUESTION = "may {0} be no moment that is written as {1}?"


def names_zones(shape: Shape) -> bool:
    """Whether all texts that were seen name time zones: then their letters say nothing."""
    option = shape.option("str")
    return option is not None and option.learned and all_zones(option.pool)


def moment_families(values: Sequence[object]) -> Iterator[Family]:
    """The family of zones, or of the one format in which every text is a moment."""
    texts = [value for value in values if isinstance(value, str) and value]
    if all_zones(texts):
        yield Family("zone({0})", ZONE_QUESTION, _is_zone, lambda _, spare, __: spare, need=1)
        return
    form = next((form for form in FORMATS if texts and all(_reads(text, form) for text in texts)), None)
    if form is not None:
        quoted = repr(_spelled(form))

        def check(value: object) -> bool | None:
            return _reads(value, form) if isinstance(value, str) and value else None

        asked = MOMENT_QUESTION.format("{0}", quoted)
        yield Family(f"moment({{0}}, {quoted})", asked, check, lambda _, spare, __: spare)


def _spelled(form: str) -> str:
    """A format as people write it: YYYY-MM-DD hh:mm:ss."""
    for code, letters in {"%Y": "YYYY", "%m": "MM", "%d": "DD", "%H": "hh", "%M": "mm", "%S": "ss"}.items():
        form = form.replace(code, letters)
    return form


def _is_zone(value: object) -> bool | None:
    return ZONE.fullmatch(value) is not None if isinstance(value, str) else None


def _reads(text: str, form: str) -> bool:
    """Whether a text is a moment in a format, with all its zeros or without."""
    if not 3 < len(text) < 24:
        return False
    try:
        datetime.datetime.strptime(text, form)  # noqa: DTZ007 (only whether it can be read)
    except ValueError:
        return False
    return True
