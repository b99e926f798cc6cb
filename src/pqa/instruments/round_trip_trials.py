"""Round-trip trials: does what one call makes come back by another, on inputs inside the contract of the first?"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import chain

from pqa.core.ports import Tools
from pqa.core.recording import Call
from pqa.core.task import Brief
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.common_surface import Shared
from pqa.instruments.contract import learn
from pqa.instruments.generate import generate
from pqa.instruments.metamorphic import Variation
from pqa.instruments.methods import Usage, by_name
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import Difference, value_difference
from pqa.instruments.relation_trials import FEWEST_TELLING, Bench, Broken
from pqa.instruments.round_trip import Pair, method_calls, pairs_among, value_of, values_of
from pqa.instruments.sequences import Habits, setup_of

INPUTS = 60


def function_round_trips(brief: Brief, tools: Tools, shared: Shared) -> Iterator[tuple[str, Broken]]:
    """Broken pairs of functions, with the name of the first."""
    known = {one.name: one for one in shared.functions}
    for make, undo in pairs_among(shared.calls):
        both = make in known and undo in known and (shared.changed(make) or shared.changed(undo))
        offering = [one for one in shared.offering(make) if one in shared.offering(undo)]
        bench = Bench(make, tuple(offering), tools, shared.clones)
        if not both or len(offering) < 2 or bench.freed(Pair(make, undo).name):
            continue
        contract = learn(
            shared.variants[make], shared.calls, tools.agreed().lines, function=make, prose=brief.task.text
        )
        chance = random.Random(f"{brief.seed}:round-trip:{make}")
        made = generate(contract, literals=shared.literals, prose=brief.task.text, trials=INPUTS, random=chance)
        values = [one.args[0] for one in made if one.tier == "T0" and len(one.args) == 1]
        for broken in _tried(bench, Pair(make, undo), values_of(shared.calls, make), values):
            yield make, broken


def method_round_trips(bench: Bench, habits: Habits, usage: Usage) -> Iterator[Broken]:
    """Broken pairs of methods of one class, each pair on a fresh instance."""
    calls = list(method_calls(habits.traces, habits.class_name))
    methods = by_name(usage.methods)
    for make, undo in pairs_among(calls):
        pair = Pair(make, undo, tuple(setup_of(habits, habits.constructions[0])))
        if make in methods and undo in methods and not bench.freed(pair.name):
            values = [one.args[0] for one in methods[make].pool("T0") if len(one.args) == 1]
            yield from _tried(bench, pair, values_of(_plainly(calls), make), values)


def _plainly(calls: Sequence[Call]) -> list[Call]:
    return [call for call in calls if call.at is None]


def _tried(bench: Bench, pair: Pair, recorded: Sequence[Json], values: Sequence[Json]) -> Iterator[Broken]:
    """The branches that do not give a value back, where all give back every recorded one."""
    every = {canonical(value): value for value in chain(recorded, values)}
    asked = list(every.values())
    made = bench.run([pair.making(value) for value in asked])
    results = {name: _returned(bench, name, pair, asked, run) for name, run in made.items()}
    known = {canonical(value) for value in recorded}
    shown = [at for at, value in enumerate(asked) if canonical(value) in known]
    if len(shown) < FEWEST_TELLING or any(result[at][0] is not False for result in results.values() for at in shown):
        return
    for name, result in results.items():
        wrong = [at for at, (broken, _, _) in enumerate(result) if broken]
        others = {bench.first(other): other for other in results if bench.first(other) != bench.first(name)}
        keepers = tuple(sorted(other for other in others.values() if not any(one[0] for one in results[other])))
        if wrong and len(keepers) * 2 > len(others):
            at = min(wrong, key=lambda place: len(canonical(asked[place])))
            _, observed, output = result[at]
            variation = Variation(pair.returning(asked[at], output), pair.rule(asked[at], output))
            yield Broken(name, variation, observed, len(shown), keepers, len(keepers) == len(others))


Returned = tuple[bool | None, Observed, Json]


def _returned(bench: Bench, name: str, pair: Pair, values: Sequence[Json], made: Sequence[Observed]) -> list[Returned]:
    """For each value: whether it does not come back (None: it was not made, or the way back gave no value)."""
    outputs = [value_of(one.outcomes[0]) if one.complete else None for one in made]
    only = bench.only((name,))
    seen = only.run([pair.returning(value, output) for value, output in zip(values, outputs, strict=True)])[name]
    return [
        (_broken(value, output, one), one, output) for value, output, one in zip(values, outputs, seen, strict=True)
    ]


def _broken(value: Json, output: Json, seen: Observed) -> bool | None:
    if output is None or not seen.complete or value_of(seen.outcomes[1]) is None:
        return None
    return value_difference(seen.outcomes[1]["value"], value) is Difference.VALUE
