"""Edge values: for every kind in a shape what stands at its edges: nothing, one, the last that was seen, one more."""

from __future__ import annotations

from typing import Any

from pqa.instruments.sample import ACCENTED
from pqa.instruments.shapes import Shape

CARRIED, MOST_DIGITS = 100, 20
SEVERAL = 3


def edge_values(shape: Shape) -> list[Any]:
    """Values at the edges of every kind in the shape, the simplest first."""
    found: list[Any] = []
    for option in shape.options:
        low, high = option.low, option.high
        if option.kind == "int":
            found += dict.fromkeys(
                [
                    *(0, 1, 2, -1, int(low) - 1, int(high) + 1, int(low), int(high), *range(3, 9)),
                    *_carries(int(high)),
                    *(*range(9, 21), int(high) * 2),
                ]
            )
        elif option.kind == "float":
            found += [0.0, 1.0, -1.0, 0.5, float(low), float(high), float(high) * 2, 1.25, 0.1, 2.0]
        elif option.kind == "str":
            letters = option.letters or "ab"
            accented = [str(text).translate(ACCENTED) for text in option.pool[:SEVERAL] if len(str(text)) > 1]
            found += [
                "",
                *accented,
                *letters[:12],
                *(2 * letter for letter in letters[:3]),
                "a",
                "A",
                "1",
                " ",
                letters[:6],
            ]
        elif option.kind in ("bool", "None"):
            found += list(option.pool)
        elif option.kind in ("list", "tuple", "set", "frozenset") and not option.fields:
            found += _edge_lists(option.kind, option.item)
        elif option.kind == "dict" and not option.fields:
            found.append({})
    return found


def _carries(high: int) -> list[int]:
    """The last numbers before another digit, up to one digit more than was seen: rounding and units carry there."""
    return [10**digits - 1 for digits in range(3, min(len(str(high)) + 2, MOST_DIGITS))] if high >= CARRIED else []


def _edge_lists(kind: str, item: Shape) -> list[Any]:
    inner = edge_values(item)[:6] if item.options else [0, 1, "a"]
    lists: list[list[Any]] = [
        [],
        *([value] for value in inner),
        *([value, value] for value in inner[:3]),
        inner[:2],
        inner[1::-1],
        inner,
    ]
    if kind in ("set", "frozenset"):
        plain = [value for value in lists if not any(isinstance(entry, list | dict | set) for entry in value)]
        return [set(value) if kind == "set" else frozenset(value) for value in plain]
    return [tuple(value) if kind == "tuple" else value for value in lists]
