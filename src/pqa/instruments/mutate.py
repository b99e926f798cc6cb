"""Mutate: small changes to a recorded value that keep its kind."""

from __future__ import annotations

import random
import re
from dataclasses import dataclass
from typing import Any

from pqa.core.stand_in import Made, StandIn
from pqa.core.values import canonical, decode, encode
from pqa.instruments.moments import MOMENTS, moved, moved_text
from pqa.instruments.sample import ACCENTED, LONGEST, NEAR_LETTERS, Sampler
from pqa.instruments.shapes import Option, Shape, kind_of, learn_shape
from pqa.instruments.stand_ins import varied

LONGEST_TEXT = 120
WORDED = 0.1
"""How often a number becomes one that the code or the task names, or the one beside it: there lie the thresholds."""


@dataclass(slots=True)
class Mutator:
    """Changes one thing in a value; new parts come from the sampler."""

    sampler: Sampler

    @property
    def random(self) -> random.Random:
        """The one source of chance."""
        return self.sampler.random

    def value(self, shape: Shape, value: Any, depth: int = 3) -> Any:
        """`value` with one change, or now and then a fresh one."""
        option = shape.option(kind_of(value)) or Option(kind_of(value), high=5)
        if self.random.random() < 0.08 or (len(shape.options) > 1 and self.random.random() < 0.1):
            return self.sampler.value(shape, depth)
        if option.kind == "int":
            return self._integer(option, value)
        if option.kind == "float":
            return self._float(value)
        if option.kind == "str":
            return self._text(option, value)[:LONGEST_TEXT]
        if option.kind in ("list", "tuple"):
            return type(value)(self._items(option, list(value), depth))
        if option.kind in ("set", "frozenset"):
            items = self._items(option, sorted(value, key=repr), depth)
            return type(value)(item for item in items if not isinstance(item, list | dict | set))
        if option.kind == "dict":
            return self._dict(option, dict(value), depth)
        if isinstance(value, StandIn):
            return varied(value, self.random)
        if isinstance(value, Made):
            return self._remade(value)
        if isinstance(value, MOMENTS):
            return moved(value, self.random)
        return self.sampler.value(shape, depth)

    def _remade(self, value: Made) -> Made:
        """The object made of one other plain argument."""
        form = value.form()
        places: list[tuple[Any, Any]] = [(form["args"], place) for place in range(len(form["args"]))]
        places += [(form["kwargs"], key) for key in form["kwargs"]]
        if not places:
            return value
        holder, place = self.random.choice(places)
        inner = decode(holder[place])
        shape = learn_shape([inner])
        named = type(inner) is int and self.sampler.words.integers and self.random.random() < 0.5
        changed = self.sampler.worded(shape.options[0]) if named else self.value(shape, inner, 1)
        holder[place] = encode(changed)
        return Made(canonical(form))

    def _integer(self, option: Option, value: int) -> int:
        if self.random.random() < WORDED and self.sampler.words.integers:
            return self.sampler.worded(option)
        changed = self._moved(option, value)
        bound = 3 * int(max(abs(option.low), abs(option.high), 10)) if abs(option.high) < 1e300 else 10**9
        return changed if abs(changed) <= max(bound, abs(value)) else self.sampler.integer(option)

    def _moved(self, option: Option, value: int) -> int:
        source, move = self.random, self.random.randrange(12)
        if move < 4:
            return value + source.choice((1, -1, 1, -1, 2, -2, 10, -10))
        if move == 4:
            return -value
        if move == 5:
            return source.choice((0, 1, -1, 2))
        if move == 6:
            return value * 2 if abs(value) <= self.sampler.words.reach else value // 2
        if move == 7:
            return value // 2
        if move == 8:
            return int(source.choice((option.low, option.high))) + source.choice((-1, 0, 1))
        if move == 9:
            return self._digits(value)
        return (
            self.sampler.integer(option) if move == 10 else 2 ** source.randint(0, max(abs(value).bit_length() % 31, 3))
        )

    def _digits(self, value: int) -> int:
        digits = list(str(abs(value)))[:12]
        self._edit(digits, lambda: self.random.choice("0123456789"))
        text = "".join(digits) if self.random.random() < 0.7 else "".join(digits + digits[-2::-1])
        return int(text[:12] or "0") * (-1 if value < 0 else 1)

    def _float(self, value: float) -> float:
        source = self.random
        if not abs(value) < 1e300:
            return float(source.choice((0.0, 1.0, -value)))
        moves = (
            value + 1,
            value - 1,
            -value,
            0.0,
            value * 2,
            value / 2,
            round(value),
            round(value, 1),
            value + 0.1,
            value + 0.5,
        )
        return float(source.choice(moves))

    def _edit(self, items: list[Any], fresh: Any) -> None:
        """One structural change of a list in place."""
        source, move = self.random, self.random.randrange(12)
        place = source.randrange(len(items)) if items else 0
        other = source.randrange(len(items)) if items else 0
        if not items or move in (0, 1):
            items.insert(place if source.random() < 0.7 else len(items), fresh())
        elif move == 2:
            del items[place]
        elif move == 3:
            items.insert(other, items[place])
        elif move == 4:
            items[place], items[other] = items[other], items[place]
        elif move in (5, 6):
            items[place] = fresh()
        elif move == 7:
            items[place] = items[other]
        elif move == 8:
            items[:] = items[: place + 1] if source.random() < 0.5 else items[place:]
        elif move == 9:
            items.reverse()
        elif move == 10:
            items[:] = (
                (items + items)[: max(LONGEST, len(items))] if source.random() < 0.5 else items[place:] + items[:place]
            )
        else:
            source.shuffle(items)

    def _items(self, option: Option, items: list[Any], depth: int) -> list[Any]:
        source, roll = self.random, self.random.random()
        shapes = dict(option.fields)
        if option.fields and items and roll < 0.93:
            place = source.randrange(len(items))
            items[place] = self.value(shapes.get(place, option.item), items[place], depth - 1)
        elif roll < 0.3 and items:
            place = source.randrange(len(items))
            same = [index for index, item in enumerate(items) if item == items[place]] if roll < 0.05 else [place]
            changed = self.value(option.item, items[place], depth - 1)
            for index in same:
                items[index] = changed
        elif roll < 0.36 and items:
            items = [self.value(option.item, item, depth - 1) for item in items]
        elif roll < 0.40:
            items = self._ordered(items)
        elif roll < 0.45 and option.nested:
            items = self._nest(items, option)
        else:
            self._edit(items, lambda: self._new_item(option, items, depth))
        return items[: max(LONGEST, len(items) - 1)]

    def _new_item(self, option: Option, items: list[Any], depth: int) -> Any:
        if items and self.random.random() < 0.3:
            return self.value(option.item, self.random.choice(items), depth - 1)
        return self.sampler.value(option.item, min(depth - 1, 2))

    def _ordered(self, items: list[Any]) -> list[Any]:
        try:
            ordered = sorted(items)
        except TypeError:
            return items[::-1]
        return ordered if ordered != items else ordered[::-1]

    def _nest(self, items: list[Any], option: Option) -> list[Any]:
        cut = self.random.randrange(len(items) + 1)
        inner: Any = items[cut : cut + 3]
        return [*items[:cut], tuple(inner) if option.kind == "tuple" else inner, *items[cut + 3 :]]

    def _dict(self, option: Option, value: dict[Any, Any], depth: int) -> dict[Any, Any]:
        keys = list(value)
        shapes = dict(option.fields)
        roll = self.random.random()
        if keys and (roll < 0.5 or option.fields):
            key = self.random.choice(keys)
            return {**value, key: self.value(shapes.get(key, option.item), value[key], depth - 1)}
        if keys and roll < 0.7:
            del value[self.random.choice(keys)]
            return value
        key = (
            self.value(option.keys, self.random.choice(keys), 0)
            if keys and roll < 0.85
            else self.sampler.value(option.keys, 0)
        )
        if not isinstance(key, list | dict | set):
            value[key] = self.sampler.value(option.item, depth - 1)
        return value

    def _text(self, option: Option, text: str) -> str:
        roll = self.random.random()
        if option.high == 1 == len(text) and roll < 0.8:
            return self.sampler.text(option)
        if roll < 0.5 and (told := moved_text(text, self.random)) is not None:
            return told
        if roll < 0.45:
            letters = list(text)
            self._edit(letters, lambda: self.sampler.letter(option))
            return "".join(letters)
        if roll < 0.75:
            return self._fields(option, text)
        return self._restyle(text)

    def _fields(self, option: Option, text: str) -> str:
        """Keep the separators and change one field, or change the order or number of the fields."""
        parts = re.findall(r"[^\W\d_]+|\d+|[\W_]", text)
        places = [index for index, part in enumerate(parts) if part[0].isalnum()]
        if not places:
            return self.sampler.text(option)
        place = self.random.choice(places)
        part = parts[place]
        roll = self.random.random()
        if roll < 0.25:
            other = self.random.choice(places)
            parts[place], parts[other] = parts[other], part
        elif roll < 0.4:
            parts[place : place + 2] = [] if roll < 0.33 else [*parts[place : place + 2], *parts[place : place + 2]]
        elif part.isascii() and part.isdigit():
            parts[place] = self._number_field(part)
        else:
            letters = list(part)
            self._edit(letters, lambda: self.sampler.letter(option))
            parts[place] = "".join(letters) if roll < 0.75 else self.random.choice(self.sampler.words.tokens or ("ab",))
        return "".join(parts)

    def _number_field(self, part: str) -> str:
        number = abs(int(part[:12]) + self.random.choice((1, -1, 1, -1, 10, 100, -int(part[:12]))))
        return (
            str(number).zfill(len(part))
            if self.random.random() < 0.6
            else str(self.random.randrange(10 ** min(len(part) + 1, 6)))
        )

    def _restyle(self, text: str) -> str:
        source = self.random
        cut = source.randrange(len(text) + 1)
        space = source.choice(" \n\t") if source.random() < 0.2 else " "
        made = (
            text.swapcase,
            text.upper,
            text.lower,
            lambda: text + text[::-1],
            lambda: text[:cut] + text[:cut][::-1],
            lambda: text[:cut] + space + text[cut:],
            lambda: space + text if cut % 2 else text + space,
            lambda: text[:cut] + source.choice(self.sampler.words.texts or ("",)) + text[cut:],
            lambda: text + source.choice(self.sampler.words.tokens or ("a",)),
            lambda: text[:cut] + text[cut : cut + 1] * source.randint(2, 4) + text[cut + 1 :],
            lambda: text[:cut] + (source.choice(NEAR_LETTERS) if source.random() < 0.1 else "") + text[cut + 1 :],
            lambda: " ".join(sorted(text.split(), key=lambda _: source.random())),
            lambda: text.translate(ACCENTED),
            lambda: "".join("日" if letter.isalpha() else letter for letter in text),
        )
        return source.choice(made)()
