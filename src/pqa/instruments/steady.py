"""Steady: keep the splits on which every branch does again, in another process with another hash seed, what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.ports import Tools
from pqa.instruments.divergence import Split, group
from pqa.instruments.observation import CLASS_NODES, Observed, observe
from pqa.instruments.outcomes import SEPARATING, Difference, vector_difference

CALL_SECONDS = 1.0
SECONDS = 30.0
OTHER_SEED = 1
STAND_INS = 8


def steady(splits: Sequence[Split], branches: Mapping[str, Branch], tools: Tools) -> list[Split]:
    """The splits that are no accident of hash order, addresses, earlier calls or chance; one child a branch runs them
    again in reverse order, so that what an earlier case left behind shows too. Those seen alone are run alone."""
    functions = [split for split in splits if split.source is not None]
    classes = [split for split in splits if split.source is None and not split.alone]
    alone = [one for split in splits if split.alone for one in _steady([split], branches, tools, CLASS_NODES)]
    return [*_steady(classes, branches, tools, CLASS_NODES), *_steady(functions, branches, tools, None), *alone]


def stand_in(split: Split, others: Sequence[Split], branches: Mapping[str, Branch], tools: Tools) -> Split | None:
    """The split, or else another one with the same groups, on which the branches part so in a process of their own; None
    where there is none: what earlier cases left behind told them apart."""
    like = [one for one in others if one.groups == split.groups and one is not split]
    ordered = [split, *sorted(like, key=lambda one: (not one.alone, one.oddness, one.size))]
    return next((one for one in ordered[:STAND_INS] if one.alone or _parts_alone(one, branches, tools)), None)


def _parts_alone(split: Split, branches: Mapping[str, Branch], tools: Tools) -> bool:
    """One branch a group is asked, as when a case is made smaller: a process each is what costs."""
    names = [members[0] for members in split.groups]
    nodes = CLASS_NODES if split.source is None else None

    def run(name: str) -> Observed:
        zygote = tools.zygote(branches[name])
        return observe(zygote, [split.case], call_seconds=CALL_SECONDS, seconds=SECONDS, nodes=nodes)[0]

    groups, unknown = group(dict(zip(names, tools.side_by_side(run, names), strict=True)))
    return len(groups) == len(names) and not unknown


def _steady(splits: Sequence[Split], branches: Mapping[str, Branch], tools: Tools, nodes: int | None) -> list[Split]:
    if not splits:
        return []
    backwards = list(reversed(splits))
    names = sorted({name for split in splits for members in split.groups for name in members})

    def again(name: str) -> list[int]:
        """The places of the splits on which the branch does otherwise, of those that tell it from others."""
        mine = [place for place, split in enumerate(backwards) if any(name in members for members in split.groups)]
        cases = [backwards[place].case for place in mine]
        zygote = tools.zygote(branches[name], hash_seed=OTHER_SEED)
        seen = observe(zygote, cases, call_seconds=CALL_SECONDS, seconds=SECONDS, nodes=nodes)
        return [place for place, one in zip(mine, seen, strict=True) if not _same(backwards[place], name, one.outcomes)]

    otherwise = {place for places in tools.side_by_side(again, names) for place in places}
    return [split for place, split in enumerate(backwards) if place not in otherwise][::-1]


def _same(split: Split, name: str, outcomes: Sequence[Mapping[str, object]]) -> bool:
    before = split.observed[name]
    if len(before.outcomes) != len(outcomes):
        return False
    found = vector_difference(before.outcomes, outcomes)
    return found not in SEPARATING and found is not Difference.UNKNOWN
