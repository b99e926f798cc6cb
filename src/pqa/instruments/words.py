"""Words: what recorded calls, source literals and the task's prose offer the generator to build values from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar

Item = TypeVar("Item")
LIMIT = 80
LONGEST_WORD = 40
SPREAD = 3
QUOTED = re.compile(r"'([^'\n]{1,40})'|\"([^\"\n]{1,40})\"|`([^`\n]{1,40})`|“([^”\n]{1,40})”")
LONE_LETTER = re.compile(r"(?<![\w'])[b-zB-HJ-Z](?![\w'])")
PROSE_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w])")


@dataclass(frozen=True, slots=True)
class Words:
    """Pools by type, recorded values first, mined ones after; `signs` are the letters that the prose or the source
    names alone; `reach` is how far from zero numbers should mostly stay."""

    integers: tuple[int, ...] = ()
    floats: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()
    letters: str = "abcxyz"
    tokens: tuple[str, ...] = ()
    signs: str = ""
    reach: int = 30

    def __post_init__(self) -> None:
        if not self.letters:
            object.__setattr__(self, "letters", "abcxyz")


def gather_words(calls: Iterable[object], literals: Sequence[object], prose: str) -> Words:
    """Pools in a fixed order: recorded values first, then the prose, then the branches' literals."""
    recorded = list(_scalars(calls))
    seen = [abs(value) for value in recorded if type(value) is int]
    reach = max(SPREAD * max(seen, default=0), 30)
    mined = [*_prose_values(prose), *_literal_scalars(literals)]
    texts = _unique(value for value in [*recorded, *mined] if isinstance(value, str) and len(value) <= LONGEST_WORD)
    letters = _unique(letter for value in recorded if isinstance(value, str) for letter in value)
    signs = [value for value in mined if isinstance(value, str) and len(value) == 1]
    extra = _unique(letter for value in mined if isinstance(value, str) and len(value) <= 12 for letter in value)
    return Words(
        tuple(_unique(value for value in [*recorded, *mined] if type(value) is int and abs(value) <= max(reach, 1000))),
        tuple(_unique(value for value in [*recorded, *mined] if type(value) is float)),
        tuple(texts),
        "".join(_unique([*letters, *extra])),
        tuple(_unique(token for text in texts for token in re.findall(r"\w+", text))),
        "".join(_unique(signs)),
        reach,
    )


def _unique(values: Iterable[Item]) -> list[Item]:
    found: dict[Item, None] = {}
    for value in values:
        found.setdefault(value)
        if len(found) == LIMIT:
            break
    return list(found)


def _scalars(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield from (*_scalars(key), *_scalars(item))
    elif isinstance(value, set | frozenset):
        for item in sorted(value, key=repr):
            yield from _scalars(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _scalars(item)
    else:
        yield value


def _prose_values(prose: str) -> Iterator[object]:
    for groups in QUOTED.findall(prose):
        yield next(group for group in groups if group)
    yield from LONE_LETTER.findall(prose)
    for number in PROSE_NUMBER.findall(prose):
        yield float(number) if "." in number else int(number[:12])


def _literal_scalars(literals: Sequence[object]) -> Iterator[object]:
    """Literals by how often they occur, their neighbours too; a long text (a docstring, a pattern) gives its pieces."""
    for value in _scalars(list(literals)):
        if isinstance(value, str) and len(value) > LONGEST_WORD:
            yield from re.findall(r"[^\W_]{1,12}|[^\w\s]", value)[:LIMIT]
        else:
            yield value
