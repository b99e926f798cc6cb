"""Crash vote: a branch falls over, or hangs, in the middle of what the tests allow, where at least half of the others answer.

An exception that a branch did not raise on purpose is a flaw by itself, so fewer siblings need to speak against it than
against a value: half of at least four independent ones, on three sequences or more (DESIGN 4.2, `crash`: high on a learned
contract). Measured on recorded partings of model-written classes: 41 wrong branches and 1 right one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from pqa.core.finding import Finding
from pqa.core.task import Brief
from pqa.core.trigger import Trigger
from pqa.instruments.asking import story
from pqa.instruments.divergence import Split
from pqa.instruments.outcomes import Outcome, describe
from pqa.instruments.sibling_vote import FEWEST_BRANCHES

FEWEST_CASES = {"crash": 3, "hang": 2}
"""Each call that does not return costs its whole time, so that few of them are tried."""
ROOT = "crash:"


def crash_vote(brief: Brief, splits: Sequence[Split], clones: Mapping[str, str]) -> Iterator[Finding]:
    """One finding a class and branch that crashes at the end of enough sequences inside the contract."""
    against: dict[tuple[str, str, str], list[Split]] = {}
    for split in splits:
        if split.tier == "T0" and split.source is None and not split.alone:
            for name in _fallen(split, clones):
                oracle = "hang" if "timeout" in split.observed[name].outcomes[-1] else "crash"
                against.setdefault((split.subject, name, oracle), []).append(split)
    for (subject, name, oracle), witnesses in sorted(against.items()):
        if len(witnesses) >= FEWEST_CASES[oracle]:
            yield _accuse(brief, subject, name, witnesses, oracle)


def carried(row: Mapping[str, str], living: Collection[str], kin: Mapping[str, str]) -> bool:
    """Whether at least half of the living, and two of them, answer where the finding shows: the dead have no vote."""
    answering = {kin.get(name, name) for name in living if row.get(name) == "not-shown"}
    independent = {kin.get(name, name) for name in living}
    return len(answering) > 1 and len(answering) * 2 >= len(independent)


def _fallen(split: Split, clones: Mapping[str, str]) -> Iterator[str]:
    ends = [split.observed[members[0]].outcomes for members in split.groups]
    sizes = [len({clones.get(name, name) for name in members}) for members in split.groups]
    answering = sum(size for size, outcomes in zip(sizes, ends, strict=True) if not any(map(_crash, outcomes)))
    if sum(sizes) < FEWEST_BRANCHES or answering * 2 < sum(sizes):
        return
    for name in (name for members in split.groups for name in members):
        outcomes = split.observed[name].outcomes
        if outcomes and _crash(outcomes[-1]):
            yield name


def _crash(outcome: Outcome) -> bool:
    return "timeout" in outcome or ("raises" in outcome and outcome.get("own") is False)


def _accuse(brief: Brief, subject: str, name: str, witnesses: Sequence[Split], oracle: str) -> Finding:
    def until(split: Split) -> int:
        """The place of its first crash."""
        return next(place for place, outcome in enumerate(split.observed[name].outcomes) if _crash(outcome))

    best = min(witnesses, key=lambda split: (until(split), split.oddness, split.size))
    case = {**best.case, "calls": list(best.case["calls"])[: until(best) + 1]}
    told = describe(best.observed[name].outcomes[until(best)])
    others = "do" if oracle == "hang" else "do not fall over"
    title = f"{story(case)} {told}, where at least half of the branches {others}"[:200]
    missed = "The verifier misses it because no test makes these calls in this order."
    how = "does not return from" if oracle == "hang" else "falls over on"
    detail = f"It {how} {len(witnesses)} sequences of calls inside the contract. {missed}"
    return Finding(
        name,
        "high",
        oracle,
        title,
        detail,
        attack=brief.attack,
        layer="question",
        oracle=oracle,
        trigger=Trigger(
            "observation",
            title,
            tuple(case["setup"]),
            tuple(case["calls"]),
            {"outcome": "returns"},
            seed=brief.seed,
        ),
        adversary="mechanical",
        why_missed=missed,
        root=f"{ROOT}{subject}",
    )
