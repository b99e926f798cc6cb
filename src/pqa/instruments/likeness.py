"""Likeness: how much a branch's code is written as the others' is, as to its bare words. It breaks ties of the choice, no more:
of several programs that were written for one task, the one most like the rest is right more often than chance (Jain et al. 2023,
"Lightweight reranking for language model generations"). Measured on 125 tasks without anything else that pqa knows: the one most
like the rest is right in 61 of 100, one by chance in 44; with imports, docstrings and annotations in, 59.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from pqa.core.branch import Branch
from pqa.instruments.bare_code import bare_words

RUN = 3
"""Words that are compared as one piece."""
MOST_BYTES, MOST_FILES = 400_000, 200
FEWEST = 3
Pieces = Counter[tuple[str, ...]]


def unlikeness(branches: Sequence[Branch], clones: Mapping[str, str]) -> dict[str, float]:
    """By branch, the mean distance of its code from that of every other independent branch: 0 for the same code, 1 for
    nothing in common. Empty where fewer than three are independent or some code cannot be read."""
    pieces = {branch.branch_id: _pieces(branch) for branch in branches}
    firsts = sorted({clones.get(name, name) for name in pieces})
    if len(firsts) < FEWEST or not all(pieces.values()):
        return {}
    found = {}
    for name, mine in pieces.items():
        others = [pieces[first] for first in firsts if first != clones.get(name, name)]
        found[name] = round(sum(_distance(mine, other) for other in others) / len(others), 4)
    return found


def _distance(left: Pieces, right: Pieces) -> float:
    """One minus the Jaccard index of two multisets."""
    return 1 - (left & right).total() / (left | right).total()


def _pieces(branch: Branch) -> Pieces:
    found: Pieces = Counter()
    room = MOST_BYTES
    for name in branch.code[:MOST_FILES]:
        path = Path(branch.snapshot) / name
        if path.suffix != ".py" or not path.is_file() or path.is_symlink():
            continue
        room -= path.stat().st_size
        if room < 0:
            break
        words = [*bare_words(path.read_bytes())]
        found.update(zip(*(words[start:] for start in range(RUN)), strict=False))
    return found
