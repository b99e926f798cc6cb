"""Special families: relations with a parameter that is read off the recorded values, such as a fixed set of letters."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from pqa.core.stand_in import Made, StandIn
from pqa.instruments.families import Family, number
from pqa.instruments.shapes import ORDERED, Option, Shape, misfit

FEW_LETTERS = 6
FEW_CHOICES = 3


def special_families(shape: Shape, values: Sequence[object]) -> Iterator[Family]:
    """The families whose parameter fits every value."""
    texts = [value for value in values if isinstance(value, str)]
    filled = [text for text in texts if text]
    if len(set(filled)) > 1:
        yield from _letters_family(filled)
        yield from _template_family(filled)
    for kind in ORDERED:
        option = shape.option(kind)
        if option is not None and option.fields:
            yield _record_family(option)
        sizes = {len(value) for value in values if type(value).__name__ == kind and isinstance(value, list | tuple)}
        if option is not None and not option.fields and len(sizes) == 1 and 0 < max(sizes) <= FEW_LETTERS:
            yield _size_family(kind, max(sizes))
    yield from _choice_family(values)
    yield from _callable_family([value for value in values if isinstance(value, StandIn)])
    yield from _object_family([value for value in values if isinstance(value, Made)])


def _escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _letters_family(texts: Sequence[str]) -> Iterator[Family]:
    """Text made of few signs that are no letters: brackets, binary digits, dots."""
    letters = "".join(sorted(set("".join(texts))))
    if (
        len(letters) > FEW_LETTERS
        or any(letter.isalpha() for letter in letters)
        or sum(map(len, texts)) < 2 * len(letters)
    ):
        return
    quoted = _escape(repr(letters))

    def check(value: object) -> bool | None:
        return all(letter in letters for letter in value) if isinstance(value, str) and value else None

    def mend(value: Any, _spare: object, source: Any) -> Any:
        return "".join(letter if letter in letters else source.choice(letters) for letter in value)

    yield Family(f"only({{0}}, {quoted})", f"may {{0}} hold anything but {quoted}?", check, mend)


def skeleton(text: str) -> str:
    """The text with each run of letters as A and of digits as 9: what stays is the template."""
    return re.sub(r"[^\W\d_]+", "A", re.sub(r"\d+", "9", text))


def _template_family(texts: Sequence[str]) -> Iterator[Family]:
    shapes = {skeleton(text) for text in texts}
    shape = min(shapes)
    if len(shapes) > 1 or not re.search(r"[^A9\s]", shape) or not re.search(r"[A9]", shape) or len(shape) > 20:
        return
    quoted = _escape(repr(shape))

    def check(value: object) -> bool | None:
        return skeleton(value) == shape if isinstance(value, str) and value else None

    yield Family(
        f"template({{0}}, {quoted})", f"may {{0}} have another form than {quoted}?", check, lambda _, spare, __: spare
    )


def _record_family(option: Option) -> Family:
    """Lists or tuples whose position decides the type; the shape alone lets any length and order of these types pass."""
    written = _escape(", ".join("|".join(sorted(shape.kinds())) for _, shape in option.fields))

    def check(value: object) -> bool | None:
        if type(value).__name__ != option.kind or not isinstance(value, list | tuple):
            return None
        pairs = zip(value, option.fields, strict=False)
        return len(value) == len(option.fields) and not any(misfit(shape, item) for item, (_, shape) in pairs)

    return Family(
        f"record({{0}}, {written})", f"may {{0}} have other fields than {written}?", check, lambda _, spare, __: spare
    )


def _size_family(kind: str, size: int) -> Family:
    def check(value: object) -> bool | None:
        return len(value) == size if type(value).__name__ == kind and isinstance(value, list | tuple) else None

    def mend(value: Any, spare: Any, _random: object) -> Any:
        return (value + type(value)(spare))[:size] if isinstance(spare, list | tuple) else value

    need = 2 if kind == "tuple" else 4
    return Family(f"len({{0}}) == {size}", f"may {{0}} have other than {size} items?", check, mend, need=need)


def _callable_family(known: Sequence[StandIn]) -> Iterator[Family]:
    """A callable that answers as one of the tests' callables did."""
    if not known:
        return

    def check(value: object) -> bool | None:
        return value in known if isinstance(value, StandIn) else None

    yield Family(
        "as_seen({0})",
        "may {0} answer otherwise than in the tests?",
        check,
        lambda _, __, source: source.choice(known),
        need=1,
    )


def _object_family(known: Sequence[Made]) -> Iterator[Family]:
    """An object that is made of what a test makes one of: what its class takes is not asked here."""
    if not known:
        return

    def check(value: object) -> bool | None:
        return value in known if isinstance(value, Made) else None

    yield Family(
        "as_made({0})",
        "may {0} be made of other values than in the tests?",
        check,
        lambda _, __, source: source.choice(known),
        need=1,
    )


def _choice_family(values: Sequence[object]) -> Iterator[Family]:
    """A few texts or numbers, each seen often: an enumeration."""
    kinds = {type(value) for value in values}
    if not values or not kinds <= {str, int} or len(kinds) > 1:
        return
    choices = sorted(set(values), key=repr)
    if not 1 < len(choices) <= FEW_CHOICES or min(map(values.count, choices)) < FEW_CHOICES:
        return
    inside: Callable[[object], bool | None] = lambda value: value in choices if type(value) in kinds else None  # noqa: E731
    quoted = _escape(repr(choices))
    yield Family(
        f"{{0}} in {quoted}",
        f"may {{0}} be other than one of {quoted}?",
        inside,
        lambda _, __, source: source.choice(choices),
        need=4,
    )


OPERATORS: dict[str, Callable[[Any, Any], bool]] = {
    ">=": lambda value, bound: value >= bound,
    ">": lambda value, bound: value > bound,
    "<=": lambda value, bound: value <= bound,
    "<": lambda value, bound: value < bound,
}
BOUND_QUESTIONS = {">=": "be less than", ">": "be as low as", "<=": "be greater than", "<": "be as great as"}


def bound_family(operator: str, bound: float, sized: bool = False) -> Family:
    """A stated bound, never a learned one: `n >= 2`, or of a length: `len(seq) <= 10`."""
    step = {">": 1, "<": -1}.get(operator, 0)

    def check(value: object) -> bool | None:
        if sized:
            return (
                OPERATORS[operator](len(value), bound)
                if isinstance(value, str | bytes | list | tuple | dict | set)
                else None
            )
        return OPERATORS[operator](value, bound) if number(value) else None

    def mend(value: Any, spare: Any, source: Any) -> Any:
        if not sized:
            return type(value)(
                bound + step + (source.randrange(9) if operator in (">", ">=") else -source.randrange(2))
            )
        if operator in ("<", "<=") and isinstance(value, str | bytes | list | tuple):
            return value[: int(bound + step)]
        return spare

    term = "len({0})" if sized else "{0}"
    asked = (
        f"may the length of {{0}} {BOUND_QUESTIONS[operator]} {bound}?"
        if sized
        else f"may {{0}} {BOUND_QUESTIONS[operator]} {bound}?"
    )
    return Family(f"{term} {operator} {bound}", asked, check, mend)
