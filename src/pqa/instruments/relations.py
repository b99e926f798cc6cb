"""Relation: one thing that was true of every recorded call, as text that a person can read, edit and be asked about."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pqa.instruments.families import (
    COLUMN_FAMILIES,
    LIST_FAMILIES,
    NUMBER_FAMILIES,
    SIZE_FAMILIES,
    TEXT_FAMILIES,
    Family,
)
from pqa.instruments.moment_families import moment_families, names_zones
from pqa.instruments.pair_families import ORDER_FAMILIES, PAIR_FAMILIES, SYMMETRIC
from pqa.instruments.paths import Path, path_text, reach, update
from pqa.instruments.shapes import NUMBERS, ORDERED, Shape, walk
from pqa.instruments.special_families import special_families

ABSENT = object()
"""Stands for an argument that a call leaves out."""
ALL_FAMILIES = (*NUMBER_FAMILIES, *SIZE_FAMILIES, *TEXT_FAMILIES, *LIST_FAMILIES, *PAIR_FAMILIES)


@dataclass(frozen=True, slots=True)
class Relation:
    """A family applied to one slot's values at a path, to a column of rows, to two fields, or to two slots.

    `mode` is "each", "column", "fields" (paths are the row's path, then the two keys) or "slots".
    """

    text: str
    family: Family
    mode: str
    slots: tuple[int, ...]
    path: Path = ()
    columns: tuple[object, ...] = ()
    weaker: frozenset[str] = frozenset()

    def holds(self, values: Sequence[object]) -> bool | None:
        """True or false on one call's slots; None where it says nothing."""
        found = [values[slot] for slot in self.slots]
        if any(value is ABSENT for value in found):
            return None
        if self.mode == "slots" or (self.mode == "each" and not self.path):
            return self.family.check(*found)
        verdicts = [self.family.check(*terms) for terms in self._terms(found[0])]
        if False in verdicts:
            return False
        return True if True in verdicts else None

    def _terms(self, value: object) -> list[tuple[object, ...]]:
        ends = reach(value, self.path)
        if self.mode == "column":
            return [([item for row in reach(end, ("*",)) for item in reach(row, self.columns)],) for end in ends]
        if self.mode == "fields":
            pairs = [(reach(end, self.columns[:1]), reach(end, self.columns[1:])) for end in ends]
            return [(left[0], right[0]) for left, right in pairs if left and right]
        return [(end,) for end in ends]

    def mend(self, values: list[object], spare: Sequence[object], source: random.Random) -> None:
        """Change `values` in place so that the relation is likelier to hold; `spare` is a recorded call's slots."""
        slot = self.slots[0]
        if self.mode == "slots":
            values[slot], values[self.slots[1]] = self.family.mend(values[slot], values[self.slots[1]], source)
        elif self.mode == "each":
            stock = reach(spare[slot], self.path)
            values[slot] = update(values[slot], self.path, lambda end: self._mend_end(end, stock, source))
        elif self.mode == "column":
            values[slot] = update(values[slot], self.path, self._mend_rows)
        else:
            values[slot] = update(values[slot], self.path, lambda row: self._mend_fields(row, source))

    def _mend_end(self, end: object, stock: Sequence[object], source: random.Random) -> object:
        if self.family.check(end) is not False:
            return end
        return self.family.mend(end, source.choice(stock) if stock else end, source)

    def _mend_rows(self, rows: object) -> object:
        if not isinstance(rows, list | tuple):
            return rows
        key = self.columns[0]
        try:
            if self.family.pattern.startswith("unique"):
                mended = list({repr(row[key]): row for row in rows}.values())
            else:
                mended = sorted(rows, key=lambda row: row[key], reverse=self.family.pattern.startswith("descending"))
        except (TypeError, LookupError):
            return rows
        return type(rows)(mended)

    def _mend_fields(self, row: object, source: random.Random) -> object:
        left, right = reach(row, self.columns[:1]), reach(row, self.columns[1:])
        if not left or not right or self.family.check(left[0], right[0]) is not False:
            return row
        low, high = self.family.mend(left[0], right[0], source)
        return update(update(row, self.columns[:1], lambda _: low), self.columns[1:], lambda _: high)


def candidates(names: Sequence[str], shapes: Sequence[Shape], examples: Sequence[Sequence[object]]) -> list[Relation]:
    """Every relation that could be said of slots of these shapes; `examples` give the relations with a parameter."""
    found: list[Relation] = []
    for slot, shape in enumerate(shapes):
        walk(shape, lambda path, inner, slot=slot: found.extend(_about_one(names, slot, path, inner, examples)))  # type: ignore[misc]
    for left in range(len(names)):
        for right in range(len(names)):
            if left != right:
                found += pair_relations(names, left, right)
    return list({relation.text: relation for relation in found}.values())


def _about_one(
    names: Sequence[str], slot: int, path: Path, shape: Shape, examples: Sequence[Sequence[object]]
) -> Iterator[Relation]:
    term = path_text(names[slot], path)
    values = [end for call in examples if call[slot] is not ABSENT for end in reach(call[slot], path)]
    told = () if names_zones(shape) else (*_families(shape), *special_families(shape, values))
    for family in (*told, *moment_families(values)):
        yield _relation(family, "each", (slot,), (term,), path)
    for option in shape.options:
        rows = [row for row in option.item.options if row.kind in ORDERED and row.fields]
        width = min((len(row.fields) for row in rows), default=0) or _width(option.item)
        for column in range(width if option.kind in ORDERED else 0):
            for family in COLUMN_FAMILIES:
                yield _relation(family, "column", (slot,), (f"{term}[*][{column}]",), path, (column,))
        yield from _about_fields(term, slot, path, shape)


def _width(shape: Shape) -> int:
    """The common length of short rows of scalars: of lists seen with one length only."""
    rows = [row for row in shape.options if row.kind in ORDERED]
    fixed = rows and all(row.low == row.high and not row.nested for row in rows) and len(shape.options) == len(rows)
    return int(rows[0].high) if fixed and rows[0].high <= 4 else 0


def _about_fields(term: str, slot: int, path: Path, shape: Shape) -> Iterator[Relation]:
    width = _width(Shape(tuple(option for option in shape.options if option.kind == "tuple")))
    for left in range(width):
        for right in range(width):
            for family in ORDER_FAMILIES if left != right else ():
                yield _relation(family, "fields", (slot,), (f"{term}[{left}]", f"{term}[{right}]"), path, (left, right))


def _families(shape: Shape) -> list[Family]:
    kinds = shape.kinds()
    found = list(NUMBER_FAMILIES) if kinds & {*NUMBERS} else []
    found += SIZE_FAMILIES if kinds & {"str", "list", "tuple", "dict", "set", "bytes"} else ()
    found += TEXT_FAMILIES if "str" in kinds else ()
    return [*found, *(LIST_FAMILIES if kinds & {*ORDERED} else ())]


def pair_relations(names: Sequence[str], left: int, right: int) -> Iterator[Relation]:
    """Every relation that could be said of two slots, in this order; a symmetric one only where `left` is the first."""
    for family in PAIR_FAMILIES:
        if left < right or family.pattern not in SYMMETRIC:
            yield _relation(family, "slots", (left, right), (names[left], names[right]))


def _relation(
    family: Family, mode: str, slots: tuple[int, ...], terms: tuple[str, ...], path: Path = (), columns: Path = ()
) -> Relation:
    weaker: set[str] = set()
    todo = list(family.implies)
    while todo:
        pattern = todo.pop()
        weaker.add(pattern.format(*terms))
        todo += [deeper for other in ALL_FAMILIES if other.pattern == pattern for deeper in other.implies]
    return Relation(family.pattern.format(*terms), family, mode, slots, path, columns, frozenset(weaker))


def normal_text(text: str) -> str:
    """A relation's text with spaces as pqa writes them, so that a person need not care."""
    text = re.sub(r"\s+", " ", text.strip())
    text = re.sub(r"\s*(<=|>=|==|<|>|%)\s*", r" \1 ", text)
    return re.sub(r"\s*,\s*", ", ", re.sub(r"\(\s+|\s+\)", lambda found: found.group().strip(), text))
