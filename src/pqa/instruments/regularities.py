"""Regularities: what holds between arguments and answer wherever all branches answer alike, and who breaks it where they part.

Relations that hold on every one of many calls are likely meant to hold on all (Ernst et al. 2001, "Dynamically discovering
likely program invariants"). Likely is not sure: they weigh in the choice and never accuse.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pqa.core.values import decode
from pqa.instruments.contract import Contract
from pqa.instruments.divergence import Split
from pqa.instruments.inputs import MAXIMUM_NODES, Input, nodes
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import Outcome, kind_of
from pqa.instruments.relations import Relation, pair_relations

Example = tuple[object, ...]
"""The slots of a call, and last its answer."""
FEWEST, MOST = 12, 300
"""Calls that a regularity must speak of; calls that are looked at."""


def example_of(contract: Contract, one: Input, seen: Mapping[str, Observed]) -> Example | None:
    """The example that an input gives on which all branches answer with one plain value; None for any other."""
    outcomes = [observed.outcomes[0] for observed in seen.values() if observed.complete]
    if len(outcomes) < len(seen) or not outcomes or any(kind_of(outcome) != "value" for outcome in outcomes):
        return None
    return _example(contract, one, outcomes[0])


def regularities(contract: Contract, examples: Sequence[Example]) -> tuple[Relation, ...]:
    """The relations between an argument and the answer that no example breaks and enough of them speak of. What the answer
    is like by itself is none: other arguments give other answers."""
    looked_at = examples[:MOST]
    if len(looked_at) < FEWEST:
        return ()
    answer = "answer" if "answer" not in contract.names else "its answer"
    names, place = (*contract.names, answer), len(contract.names)
    pairs = [*((slot, place) for slot in range(place)), *((place, slot) for slot in range(place))]
    told = [relation for left, right in pairs for relation in pair_relations(names, left, right)]
    return tuple(relation for relation in told if _holds(relation, looked_at))


def breaking(contract: Contract, known: Sequence[Relation], split: Split) -> dict[str, tuple[str, ...]]:
    """By branch, the regularities that its answer breaks where the answer of another branch keeps them."""
    if split.source is None or not known:
        return {}
    answers: dict[tuple[str, ...], Example] = {}
    for members in split.groups:
        example = _example(contract, split.source, split.observed[members[0]].outcomes[0])
        if example is not None:
            answers[members] = example
    found: dict[str, tuple[str, ...]] = {}
    for relation in known:
        verdicts = {members: relation.holds(answer) for members, answer in answers.items()}
        if True in verdicts.values():
            for name in (name for members, verdict in verdicts.items() if verdict is False for name in members):
                found[name] = (*found.get(name, ()), relation.text)
    return found


def _example(contract: Contract, one: Input, outcome: Outcome) -> Example | None:
    """None where the answer is no plain value, or a large one: hundreds of them are compared."""
    if kind_of(outcome) != "value":
        return None
    try:
        answer = decode(outcome["value"])
    except ValueError:
        return None
    if nodes(answer) > MAXIMUM_NODES:
        return None
    return (*contract.slots([decode(value) for value in one.args], one.form), answer)


def _holds(relation: Relation, examples: Sequence[Example]) -> bool:
    count = 0
    for example in examples:
        verdict = relation.holds(example)
        if verdict is False:
            return False
        count += verdict is True
    return count >= FEWEST
