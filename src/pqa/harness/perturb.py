"""Perturb: another value of the same type and shape, for values of the plain built-in types only; and their text.

Two ways differ in where they change a value and by how much; a third answers with an earlier value of the same shape.
None, instances of classes and everything else that is not plain is left as it is, and so is what holds nothing else.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Optional

DEPTH = 20
SAME = object()
"""Says that a value could not be changed."""
LETTERS = ("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "123456789")
EMPTY = {kind.__name__: kind for kind in (bool, int, float, str, bytes, list, tuple, dict, set, frozenset)}
"""What makes the default of a plain type."""
SCALARS = (int, float, str, bytes)
TEXT_LENGTH = 4_000


def perturbed(value: Any, way: str, earlier: list[Any], depth: int = 0) -> Any:
    """`value` changed in the way "first", "last" or "stale"; SAME when there is nothing to change."""
    kind = type(value)
    if kind is bool:
        wanted = {"first": True, "last": value, "stale": not value}[way]
        return (not value) if wanted else SAME
    if way == "stale":
        return _stale(value, earlier)
    if kind is int:
        step = 1 if way == "first" else 2
        return value - step if value < 0 else value + step
    if kind is float:
        return _float(value, way)
    if kind is str:
        return _text(value, way)
    if kind is bytes:
        changed = _text(value.decode("latin-1"), way)
        return changed if changed is SAME else changed.encode("latin-1")
    return _container(value, way, depth) if depth < DEPTH else SAME


def _float(value: float, way: str) -> Any:
    changed = value + math.copysign(1.0, value) if way == "first" else value * 1.25 + math.copysign(0.5, value)
    return changed if math.isfinite(value) and changed != value else SAME


def _text(value: str, way: str) -> Any:
    places = [place for place, letter in enumerate(value) if any(letter in letters for letters in LETTERS)]
    if not places:
        return SAME
    place = places[0] if way == "first" else places[-1]
    letters = next(each for each in LETTERS if value[place] in each)
    following = letters[(letters.index(value[place]) + 1) % len(letters)]
    return value[:place] + following + value[place + 1 :]


def _container(value: Any, way: str, depth: int) -> Any:
    kind = type(value)
    if kind is dict:
        keys = list(value)
        items = _one_changed([value[key] for key in keys], way, depth)
        return items if items is SAME else dict(zip(keys, items))
    if kind in (set, frozenset):
        return _set(value, way, depth)
    if kind in (list, tuple):
        items = _one_changed(list(value), way, depth)
        return items if items is SAME else kind(items)
    return SAME


def _set(value: Any, way: str, depth: int) -> Any:
    for item in sorted(value, key=plain_text):
        changed = perturbed(item, way, [], depth + 1)
        if changed is not SAME and changed not in value:
            return type(value)([*(each for each in value if each is not item), changed])
    return SAME


def _one_changed(items: list[Any], way: str, depth: int) -> Any:
    places: Iterable[int] = range(len(items)) if way == "first" else reversed(range(len(items)))
    for place in places:
        changed = perturbed(items[place], way, [], depth + 1)
        if changed is not SAME:
            return [*items[:place], changed, *items[place + 1 :]]
    return SAME


def _stale(value: Any, earlier: list[Any]) -> Any:
    if type(value) not in SCALARS:
        return SAME
    for known in earlier:
        if _form(known) == _form(value) and known != value:
            return known
    earlier.append(value)
    return SAME


def _form(value: Any) -> tuple[Any, ...]:
    if type(value) in (str, bytes):
        return type(value), len(value)
    return type(value), value > 0, value < 0


def plain_text(value: Any) -> str:
    """The source text of a plain value; the name of the type, in angle brackets, where it holds anything else."""
    return source_of(value) or "<" + type(value).__name__ + ">"


def source_of(value: Any, depth: int = 0) -> Optional[str]:
    """Text that `ast.literal_eval` reads back; None for anything that is not plain, endless or too long."""
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes) or (kind is float and math.isfinite(value)):
        text = repr(value) if kind not in (str, bytes) or len(value) < TEXT_LENGTH else ""
        return text if text and len(text) < TEXT_LENGTH else None
    if kind not in (list, tuple, dict, set) or depth > DEPTH or len(value) > TEXT_LENGTH or (kind is set and not value):
        return None
    return _container_source(value, depth)


def _container_source(value: Any, depth: int) -> Optional[str]:
    pairs = [value.items()] if type(value) is dict else []
    flat = [each for pair in pairs[0] for each in pair] if pairs else list(value)
    parts = [source_of(item, depth + 1) for item in flat]
    texts = [text for text in parts if text is not None]
    if len(texts) < len(parts) or sum(map(len, texts)) > TEXT_LENGTH:
        return None
    if pairs:
        return "{" + ", ".join(key + ": " + held for key, held in zip(texts[::2], texts[1::2])) + "}"
    if type(value) is set:
        return "{" + ", ".join(sorted(texts)) + "}"
    if type(value) is list:
        return "[" + ", ".join(texts) + "]"
    return "(" + ", ".join(texts) + ("," if len(texts) == 1 else "") + ")"
