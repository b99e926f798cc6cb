"""Trigger source: an observation trigger as readable Python; raises Unwritable where odd or hostile names forbid it."""

from __future__ import annotations

import builtins
import itertools
import keyword
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.trigger import Json, Trigger
from pqa.core.values import source_text

MANY = 4
TYPED = (
    "tuple set frozenset list bytes bytearray complex float int decimal fraction date time datetime timedelta dict type"
)
IMPORTS = {
    "decimal": "from decimal import Decimal",
    "fraction": "from fractions import Fraction",
    **dict.fromkeys(("date", "time", "datetime", "timedelta"), "import datetime"),
}
RESERVED = frozenset(
    [*dir(builtins), "Clock", "alike", "answers", "shift", "pytest", "Decimal", "Fraction", "datetime"]
)


class Unwritable(ValueError):
    """The trigger has no readable form; its JSON is carried out instead."""


@dataclass(slots=True)
class Writer:
    """Writes one trigger; `imports` (of the branch) and `value_imports` fill while writing."""

    trigger: Trigger
    shifts: bool = False
    imports: dict[str, None] = field(default_factory=dict)
    value_imports: dict[str, None] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    clocks: list[str] = field(default_factory=list)
    borrowed: dict[str, str] = field(default_factory=dict)

    def setup(self) -> list[str]:
        """One or two lines for each item of the set-up."""
        return [line for item in self.trigger.setup for line in self._item(item)]

    def _item(self, item: Mapping[str, Json]) -> list[str]:
        name = self._new_name(item.get("name"))
        if "clock" in item:
            if set(item) != {"name", "clock"}:
                raise Unwritable("a clock of another sort")
            self._define(name)
            self.clocks.append(name)
            start = self.moment(item["clock"])
            return [f"{name} = Clock()", *([] if start == "0.0" else [f"{name}.now = {start}"])]
        if set(item) == {"name", "value"}:
            line = f"{name} = {self.value(item['value'])}"
        elif "new" in item and set(item) <= {"name", "new", "args", "kwargs"}:
            line = f"{name} = {self._function(item['new'])}({self._arguments(item)})"
        else:
            raise Unwritable("an unknown set-up item")
        self._define(name)
        return [line]

    def steps(self) -> Iterator[tuple[str, str, int]]:
        """("set", line, 1) and ("call", expression, how often in a row), in order."""
        last: Json = None
        for (at, expression), same in itertools.groupby(self._calls()):
            if at is not None and at != last:
                last = at
                for clock in self.clocks:
                    yield "set", f"{clock}.now = {at}", 1
            yield "call", expression, len(list(same))

    def _calls(self) -> Iterator[tuple[str | None, str]]:
        for call in self.trigger.calls:
            at = None if call.get("at") is None else self.moment(call["at"])
            yield at, self._call(call)

    def _call(self, call: Mapping[str, Json]) -> str:
        if not set(call) <= {"on", "call", "get", "set", "value", "args", "kwargs", "at"}:
            raise Unwritable("an unknown key in a call")
        if call.get("on") is None:
            return f"{self._function(call.get('call'))}({self._arguments(call)})"
        holder = self._known_name(call["on"])
        if "set" in call:
            return f"setattr({holder}, {identifier(call['set'])!r}, {self.value(call['value'])})"
        if "get" in call:
            return f"{holder}.{identifier(call['get'])}"
        return f"{holder}.{identifier(call.get('call'))}({self._arguments(call)})"

    def moment(self, at: Json) -> str:
        """A clock reading as source, moved by `shift` where the run is repeated."""
        if isinstance(at, bool) or not isinstance(at, int | float) or not math.isfinite(at):
            raise Unwritable("a clock reading that is no number")
        return f"{at!r} + shift" if self.shifts else repr(at)

    def value(self, value: Json) -> str:
        """An encoded value as source."""
        self._check_value(value, typed=False)
        return source_text(value)

    def _check_value(self, value: Json, *, typed: bool) -> None:
        if isinstance(value, list):
            for item in value:
                self._check_value(item, typed=typed)
        elif isinstance(value, dict) and "$type" in value:
            if value["$type"] not in TYPED.split():
                raise Unwritable("a value without a literal")
            if value["$type"] in IMPORTS:
                self.value_imports[IMPORTS[value["$type"]]] = None
            self._check_value(value.get("value"), typed=True)
            if source_text(value) == "<?>":
                raise Unwritable("a value that cannot be rebuilt")
        elif isinstance(value, dict) and "$name" in value:
            if typed:
                raise Unwritable("a name inside a typed value")
            self._known_name(value["$name"])
        elif isinstance(value, dict):
            if any(str(key).startswith("$") for key in value):
                raise Unwritable("a value of an unknown sort")
            for item in value.values():
                self._check_value(item, typed=typed)

    def _arguments(self, item: Mapping[str, Json]) -> str:
        positional = [self.value(value) for value in item.get("args") or []]
        named = [f"{identifier(key)}={self.value(value)}" for key, value in (item.get("kwargs") or {}).items()]
        return ", ".join(positional + named)

    def _function(self, name: Json) -> str:
        """The imported name; a class may stand between module and function, and is told by its capital letter."""
        parts = [identifier(part) for part in str(name).split(".")]
        cut = next((place for place, part in enumerate(parts) if place and part[0].isupper()), len(parts) - 1)
        if cut == 0:
            raise Unwritable("a function without a module")
        module, imported = ".".join(parts[:cut]), parts[cut]
        if imported in RESERVED or imported in self.names or self.borrowed.get(imported, module) != module:
            raise Unwritable("a name that means two things")
        self.borrowed[imported] = module
        self.imports[f"from {module} import {imported}"] = None
        return ".".join(parts[cut:])

    def _new_name(self, name: Json) -> str:
        checked = identifier(name)
        if checked in RESERVED or checked in self.borrowed:
            raise Unwritable("a name that means two things")
        return checked

    def _define(self, name: str) -> None:
        if name in self.borrowed:
            raise Unwritable("a name that means two things")
        self.names[name] = None

    def _known_name(self, name: Json) -> str:
        if not isinstance(name, str) or name not in self.names:
            raise Unwritable("a name that nothing defines")
        return name


def identifier(name: Json) -> str:
    """The name, if it is a plain ASCII identifier."""
    if not (isinstance(name, str) and name.isascii() and name.isidentifier()) or keyword.iskeyword(name):
        raise Unwritable("a name that is no identifier")
    return name


def rights(writer: Writer) -> list[str]:
    """The right answer to each call as source, from `expect`."""
    expect, count = writer.trigger.expect or {}, len(writer.trigger.calls)
    if "values" in expect:
        return [_right(writer, value) for value in expect["values"]]
    last = special("raises " + str(expect["raises"])) if "raises" in expect else special("any value")
    return [special("anything")] * (count - 1) + [last]


def _right(writer: Writer, value: Json) -> str:
    if isinstance(value, dict) and "$raises" in value:
        return special("raises " + str(value["$raises"]))
    return special("anything") if isinstance(value, dict) and "$any" in value else writer.value(value)


def special(text: str) -> str:
    """The source of an answer that is no value."""
    return f"Special({text!r})"


def listing(items: Sequence[str]) -> str:
    """A list as source; long rows of the same item become `[item] * count`."""
    parts: list[str] = []
    for many, rows in itertools.groupby(((item, len(list(row))) for item, row in itertools.groupby(items)), _is_many):
        if many:
            parts += [f"[{item}] * {count}" for item, count in rows]
        else:
            parts.append("[" + ", ".join(item for item, count in rows for _ in range(count)) + "]")
    return " + ".join(parts) or "[]"


def _is_many(row: tuple[str, int]) -> bool:
    return row[1] >= MANY


def simple(values: Sequence[Json]) -> bool:
    """Whether `==` alone tells the values from wrong ones, as pqa does: no floats, no containers, nothing special."""
    return all(value is None or isinstance(value, bool | int | str) for value in values)


def concrete(values: Sequence[Json]) -> bool:
    """Whether every entry is a value, and none leaves the outcome open or asks for an exception."""
    return not any(isinstance(value, dict) and ("$raises" in value or "$any" in value) for value in values)


def literal_lines(text: str) -> str:
    """A foreign text as one literal in brackets, line by line, that nothing in it can end."""
    return "(\n" + "".join(f"    {line!a}\n" for line in text.splitlines(keepends=True) or [""]) + ")"
