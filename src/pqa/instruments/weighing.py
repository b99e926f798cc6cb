"""Weighing: from how the branches parted, how often each living one stood outside the larger group, crashed alone, or answered
against what holds elsewhere."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from pqa.core.evidence import Evidence, Kinship, Parting, Weighed

APART = {"T0": "apart-inside", "T1": "apart-outside"}
IRREGULAR = {"T0": "irregular-inside", "T1": "irregular-outside"}
Totals = dict[str, dict[str, float]]


def weigh(evidence: Sequence[Weighed], living: Collection[str]) -> Totals:
    """Counts by branch and measure; less is better. Copies of one branch count once in the size of a group."""
    kin = {item.branch_id: item.first for item in evidence if isinstance(item, Kinship)}
    totals: Totals = {}
    for item in evidence:
        if isinstance(item, Evidence):
            _add(totals, item.branch_id, item.measure, item.count)
        elif isinstance(item, Parting):
            _count(item, living, kin, totals)
    return totals


def weigh_each(evidence: Sequence[Weighed], living: Collection[str]) -> dict[str, dict[int, Mapping[str, float]]]:
    """By branch: what each parting counts against it, by the parting's place; none for one on which it was not compared."""
    kin = {item.branch_id: item.first for item in evidence if isinstance(item, Kinship)}
    found: dict[str, dict[int, Mapping[str, float]]] = {name: {} for name in living}
    for place, item in enumerate(evidence):
        if isinstance(item, Parting):
            totals: Totals = {}
            _count(item, living, kin, totals)
            for name in (name for group in item.groups for name in group if name in found):
                found[name][place] = totals.get(name, {})
    return found


def _count(parting: Parting, living: Collection[str], kin: Mapping[str, str], totals: Totals) -> None:
    kept = [
        (tuple(name for name in group if name in living), crashed)
        for group, crashed in zip(parting.groups, parting.crashed, strict=True)
    ]
    groups = [(group, crashed, len({kin.get(name, name) for name in group})) for group, crashed in kept if group]
    if len(groups) < 2:
        return
    if parting.tier == "T0":
        _count_crashes(groups, parting.count, totals)
    _count_irregular(parting, living, totals)
    sizes = sorted((size for _, _, size in groups), reverse=True)
    measure = APART.get(parting.tier)
    if measure is None or sizes[0] == sizes[1]:
        return
    for group, _, size in groups:
        for name in group if size < sizes[0] else ():
            _add(totals, name, measure, parting.count)


def _count_irregular(parting: Parting, living: Collection[str], totals: Totals) -> None:
    """Whoever kept what the answer broke need not live: that it can be kept is shown."""
    measure = IRREGULAR.get(parting.tier)
    for group, count in zip(parting.groups, parting.irregular, strict=False):
        for name in group if measure and count else ():
            if name in living:
                _add(totals, name, str(measure), count)


def _count_crashes(groups: Sequence[tuple[tuple[str, ...], bool, int]], count: int, totals: Totals) -> None:
    """A crash counts where at least half of the independent branches return."""
    returning = sum(size for _, crashed, size in groups if not crashed)
    if returning * 2 >= sum(size for _, _, size in groups):
        for group, crashed, _ in groups:
            for name in group if crashed else ():
                _add(totals, name, "crashes", count)


def _add(totals: Totals, name: str, measure: str, count: float) -> None:
    mine = totals.setdefault(name, {})
    mine[measure] = mine.get(measure, 0) + count
