"""Reference trials: where a branch does otherwise than a trusted implementation on inputs inside the contract."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pqa.core.branch import Branch
from pqa.core.contract import Answer
from pqa.core.ports import Tools
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.answering import disagreement, plain_wrong
from pqa.instruments.function_trials import observe_all
from pqa.instruments.observation import Case, Observed, observe
from pqa.instruments.outcomes import SEPARATING, Difference, Outcome, difference, kind_of, vector_difference
from pqa.instruments.shrink_case import shrink_case

ALONE_SECONDS = 1.5
SECONDS = 30.0
INTERNAL = ("TypeError", "AttributeError", "NameError", "UnboundLocalError", "RecursionError")
SAME = (Difference.NONE, Difference.TYPE_ONLY, Difference.FLOAT_CLOSE)


@dataclass(frozen=True, slots=True)
class Right:
    """A case, cut to the calls that the reference answers with the same value under two hash seeds."""

    case: Case
    values: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class Deviation:
    """A case, cut after the first call on which a branch does otherwise; `plain`: nobody could mean what it does.

    `backed` is the share of the other branches that do there as the reference does; `alone`: none does as it does.
    """

    right: Right
    outcomes: tuple[Outcome, ...]
    plain: bool
    backed: float = 0.0
    alone: bool = False

    @property
    def call(self) -> str:
        """The call that differs, as one text."""
        return canonical({key: value for key, value in self.right.case["calls"][-1].items() if key != "at"})

    @property
    def size(self) -> tuple[int, int]:
        """How much there is to read."""
        return len(self.right.case["calls"]), len(canonical(self.right.case))

    @property
    def internal(self) -> bool:
        """Whether it ended in an exception that speaks of broken code, not of a refused argument."""
        return self.outcomes[-1].get("raises") in INTERNAL

    @property
    def method(self) -> str:
        """The name of what is called, read or assigned there."""
        last = self.right.case["calls"][-1]
        return str(last.get("call") or last.get("get") or last.get("set"))


def rights_of_cases(tools: Tools, reference: Branch, cases: Sequence[Case]) -> list[Right]:
    """What the reference returns; a case that it refuses at once, or answers in two ways, is left out."""
    if not cases:
        return []
    first = observe_all(tools, [reference], cases)[reference.branch_id]
    second = observe(tools.zygote(reference, hash_seed=1), cases, call_seconds=ALONE_SECONDS, seconds=SECONDS)
    found = [_right(case, one, two) for case, one, two in zip(cases, first, second, strict=True)]
    return [right for right in found if right is not None]


def _right(case: Case, one: Observed, two: Observed) -> Right | None:
    if not one.complete or not two.complete:
        return None
    values = []
    for left, right in zip(one.outcomes, two.outcomes, strict=False):
        if kind_of(left) != "value" or kind_of(right) != "value" or difference(left, right) not in SAME:
            break
        values.append(left["value"])
    cut = {"setup": case["setup"], "calls": list(case["calls"])[: len(values)]}
    return Right(cut, tuple(values)) if values else None


def deviations(tools: Tools, branches: Sequence[Branch], rights: Sequence[Right]) -> dict[str, list[Deviation]]:
    """By branch, the cases on which it does otherwise, the simplest first; each is shown twice, by two hash seeds."""
    if not rights:
        return {}
    seen = observe_all(tools, branches, [right.case for right in rights])
    found = {}
    for branch in branches:
        name = branch.branch_id
        others = [seen[other.branch_id] for other in branches if other is not branch]
        apart = [_deviation(right, one) for right, one in zip(rights, seen[name], strict=True)]
        placed = [
            None if one is None else _placed(one, [other[index] for other in others]) for index, one in enumerate(apart)
        ]
        found[name] = _steady(tools, branch, [one for one in placed if one is not None])
    return found


def _placed(deviation: Deviation, others: Sequence[Observed]) -> Deviation:
    """The deviation beside what the other branches do there."""
    end = len(deviation.right.values)
    known = [one.outcomes[:end] for one in others if len(one.outcomes) >= end]
    agreeing = sum(disagreement(deviation.right.values, outcomes) is None for outcomes in known)
    alike = any(vector_difference(deviation.outcomes, outcomes) not in SEPARATING for outcomes in known)
    return replace(deviation, backed=agreeing / len(known) if known else 0.0, alone=not alike)


def _steady(tools: Tools, branch: Branch, apart: Sequence[Deviation]) -> list[Deviation]:
    if not apart:
        return []
    cases = [one.right.case for one in apart]
    again = observe(tools.zygote(branch, hash_seed=1), cases, call_seconds=ALONE_SECONDS, seconds=SECONDS)
    kept = [one for one, other in zip(apart, again, strict=True) if _deviation(one.right, other) is not None]
    distinct = {canonical(one.right.case): one for one in kept}
    return sorted(distinct.values(), key=lambda one: (not one.plain, -one.backed, one.size))


def _deviation(right: Right, observed: Observed) -> Deviation | None:
    position = disagreement(right.values, observed.outcomes) if observed.complete else None
    if position is None:
        return None
    end = position + 1
    cut = Right({"setup": right.case["setup"], "calls": right.case["calls"][:end]}, right.values[:end])
    return Deviation(cut, observed.outcomes[:end], plain_wrong(right.values[position], observed.outcomes[position]))


def shrunk(tools: Tools, reference: Branch, branch: Branch, worst: Deviation) -> Deviation:
    """The same deviation with the fewest calls before it."""
    found: dict[str, Deviation] = {}

    def holds(cases: Sequence[Case]) -> list[bool]:
        here = observe(tools.zygote(reference), cases, call_seconds=ALONE_SECONDS, seconds=SECONDS)
        there = observe(tools.zygote(branch), cases, call_seconds=ALONE_SECONDS, seconds=SECONDS)
        return [_still(case, one, other) for case, one, other in zip(cases, here, there, strict=True)]

    def _still(case: Case, one: Observed, other: Observed) -> bool:
        right = _right(case, one, one)
        deviation = _deviation(right, other) if right is not None else None
        if deviation is None or deviation.plain != worst.plain or len(deviation.outcomes) != len(case["calls"]):
            return False
        found[canonical(case)] = deviation
        return deviation.call == worst.call

    smallest = found.get(canonical(shrink_case(worst.right.case, holds)), worst)
    return replace(smallest, backed=worst.backed, alone=worst.alone)


def as_answer(deviation: Deviation, subject: str) -> Answer:
    """What the reference says to the case, as an answer."""
    right = deviation.right
    return Answer("", "value", right.values, "reference", subject, None, "T0", right.case)
