"""Neighbours: cases close to a given one: numbers moved a little, texts renamed, items dropped, clocks moved, calls permuted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import chain, zip_longest

from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.literals import leaves
from pqa.instruments.observation import Case, shifted

Change = Callable[[Json], Json]
PLACES = ("args", "kwargs", "value")
WHOLE = ("callable", "public", "made")
"""Kinds of values that stay as they are: a callable's answers are no arguments."""
NAMES = ("bea", "quux", "Zed7")


def neighbours(case: Case) -> Iterator[Case]:
    """Cases one step away, mixed in kind. Signs and emptiness are kept, so that few leave what the case's types promise."""
    groups = [
        _moved(case, (1, -1)),
        (one for one, _ in renamed(case)),
        _items(case),
        _texts(case),
        _scaled(case),
        _permuted(case),
        _origins(case),
        _fewer(case),
        _moved(case, (2, -2, 7, -7, 10, -10, 100, -100, 200, -200)),
    ]
    yield from (one for one in chain.from_iterable(zip_longest(*groups)) if one is not None)


def mapped(case: Case, change: Change) -> Case:
    """The case with every argument value changed; names and times stay."""

    def of(item: dict[str, Json]) -> dict[str, Json]:
        return {**item, **{key: change(item[key]) for key in PLACES if item.get(key)}}

    return {"setup": [of(item) for item in case["setup"]], "calls": [of(call) for call in case["calls"]]}


def replacing(old: Json, new: Json) -> Change:
    """A change of every value equal to `old`, of the same type, keys of dicts included."""

    def change(value: Json) -> Json:
        if isinstance(value, list):
            return [change(item) for item in value]
        if isinstance(value, dict):
            if "$name" in value or value.get("$type") in WHOLE:
                return value
            return {
                change(key) if not key.startswith("$") else key: item if key == "$type" else change(item)
                for key, item in value.items()
            }
        return new if type(value) is type(old) and value == old else value

    return change


def _distinct_leaves(case: Case) -> list[Json]:
    found: dict[str, Json] = {}
    for item in (*case["setup"], *case["calls"]):
        values = [*item.get("args", ()), *(item.get("kwargs") or {}).values(), item.get("value")]
        for leaf in leaves(values):
            found.setdefault(canonical(leaf), leaf)
    return list(found.values())


def _moved(case: Case, steps: tuple[int, ...]) -> Iterator[Case]:
    """Each number a step away; a step that is large beside the number is left out."""
    for step in steps:
        for leaf in _distinct_leaves(case):
            if not isinstance(leaf, str) and (abs(step) < 10 or abs(step) * 4 <= abs(leaf)):
                moved = leaf + step
                if (moved > 0, moved < 0) == (leaf > 0, leaf < 0) or (leaf == 0 and step > 0):
                    yield mapped(case, replacing(leaf, moved))


def _scaled(case: Case) -> Iterator[Case]:
    for factor in (2, 3, 10):
        for leaf in _distinct_leaves(case):
            if not isinstance(leaf, str) and leaf:
                yield mapped(case, replacing(leaf, leaf * factor))


def renamed(case: Case) -> Iterator[tuple[Case, Change]]:
    """Each text that looks like a name under other names, wherever it stands; with the change, for the right values."""
    for leaf in _distinct_leaves(case):
        if isinstance(leaf, str) and leaf.isidentifier():
            for name in NAMES:
                change = replacing(leaf, name)
                yield mapped(case, change), change


def _texts(case: Case) -> Iterator[Case]:
    """Each text reversed, doubled, a character shorter, in the other case."""
    for leaf in _distinct_leaves(case):
        if isinstance(leaf, str) and leaf:
            middle = len(leaf) // 2
            for other in (
                leaf + leaf[-1],
                leaf[1:] or leaf * 2,
                leaf[:middle] + leaf[middle] + leaf[middle:],
                leaf[:-1] or leaf * 3,
                leaf[0] + leaf,
                leaf[:middle] + leaf[middle] * 2 + leaf[middle:],
                leaf[::-1],
                leaf + leaf,
                leaf.swapcase(),
                leaf.lower(),
                leaf.upper(),
            ):
                yield mapped(case, replacing(leaf, other))


def _items(case: Case) -> Iterator[Case]:
    """Each list among the arguments an item longer, shorter, turned around or rotated."""
    lists: dict[str, list[Json]] = {}
    for item in (*case["setup"], *case["calls"]):
        for value in (*item.get("args", ()), *(item.get("kwargs") or {}).values()):
            inner = value["value"] if isinstance(value, dict) and value.get("$type") in ("tuple", "set") else value
            if isinstance(inner, list) and inner:
                lists.setdefault(canonical(inner), inner)
    for old in lists.values():
        for new in (
            old[1:] or old * 2,
            [*old, old[-1]],
            [*old, old[0]],
            old[::-1],
            old[:-1] or old * 3,
            [*old[1:], old[0]],
        ):
            yield mapped(case, _list_change(old, new))


def _list_change(old: list[Json], new: list[Json]) -> Change:
    wanted = canonical(old)

    def change(value: Json) -> Json:
        if isinstance(value, list):
            return new if canonical(value) == wanted else [change(item) for item in value]
        if isinstance(value, dict) and "$name" not in value and value.get("$type") not in WHOLE:
            return {key: item if key == "$type" else change(item) for key, item in value.items()}
        return value

    return change


def _origins(case: Case) -> Iterator[Case]:
    if any("clock" in item for item in case["setup"]):
        for origin in (1.0, 64.0, 4096.0):
            yield shifted(case, origin)


def _permuted(case: Case) -> Iterator[Case]:
    """Neighbouring calls exchanged, each at the other's time."""
    calls = case["calls"]
    for index in range(len(calls) - 1):
        left, right = calls[index], calls[index + 1]
        if {**left, "at": None} != {**right, "at": None}:
            exchanged = [{**right, **_at(left)}, {**left, **_at(right)}]
            yield {**case, "calls": [*calls[:index], *exchanged, *calls[index + 2 :]]}


def _at(call: dict[str, Json]) -> dict[str, Json]:
    return {"at": call["at"]} if "at" in call else {}


def _fewer(case: Case) -> Iterator[Case]:
    calls = case["calls"]
    for index in range(len(calls)) if len(calls) > 1 else ():
        yield {**case, "calls": [*calls[:index], *calls[index + 1 :]]}
