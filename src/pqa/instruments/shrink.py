"""Shrink: smaller and plainer inputs that still differ, found in few batches, since each try is a run of every branch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from pqa.core.values import decode, encode
from pqa.instruments.contract import Contract
from pqa.instruments.inputs import Input, distance, nodes
from pqa.instruments.relations import ABSENT

ROUNDS = 12
BATCH = 80
Path = tuple[object, ...]
Edit = tuple[Path, Any]


@dataclass(slots=True)
class Shrinker:
    """Ask for a `batch`, run it, `report` which inputs still differ; repeat until the batch is empty.

    Each batch holds simplifications of `best` of the same tier: a T1 input breaks the same relations, or fewer.
    """

    best: Input
    contract: Contract
    rounds: int = ROUNDS
    size: int = BATCH
    _tried: set[str] = field(default_factory=set)
    _pending: list[tuple[Input, list[Edit]]] = field(default_factory=list)
    _merged: list[Edit] = field(default_factory=list)

    def batch(self) -> list[Input]:
        """The next inputs to try, the simplest first; none when nothing simpler is left or the rounds are spent."""
        self._pending = []
        if self.rounds == 0:
            return []
        self.rounds -= 1
        self._tried.add(self.best.key)
        values = [decode(value) for value in self.best.args]
        limit = self._weight(values)
        found: list[tuple[tuple[float, ...], int, list[Any], list[Edit]]] = []
        for edits in self._edits(values):
            changed = _apply(values, edits)
            weight = self._weight(changed)
            if weight < limit:
                found.append((weight, len(found), changed, edits))
        for _, _, changed, edits in sorted(found, key=lambda item: item[:2]):
            candidate = self._candidate(changed)
            if candidate is not None:
                self._pending.append((candidate, edits))
            if len(self._pending) == self.size:
                break
        return [candidate for candidate, _ in self._pending]

    def report(self, still_differs: Sequence[bool]) -> None:
        """Say, for the last batch in order, which inputs still differ."""
        kept = [item for item, differs in zip(self._pending, still_differs, strict=True) if differs]
        if not kept:
            return
        self.best = kept[0][0]
        self._merged = [edit for _, edits in kept for edit in edits]

    def _candidate(self, values: Sequence[object]) -> Input | None:
        try:
            args = tuple(encode(value) for value in values)
        except ValueError:
            return None
        draft = Input(args, self.best.form, origin="shrunk")
        if draft.key in self._tried:
            return None
        self._tried.add(draft.key)
        tier, broken = self.contract.tier_of(self.contract.slots(values, self.best.form))
        if tier != self.best.tier or (tier == "T1" and not set(broken) <= set(self.best.broken)):
            return None
        return Input(args, self.best.form, tier, broken, "shrunk")

    def _weight(self, values: Sequence[object]) -> tuple[float, ...]:
        """Less is simpler: fewer values, then nearer to what was recorded and easier to read."""
        size = sum(_size(value) for value in values)
        slots = self.contract.slots(values, self.best.form)
        calls = self.contract.calls[:8]
        pairs = [
            [(own, call[slot]) for call in calls if call[slot] is not ABSENT]
            for slot, own in enumerate(slots)
            if own is not ABSENT
        ]
        strange = sum(min((distance(own, other) for own, other in pair), default=0.0) for pair in pairs)
        plain = sum(_plainness(value) for value in values)
        return (round(size + 0.6 * plain + 0.2 * strange, 6), size)

    def _edits(self, values: list[Any]) -> Iterator[list[Edit]]:
        """Merged successes of the last round, then recorded arguments, then local simplifications, single and joint."""
        if len(self._merged) > 1:
            yield self._merged
            yield self._merged[: len(self._merged) // 2]
        slots = self.contract.slots(values, self.best.form)
        present = [slot for slot, value in enumerate(slots) if value is not ABSENT]
        for index, slot in enumerate(present):
            for call in self.contract.calls[:8]:
                if call[slot] is not ABSENT:
                    yield [((index,), call[slot])]
        singles = [[(path, simpler)] for path, value in _places(values) for simpler in _simpler(value)]
        yield from singles
        yield from _joint(values)


def shrink(found: Input, still_differs: Callable[[Input], bool], contract: Contract, rounds: int = ROUNDS) -> Input:
    """The simplest input of the same tier that the shrinker reaches, tried one by one."""
    shrinker = Shrinker(found, contract, rounds)
    while batch := shrinker.batch():
        shrinker.report([still_differs(candidate) for candidate in batch])
    return shrinker.best


def _size(value: object) -> int:
    return len(value) + 1 if isinstance(value, str | bytes) else nodes(value) + _letters(value)


def _letters(value: object) -> int:
    if isinstance(value, str | bytes):
        return len(value)
    if isinstance(value, dict):
        value = [item for pair in value.items() for item in pair]
    return sum(_letters(item) for item in value) if isinstance(value, list | tuple | set | frozenset) else 0


def _plainness(value: object) -> float:
    """0 for zero, true and "": grows with digits, signs, fractions and letters that are hard to read."""
    if isinstance(value, bool) or value is None:
        return 0.1 * bool(value)
    if isinstance(value, int | float):
        far = len(str(abs(int(value)))) - 1 if abs(value) < 1e18 else 20
        return (
            far
            + 0.5 * (value < 0)
            + 0.01 * min(abs(value), 50)
            + 0.5 * (value != int(value) if abs(value) < 1e18 else 1)
        )
    if isinstance(value, str):
        return sum(
            0.0
            if letter in "a0 "
            else 0.05
            if letter.isalnum() and letter.isascii()
            else 0.2
            if letter.isascii()
            else 2
            for letter in value
        )
    if isinstance(value, dict):
        return sum(_plainness(item) for pair in value.items() for item in pair)
    return sum(_plainness(item) for item in value) if isinstance(value, list | tuple | set | frozenset) else 0.0


def _places(values: list[Any]) -> Iterator[tuple[Path, Any]]:
    """Every value that can be replaced, outermost first."""
    queue: list[tuple[Path, Any]] = [((index,), value) for index, value in enumerate(values)]
    while queue:
        path, value = queue.pop(0)
        yield path, value
        if isinstance(value, list | tuple):
            queue += [((*path, index), item) for index, item in enumerate(value)]
        elif isinstance(value, dict):
            queue += [((*path, key), item) for key, item in value.items()]


def _simpler(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield False
    elif isinstance(value, int):
        yield from (0, 1, 2, 3, abs(value), _halved(value), value - (1 if value > 0 else -1), value // 10)
    elif isinstance(value, float):
        yield from (
            0.0,
            1.0,
            2.0,
            0.5,
            *((float(round(value)), round(value, 1), abs(value)) if abs(value) < 1e15 else ()),
        )
    elif isinstance(value, str | bytes | list | tuple):
        yield from _shorter(value)
        if isinstance(value, str):
            yield from _plainer(value)
        elif isinstance(value, list | tuple):
            yield from (item for item in value if type(item) is type(value))
            yield from (type(value)([item] * len(value)) for item in value[:1])
            yield from _sorted(value)
    elif isinstance(value, set | frozenset):
        yield from (type(value)(item) for item in _shorter(sorted(value, key=repr)))
    elif isinstance(value, dict):
        yield from ({key: item for key, item in value.items() if key != gone} for gone in value)


def _halved(value: int) -> int:
    return value // 2 if value >= 0 else -(-value // 2)


def _sorted(value: Any) -> list[Any]:
    try:
        return [type(value)(sorted(value))]
    except TypeError:
        return []


def _shorter(value: Any) -> Iterator[Any]:
    """Nothing, one item, the halves, and without each chunk of halving length."""
    yield value[:0]
    length = len(value)
    yield from (value[index : index + 1] for index in range(min(length, 8)))
    chunk = length // 2
    while chunk:
        yield from (value[:start] + value[start + chunk :] for start in range(0, length, chunk))
        chunk //= 2


def _plainer(text: str) -> Iterator[str]:
    yield from (text.lower(), text.strip(), " ".join(text.split()))
    letters = sorted(set(text))[:12]
    for letter in letters:
        for plain in "a0b1":
            if letter != plain and letter.isdigit() == plain.isdigit():
                yield text.replace(letter, plain)
    yield from (text[:index] + plain + text[index + 1 :] for index in range(min(len(text), 12)) for plain in "a0")


def _joint(values: list[Any]) -> Iterator[list[Edit]]:
    """Changes that must come together: equal values, all numbers, two lists, a number and a list, two items."""
    numbers = [(path, value) for path, value in _places(values) if type(value) is int]
    yield from _joint_numbers(numbers)
    sized: list[tuple[int, Any]] = [
        item for item in enumerate(values) if isinstance(item[1], str | list | tuple) and item[1]
    ]
    for left, right in [(left, right) for left in sized for right in sized if left[0] < right[0]]:
        for cut in range(min(len(left[1]), len(right[1]), 12)):
            yield [((index,), _without(value, cut)) for index, value in (left, right)]
    for index, value in sized:
        length = min(len(value), 12)
        pairs = [(one, two) for one in range(length) for two in range(one + 1, length)]
        for one, two in pairs:
            yield [((index,), _without(_without(value, two), one))]
        for path, number in numbers:
            if len(path) == 1 and number > 0:
                for cut in range(length):
                    yield [(path, number - 1), ((index,), _without(value, cut))]


def _without(value: Any, index: int) -> Any:
    return value[:index] + value[index + 1 :]


def _joint_numbers(numbers: Sequence[tuple[Path, int]]) -> Iterator[list[Edit]]:
    for number in sorted({value for _, value in numbers}, key=abs, reverse=True)[:8]:
        same = [path for path, value in numbers if value == number]
        if len(same) > 1:
            yield from ([(path, simpler) for path in same] for simpler in (0, 1, 2, _halved(number), number - 1))
    if len(numbers) > 1:
        yield [(path, _halved(value)) for path, value in numbers]
        ranks = {value: rank for rank, value in enumerate(sorted({value for _, value in numbers}))}
        yield from ([(path, ranks[value] + first) for path, value in numbers] for first in (0, 1))
        yield [(path, value - 1) for path, value in numbers]


def _apply(values: list[Any], edits: Sequence[Edit]) -> list[Any]:
    changed: Any = values
    for path, value in edits:
        changed = _set(changed, path, value)
    return list(changed)


def _set(container: Any, path: Path, value: Any) -> Any:
    """A copy with one place changed; the same container where an earlier change took the place away."""
    step: Any = path[0]
    if isinstance(container, dict):
        if step not in container:
            return container
        return {
            key: (_set(item, path[1:], value) if path[1:] else value) if key == step else item
            for key, item in container.items()
        }
    if not isinstance(container, list | tuple) or not isinstance(step, int) or step >= len(container):
        return container
    items = list(container)
    items[step] = _set(items[step], path[1:], value) if path[1:] else value
    return type(container)(items)
