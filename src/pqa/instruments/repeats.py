"""Repeats: does one call, made again and again, give another answer after a while, where the others stay as they were?

What a function keeps across calls may turn its right answers into wrong ones once more calls were made than its tests make.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.ports import Tools, Zygote
from pqa.instruments.masked import Case
from pqa.instruments.observation import Observed, observe
from pqa.instruments.outcomes import Outcome, kind_of
from pqa.instruments.seen_calls import Seen, same

LEAST, MOST = 60, 200
CALL_SECONDS = 0.3
SECONDS = 20.0
OTHER_SEED = 1


@dataclass(frozen=True, slots=True)
class Turn:
    """From which call on (counted from 1) the answer is another one."""

    case: Case
    at: int
    right: Outcome
    answer: Outcome


def repeated_case(seen: Seen) -> Case | None:
    """One seen call, twice as often as the tests make calls; None where no call gave a plain value."""
    number = min(MOST, max(LEAST, 2 * max((len(order) for order in seen.order.values()), default=0)))
    for place, case in enumerate(seen.cases):
        if any(kind_of(told[place]) == "value" for told in seen.recorded.values() if place in told):
            return {"setup": [], "calls": list(case["calls"]) * number}
    return None


def find_turns(
    tools: Tools, branches: Mapping[str, Branch], names: Sequence[str], seen: Seen
) -> tuple[dict[str, Turn], tuple[str, ...]]:
    """The branches whose answer turns, and those whose answer stays; the first answer must be the one that stays.

    A turn counts if it comes at the same call in another process with another hash seed.
    """
    case = repeated_case(seen)
    if case is None or len(names) < 2:
        return {}, ()

    def run(name: str) -> Observed:
        return _observed(tools.zygote(branches[name]), case)

    found = dict(zip(names, tools.side_by_side(run, names), strict=True))
    whole = {name: one for name, one in found.items() if one.complete and kind_of(one.outcomes[0]) == "value"}
    steady = [name for name, one in whole.items() if all(same(one.outcomes[0], each) for each in one.outcomes)]
    turns: dict[str, Turn] = {}
    for name, one in whole.items():
        if name in steady or not steady or not all(_agrees(one, whole[other]) for other in steady):
            continue
        at = _turn(one)
        again = _observed(tools.zygote(branches[name], hash_seed=OTHER_SEED), case)
        if at and again.complete and _turn(again) == at and same(again.outcomes[at], one.outcomes[at]):
            short: Case = {"setup": [], "calls": case["calls"][: at + 1]}
            turns[name] = Turn(short, at + 1, one.outcomes[0], one.outcomes[at])
    return turns, tuple(steady)


def _observed(zygote: Zygote, case: Case) -> Observed:
    return observe(zygote, [case], call_seconds=CALL_SECONDS, seconds=SECONDS)[0]


def _agrees(left: Observed, right: Observed) -> bool:
    return same(left.outcomes[0], right.outcomes[0])


def _turn(observed: Observed) -> int:
    """The place of the first other value, 0 where there is none; an exception or no answer is no turn."""
    first = observed.outcomes[0]
    place = next((at for at, one in enumerate(observed.outcomes) if not same(first, one)), 0)
    return place if kind_of(observed.outcomes[place]) == "value" else 0
