"""Sample: fresh values of a shape, from seen ranges, pools and words; small ones mostly."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from pqa.instruments.moments import MOMENTS, ZONES, all_zones, moved
from pqa.instruments.shapes import Option, Shape
from pqa.instruments.words import Words

LETTERS = "abcdefghijklmnopqrstuvwxyz"
CLASSES = (LETTERS, LETTERS.upper(), "0123456789", " ", ".,;:!?-_/'\"", "()[]{}<>", "@#$%&*+=\\|~^`")
NEAR_LETTERS = "éßİıñµ٣²Ａ\u00a0"
ACCENTED = str.maketrans("aeiouncyAEIOUNCY", "áéíóúñçýÁÉÍÓÚÑÇÝ")
"""Letters of two bytes in UTF-8 for letters of one."""
HUGE = (100, 128, 255, 256, 1000, 1024, 4096, 10**6, 10**9)
LONGEST = 30
UNKNOWN = ("int", "str", "list")


@dataclass(slots=True)
class Sampler:
    """Draws values from `random` alone. `huge` is how many far-out numbers may still be drawn."""

    random: random.Random
    words: Words
    huge: int = 6

    def value(self, shape: Shape, depth: int = 3) -> Any:
        """A value inside the shape."""
        if not shape.options:
            kind = self.random.choice(UNKNOWN if depth > 0 else UNKNOWN[:2])
            return self._of(Option(kind, high=5), depth)
        weights = [8 if option.learned else 1 for option in shape.options]
        return self._of(self.random.choices(shape.options, weights)[0], depth)

    def _of(self, option: Option, depth: int) -> Any:
        kind = option.kind
        if kind == "int":
            return self.integer(option)
        if kind == "float":
            return self._float(option)
        if kind == "str":
            return self.text(option)
        if kind == "bool":
            return self.random.random() < 0.5
        if kind in ("list", "tuple", "set", "frozenset"):
            return self._sequence(option, depth)
        if kind == "dict":
            return self._dict(option, depth)
        if kind == "bytes":
            return bytes(self.random.randrange(97, 123) for _ in range(self.length(option)))
        seen = self.random.choice(option.pool) if option.pool else None
        return moved(seen, self.random) if isinstance(seen, MOMENTS) and self.random.random() < 0.6 else seen

    def integer(self, option: Option) -> int:
        """Mostly near what was seen: its range, up to three times as far, its pool, words, 0, 1 and -1."""
        roll, source = self.random.random(), self.random
        low, high = int(max(option.low, -(10**9))), int(min(option.high, 10**9))
        span = max(high - low, abs(high), 10)
        if roll < 0.30:
            return source.randint(low, high)
        if roll < 0.50:
            return source.randint(max(low - span // 4, min(low, 0)) if low >= 0 else low - span, high + span)
        if roll < 0.65:
            return source.randint(0, 12)
        if roll < 0.75:
            return source.choice((0, 1, -1, 2, -2, 3, low - 1, high + 1, 10))
        if roll < 0.85 and option.pool:
            return self._shifted(source.choice(option.pool))
        if roll < 0.94 and self.words.integers:
            return self.worded(option)
        if roll < 0.97:
            return -source.randint(1, max(span, 1))
        return self._huge(max(abs(low), abs(high), 10))

    def worded(self, option: Option) -> int:
        """A number that the tests, the task or the code name, not too far from what was seen, or the one beside it."""
        bound = 3 * max(abs(int(max(option.low, -(10**9)))), abs(int(min(option.high, 10**9))), 30)
        return self._shifted(self._nearby(self.words.integers, bound))

    def _nearby(self, pool: tuple[int, ...], bound: int) -> int:
        near = [value for value in pool if abs(value) <= bound]
        return self.random.choice(near) if near else 0

    def _shifted(self, value: object) -> int:
        shift: int = self.random.choice((0, 0, 0, 1, -1))
        return shift + (value if isinstance(value, int) else 0)

    def _huge(self, seen: int) -> int:
        if self.huge == 0:
            return self.random.randint(0, 3 * seen)
        self.huge -= 1
        return self.random.choice([value for value in HUGE if value <= 1000 * seen]) + self.random.choice((-1, 0, 0, 1))

    def _float(self, option: Option) -> float:
        source, roll = self.random, self.random.random()
        low, high = max(option.low, -1e12), min(option.high, 1e12)
        span = max(high - low, abs(high), 2.0)
        if roll < 0.4:
            return round(source.uniform(low, high), source.choice((0, 1, 1, 2, 3)))
        if roll < 0.6:
            return round(source.uniform(low - span, high + span), source.choice((0, 1, 2)))
        if roll < 0.8:
            return source.choice((0.0, 1.0, -1.0, 0.5, 0.1, 2.5, 1.5, -0.5, 0.01, 99.99))
        pool = [*option.pool, *self.words.floats] or [3.5]
        return float(source.choice(pool)) + source.choice((0.0, 0.0, 0.1, 1.0, -1.0))  # type: ignore[arg-type]

    def length(self, option: Option) -> int:
        """Around the seen lengths; empty, single and long ones now and then."""
        roll = self.random.random()
        low, high = int(min(option.low, LONGEST)), int(min(option.high, LONGEST))
        if roll < 0.5:
            return self.random.randint(low, high)
        if roll < 0.9:
            return self.random.randint(0, min(max(high + 2, 5), LONGEST))
        if roll < 0.97:
            return self.random.randint(0, 2)
        return self.random.randint(0, LONGEST)

    def letter(self, option: Option) -> str:
        """Mostly a seen letter; else one of its class, of the words, of any class, or a near miss."""
        roll, source = self.random.random(), self.random
        known = option.letters or self.words.letters
        if roll < 0.35:
            return source.choice(known)
        if roll < 0.6:
            present = [letters for group in CLASSES if (letters := [letter for letter in known if letter in group])]
            letter: str = source.choice(source.choice(present or [[*known]]))
            return letter
        if roll < 0.8:
            classes = [group for group in CLASSES if any(letter in group for letter in known)] or CLASSES
            return source.choice(source.choice(classes))
        if roll < 0.9:
            return source.choice(self.words.letters)
        return source.choice(source.choice(CLASSES)) if roll < 0.985 else source.choice(NEAR_LETTERS)

    def text(self, option: Option) -> str:
        """Letters over a small alphabet, recorded words, or several words."""
        roll, source = self.random.random(), self.random
        if roll < 0.9 and all_zones(option.pool):
            return source.choice(ZONES)
        if option.high == 1 and option.low == 1 and roll < 0.8:
            signs = [text for text in self.words.texts if len(text) == 1]
            return str(source.choice(signs if signs and roll < 0.4 else option.pool or ("a",)))
        if roll < 0.35:
            known = (
                (option.letters or self.words.letters)
                if source.random() < 0.5
                else self.words.signs or self.words.letters
            )
            few = [source.choice(known) for _ in range(source.randint(1, 4))]
            text = "".join(source.choice(few) * source.choice((1, 1, 1, 2, 3)) for _ in range(self.length(option)))
            return text[: max(int(option.high), 8)]
        if roll < 0.60:
            return "".join(self.letter(option) for _ in range(self.length(option)))
        if roll < 0.75 and option.pool:
            return str(source.choice(option.pool))
        if roll < 0.85 and self.words.texts:
            return source.choice(self.words.texts)
        tokens = self.words.tokens or ("ab", "c")
        joint = source.choice([letter for letter in option.letters if not letter.isalnum()] or [" ", ""])
        return joint.join(source.choice(tokens) for _ in range(source.randint(1, 4)))[:60]

    def _sequence(self, option: Option, depth: int) -> Any:
        if option.fields and self.random.random() < 0.93:
            return _cast(option.kind, [self.value(shape, depth - 1) for _, shape in option.fields])
        if depth <= 0 and not option.item.options:
            return _cast(option.kind, [])
        size = min(self.length(option), 12 if depth < 3 else LONGEST)
        if self.random.random() < 0.25 and size > 1:
            few = [self._item(option, depth) for _ in range(self.random.randint(1, 3))]
            return _cast(option.kind, [self.random.choice(few) for _ in range(size)])
        return _cast(option.kind, [self._item(option, depth) for _ in range(size)])

    def _item(self, option: Option, depth: int) -> Any:
        if option.nested and depth > 0 and self.random.random() < 0.3:
            return self._sequence(Option(option.kind, high=3, item=option.item, nested=True), depth - 1)
        return self.value(option.item, depth - 1)

    def _dict(self, option: Option, depth: int) -> Any:
        if option.fields:
            kept = [item for item in option.fields if item[0] in option.required or self.random.random() < 0.5]
            return {key: self.value(shape, depth - 1) for key, shape in kept}
        keys = [self.value(option.keys, 0) for _ in range(min(self.length(option), 8))]
        return {key: self.value(option.item, depth - 1) for key in keys if not isinstance(key, list | dict | set)}


def _cast(kind: str, items: list[Any]) -> Any:
    if kind == "list":
        return items
    if kind == "tuple":
        return tuple(items)
    plain = [item for item in items if not isinstance(item, list | dict | set)]
    return set(plain) if kind == "set" else frozenset(plain)
