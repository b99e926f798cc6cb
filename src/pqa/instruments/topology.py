"""Topology: is a patched branch still the same approach, or has it become one of its siblings?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from pqa.instruments.anatomy import Anatomy

WEIGHTS = {"kinds": 4.0, "names": 2.0, "calls": 1.5, "imports": 1.5, "functions": 1.0}
"""What is kept says most about an approach; the names of functions least."""
CONTAINERS = ("dict", "sequence", "set", "record")


def distance(left: Anatomy, right: Anatomy) -> float:
    """From 0 (the same) to 1: Jaccard distances of the groups of features, weighted; groups that both lack say nothing."""
    total = weight = 0.0
    for group, share in WEIGHTS.items():
        mine, theirs = getattr(left, group), getattr(right, group)
        if mine or theirs:
            weight += share
            total += share * (1 - len(mine & theirs) / len(mine | theirs))
    return total / weight if weight else 0.0


def likeness(left: Anatomy, right: Anatomy) -> float:
    """How many of all statements the two share, from 0 to 1."""
    mine, theirs = Counter(left.statements), Counter(right.statements)
    whole = (mine | theirs).total()
    return (mine & theirs).total() / whole if whole else 1.0


def changed(past: Anatomy, patched: Anatomy, siblings: Mapping[str, Anatomy]) -> str:
    """Why the topology is not the branch's own any more; "" while it is."""
    if past.axis and patched.axis and past.axis != patched.axis:
        return f"topology: its declared axis was '{past.axis}' and is now '{patched.axis}'"
    others = {name: each for name, each in siblings.items() if not each.trouble}
    nearest = sorted(others, key=lambda name: (distance(patched, others[name]), name))
    for name in nearest:
        if _became(past, patched, others[name]):
            return f"topology: nearer to {name} than to its own past"
    return ""


def _became(past: Anatomy, patched: Anatomy, sibling: Anatomy) -> bool:
    kept = past.kinds == patched.kinds and past.written == patched.written
    if _containers(past.kinds):
        if kept or past.kinds == sibling.kinds:
            return False
        return _nearer(past, patched, sibling) or _carries(past, patched, sibling)
    if patched.kinds != past.kinds:
        return _nearer(past, patched, sibling)
    return _nearer(past, patched, sibling) and likeness(patched, sibling) > likeness(patched, past)


def _nearer(past: Anatomy, patched: Anatomy, sibling: Anatomy) -> bool:
    return distance(patched, sibling) < distance(patched, past)


def _carries(past: Anatomy, patched: Anatomy, sibling: Anatomy) -> bool:
    """Whether it keeps all the containers that set the sibling apart, whatever else it still drags along."""
    own = {kind for kind in _containers(sibling.kinds) - _containers(past.kinds) if _last(kind) in CONTAINERS}
    return bool(own) and own <= patched.kinds | patched.written


def _containers(kinds: frozenset[str]) -> frozenset[str]:
    return frozenset(kind for kind in kinds if kind.partition("#")[0].split("/")[0] in CONTAINERS)


def _last(kind: str) -> str:
    return kind.partition("#")[0].rpartition("/")[2]
