"""Sibling vote: where most independent branches answer alike and one does not. A lead that never kills (DESIGN 4.2).

Measured before: even with perfect inputs a plain majority accuses 11 to 42 % of right branches on some sets, so the
bar is more than two thirds of at least four, on two inputs or more and a twentieth of those inside the contract. A contract
that rests on two calls counts in full where six or more vote: so 17 wrong branches stood alone, and no right one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.finding import Finding
from pqa.core.task import Brief
from pqa.core.trigger import Json, Trigger
from pqa.instruments.asking import story
from pqa.instruments.divergence import Split
from pqa.instruments.outcomes import SEPARATING, describe_vector, difference

FEWEST_BRANCHES = 4
FEWEST_INPUTS = 2
FEWEST_CALLS = 3
MANY_BRANCHES, FEWEST_CALLS_OF_MANY = 6, 2
SHARE = 0.05
ROOT, ROOT_OF_MANY = "siblings:", "siblings-many:"


@dataclass(frozen=True, slots=True)
class Ground:
    """What a vote on one function rests on: inputs tried inside the contract, distinct calls that it was learned from."""

    subject: str
    inside: int
    support: int


def vote(
    brief: Brief, splits: Sequence[Split], grounds: Sequence[Ground], clones: Mapping[str, str]
) -> Iterator[Finding]:
    """One finding a function and branch that stands alone against the others, by value or by an exception it did not
    raise on purpose."""
    independent = {clones.get(branch.branch_id, branch.branch_id) for branch in brief.branches}
    if len(independent) < FEWEST_BRANCHES:
        return
    for ground in grounds:
        mine = [split for split in splits if split.subject == ground.subject and split.tier == "T0" and _answers(split)]
        against: dict[tuple[str, str], list[Split]] = {}
        for split in mine:
            for name, oracle in _outsiders(split, independent, clones):
                against.setdefault((name, oracle), []).append(split)
        for (name, oracle), witnesses in sorted(against.items()):
            if len(witnesses) >= max(FEWEST_INPUTS, ground.inside * SHARE):
                yield _accuse(brief, ground, name, witnesses, oracle, len(independent))


def carried(row: Mapping[str, str], living: Collection[str], kin: Mapping[str, str]) -> bool:
    """Whether more than two thirds of the living, of at least four, do otherwise than the finding shows."""
    independent = _independent(living, kin)
    against = {kin.get(name, name) for name in living if row.get(name) == "not-shown"}
    return len(independent) >= FEWEST_BRANCHES and len(against) * 3 > len(independent) * 2


def carried_by_many(living: Collection[str], kin: Mapping[str, str]) -> bool:
    """Whether enough of the living vote for two calls to show the contract."""
    return len(_independent(living, kin)) >= MANY_BRANCHES


def _independent(living: Collection[str], kin: Mapping[str, str]) -> set[str]:
    return {kin.get(name, name) for name in living}


def _outsiders(split: Split, independent: set[str], clones: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The branches outside a group of more than two thirds that all return; and the oracle that speaks against them."""
    sizes = [len({clones.get(name, name) for name in group}) for group in split.groups]
    top = max(range(len(sizes)), key=lambda index: sizes[index])
    if sizes[top] * 3 <= len(independent) * 2 or not _returns(split, split.groups[top]):
        return
    for index, group in enumerate(split.groups):
        outcomes = split.observed[group[0]].outcomes
        if index == top or any(one.get("own") is True for one in outcomes):
            continue
        late = any("timeout" in outcome for outcome in outcomes)
        oracle = "siblings" if _returns(split, group) else "hang" if late else "crash"
        for name in group:
            yield name, oracle


def _answers(split: Split) -> bool:
    """Whether the answers to the call part, and not only how it used what it was given: there is more than one right way."""
    first = [split.observed[members[0]].outcomes[0] for members in split.groups]
    return len(split.case["calls"]) == 1 or any(difference(first[0], other) in SEPARATING for other in first[1:])


def _returns(split: Split, group: Sequence[str]) -> bool:
    return all("value" in outcome for outcome in split.observed[group[0]].outcomes)


def _accuse(brief: Brief, ground: Ground, name: str, witnesses: Sequence[Split], oracle: str, voters: int) -> Finding:
    leaning = ground.support < FEWEST_CALLS and ground.support >= FEWEST_CALLS_OF_MANY and voters >= MANY_BRANCHES
    best = min(witnesses, key=lambda split: (split.oddness, split.size))
    most = max(best.groups, key=len)
    expect: dict[str, Json] = {"values": [outcome["value"] for outcome in best.observed[most[0]].outcomes]}
    mine, theirs = (describe_vector(best.observed[one].outcomes) for one in (name, most[0]))
    title = f"{story(best.case)}: {mine}, where {len(most)} of {len(brief.branches)} branches answer {theirs}"[:200]
    missed = "The verifier misses it because no test makes this call."
    detail = f"On {len(witnesses)} inputs inside the contract that {ground.support} distinct calls show. {missed}"
    return Finding(
        name,
        "high",
        "value" if oracle == "siblings" else oracle,
        title,
        detail,
        attack=brief.attack,
        layer="question",
        oracle=oracle,
        trigger=Trigger(
            "observation", title, tuple(best.case["setup"]), tuple(best.case["calls"]), expect, seed=brief.seed
        ),
        adversary="mechanical",
        qualified=(leaning or ground.support >= FEWEST_CALLS) and oracle == "siblings",
        why_missed=missed,
        root=f"{ROOT_OF_MANY if leaning else ROOT}{ground.subject}",
    )
