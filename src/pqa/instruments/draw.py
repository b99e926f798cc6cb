"""Draw: the seeded source of inputs that a property is given; every result is logged, so that a trigger can repeat it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from pqa.core.trigger import Json
from pqa.core.values import decode, encode

GRAIN = 64
LONGEST = 12


class Draw(Protocol):
    """What a property may ask for."""

    log: list[Json]

    def integers(self, low: int = 0, high: int = 100) -> int:
        """A whole number from `low` to `high`, both included."""

    def floats(self, low: float = 0.0, high: float = 100.0) -> float:
        """A multiple of 1/64 from `low` to `high`: exact in binary."""

    def booleans(self) -> bool:
        """True or False."""

    def choice(self, options: Sequence[Any]) -> Any:
        """One of `options`."""

    def text(self, alphabet: str = "abcxyz 0129-_", min_size: int = 0, max_size: int = LONGEST) -> str:
        """A string over `alphabet`."""

    def lists(
        self, element: Callable[[], Any] | Sequence[Any], min_size: int = 0, max_size: int = LONGEST
    ) -> list[Any]:
        """A list; `element` is a callable without arguments that draws one, or a sequence to choose from."""


class BaseDraw:
    """The draws that are made of whole numbers; subclasses say where a whole number comes from."""

    def __init__(self) -> None:
        self.log: list[Json] = []

    def _number(self, low: int, high: int) -> int:
        raise NotImplementedError

    def integers(self, low: int = 0, high: int = 100) -> int:
        """See `Draw`."""
        return self._number(int(low), int(high))

    def floats(self, low: float = 0.0, high: float = 100.0) -> float:
        """See `Draw`."""
        steps = int((float(high) - float(low)) * GRAIN)
        return float(low) + self._number(0, max(0, steps)) / GRAIN

    def booleans(self) -> bool:
        """See `Draw`."""
        return bool(self._number(0, 1))

    def choice(self, options: Sequence[Any]) -> Any:
        """See `Draw`."""
        return list(options)[self._number(0, len(options) - 1)]

    def text(self, alphabet: str = "abcxyz 0129-_", min_size: int = 0, max_size: int = LONGEST) -> str:
        """See `Draw`."""
        return "".join(self.lists(lambda: self.choice(alphabet), min_size, max_size))

    def lists(
        self, element: Callable[[], Any] | Sequence[Any], min_size: int = 0, max_size: int = LONGEST
    ) -> list[Any]:
        """See `Draw`."""
        size = self._number(int(min_size), int(max_size))
        return [element() if callable(element) else self.choice(element) for _ in range(size)]


class FixedDraw(BaseDraw):
    """The whole numbers of an earlier run, again; what is missing or out of range becomes the lowest."""

    def __init__(self, draws: Sequence[Json]) -> None:
        super().__init__()
        self._draws = [decode(draw) for draw in draws]

    def _number(self, low: int, high: int) -> int:
        number = self._draws[len(self.log)] if len(self.log) < len(self._draws) else low
        number = number if isinstance(number, int) and low <= number <= high else low
        self.log.append(encode(number))
        return number
