"""Special casing: do a branch's right answers hang on the literals of its tests, and on those inputs alone?

The literals are changed in its code, first the keys, then the answers beside them. What vanishes hangs on them; where
inputs that no test makes change too, the literals are part of how it works, and it is cleared. Near unseen inputs then
tell whether the branches that hold no such literals answer otherwise, all alike, and none sides with it.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.ports import Tools, Zygote
from pqa.core.recording import Call
from pqa.core.surface import Function
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.contract import Contract, learn
from pqa.instruments.generate import generate
from pqa.instruments.inputs import oddness
from pqa.instruments.masked import Case, observe_masked
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import Outcome, kind_of
from pqa.instruments.seen_calls import Seen, gives, parts_from, same
from pqa.instruments.taken_literals import Taken

FEWEST_HANGING = 2
UNCHANGED_SHARE = 0.9
FEWEST_WITNESSES = 3
WITNESS_SHARE = 0.03
RECHECKED = 4
OTHER_SEED = 1


@dataclass(frozen=True, slots=True)
class Near:
    """Unseen inputs inside the contract, the least odd first."""

    cases: tuple[Case, ...] = ()


@dataclass(frozen=True, slots=True)
class Hung:
    """How a branch answers: `hanging` are the seen calls whose answers vanish with the literals; `answers` its own answers
    on seen calls and near inputs; `void` says that unseen inputs change too, or that the changed code cannot be run."""

    taken: Taken | None
    seen: tuple[Observed, ...]
    near: tuple[Observed, ...]
    hanging: tuple[int, ...] = ()
    void: bool = False


@dataclass(frozen=True, slots=True)
class Witness:
    """A near unseen input, what the branch answers, and what the branches without such literals do."""

    case: Case
    answer: Outcome
    right: Outcome


def near_inputs(
    functions: Sequence[Function], calls: Sequence[Call], seen: Seen, *, prose: str, trials: int, seed: int
) -> Near:
    """Inputs inside the learned contract that no test makes."""
    contract = learn(functions, calls, function=seen.function, prose=prose)
    if not contract.names:
        return Near()
    chance = random.Random(f"{seed}:{seen.function}:near")
    known = {canonical(case["calls"][0]) for case in seen.cases}
    recorded = [list(call) for call in contract.calls]
    found: list[tuple[float, int, Case]] = []
    for one in generate(contract, prose=prose, trials=trials, random=chance):
        case = _case(contract, one.args, one.form)
        if one.tier == "T0" and one.origin != "recorded" and canonical(case["calls"][0]) not in known:
            found.append((oddness(list(one.args), recorded), len(found), case))
    return Near(tuple(case for _, _, case in sorted(found, key=lambda item: item[:2])))


def _case(contract: Contract, args: Sequence[Json], form: tuple[str, ...]) -> Case:
    positional, keywords = contract.unbind(args, form)
    call = {"on": None, "call": contract.function, "args": list(positional), "kwargs": keywords}
    return {"setup": [], "calls": [call]}


def examine(zygote: Zygote, seen: Seen, plain: Sequence[Observed], near: Near, taken: Taken | None) -> Hung:
    """Run a branch on near inputs, and again on all with its literals changed."""
    number = len(seen.calls)
    before = (*plain, *observe_masked(zygote, near.cases))
    if taken is None:
        return Hung(None, tuple(before[:number]), tuple(before[number:]))
    hanging: set[int] = set()
    void = False
    for changes in (taken.keys, taken.answers):
        if not changes:
            continue
        after = observe_masked(zygote, [*seen.cases, *near.cases], changes=changes)
        moved = [_moved(left, right) for left, right in zip(before, after, strict=True)]
        known = [one for one in moved[number:] if one is not None]
        gone = {place for place, one in enumerate(moved[:number]) if one}
        if gone and (not known or known.count(False) < len(known) * UNCHANGED_SHARE):
            void = True
            continue
        hanging |= gone
    return Hung(taken, tuple(before[:number]), tuple(before[number:]), tuple(sorted(hanging)), void)


def _moved(before: Observed, after: Observed) -> bool | None:
    """Whether the answer is another one; None where it cannot be told."""
    if not before.complete or not before.outcomes:
        return None
    if not after.complete:
        return True if "cannot be imported" in after.trouble or "could not be imported" in after.trouble else None
    return not same(before.outcomes[-1], after.outcomes[-1])


def clean_siblings(name: str, hung: Mapping[str, Hung]) -> list[str]:
    """Branches that answer rightly, without such literals, all that this one answers with them."""
    mine = hung[name]
    rights = {place: mine.seen[place].outcomes[-1] for place in mine.hanging}
    return [
        other
        for other, one in hung.items()
        if other != name and not one.hanging and all(gives(one.seen[place], right) for place, right in rights.items())
    ]


def witnesses(name: str, hung: Mapping[str, Hung], siblings: Sequence[str], near: Near) -> Iterator[Witness]:
    """Near unseen inputs on which all siblings give one value and the branch does otherwise."""
    for place, case in enumerate(near.cases):
        right = agreed([hung[one].near[place] for one in siblings])
        mine = hung[name].near[place]
        if right is not None and parts_from(mine, right):
            yield Witness(case, mine.outcomes[-1], right)


def agreed(observed: Sequence[Observed]) -> Outcome | None:
    """The value that all of them give."""
    if not observed or not observed[0].complete or kind_of(observed[0].outcomes[-1]) != "value":
        return None
    right = observed[0].outcomes[-1]
    return right if all(gives(one, right) for one in observed) else None


def enough(found: Sequence[Witness], hung: Mapping[str, Hung], siblings: Sequence[str], near: Near) -> bool:
    """Whether the witnesses are no odd corner: several, and a share of the inputs that can be compared."""
    compared = sum(agreed([hung[one].near[place] for one in siblings]) is not None for place in range(len(near.cases)))
    return len(found) >= max(FEWEST_WITNESSES, compared * WITNESS_SHARE)


def steady_witness(
    name: str, found: Sequence[Witness], siblings: Sequence[str], branches: Mapping[str, Branch], tools: Tools
) -> Witness | None:
    """The first witness on which branch and siblings do the same again under another hash seed, each call for itself."""
    kept = list(found[:RECHECKED])
    for other in (name, *siblings):
        zygote = tools.zygote(branches[other], hash_seed=OTHER_SEED)
        again = observe_masked(zygote, [one.case for one in reversed(kept)])[::-1]
        pairs = list(zip(kept, again, strict=True))
        if other == name:
            kept = [one for one, seen in pairs if parts_from(seen, one.right) and same(one.answer, seen.outcomes[-1])]
        else:
            kept = [one for one, seen in pairs if gives(seen, one.right)]
    return kept[0] if kept else None
