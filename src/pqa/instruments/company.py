"""Company: sequences beyond one object: two instances side by side, calls after one that failed, containers that are shared.

No test shows such a sequence, so each is one step outside of what is known (T1), looks odd to a person, and counts only
where exactly one independent branch does otherwise than all others.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, zip_longest

from pqa.core.branch import Branch
from pqa.core.ports import Tools
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.divergence import Split
from pqa.instruments.drafts import Item, Walk
from pqa.instruments.methods import Usage
from pqa.instruments.observation import CLASS_NODES, Observed, observe
from pqa.instruments.outcomes import kind_of
from pqa.instruments.sequences import LONGEST, Habits, recorded_cases

Case = Mapping[str, Json]
ODD = 2.0
TOGETHER, FAILING, SHARED = 6, 4, 8
MAXIMUM_LOOKS = 4
CONTAINERS = ("set", "dict")
CALL_SECONDS = 0.2
SECONDS = 5.0


def company(usage: Usage, habits: Habits, chance: random.Random) -> list[Walk]:
    """At most 18 walks; none where a clock is injected, since two lives have two times."""
    if usage.clocked:
        return []
    bases = [case for case in recorded_cases(habits) if len(case["calls"]) <= LONGEST]
    looks = list(_looks(usage))
    made = [
        *islice(_together(bases, looks), TOGETHER),
        *islice(_after_failures(bases, usage, looks, chance), FAILING),
        *islice(_shared(bases, habits, looks), SHARED),
    ]
    found = {canonical(case): case for case in made}
    return [Walk(case, "T1", oddness=ODD + 0.05 * len(case["calls"]), company=True) for case in found.values()]


def _looks(usage: Usage) -> Iterator[Item]:
    """What shows the state of an instance: attributes that tests read, and methods that they call without arguments."""
    for name in usage.reads[:MAXIMUM_LOOKS]:
        yield {"on": "subject", "get": name}
    getters = [one for one in usage.methods if one.known and any(not each.form for each in one.inputs)]
    for method in getters[:MAXIMUM_LOOKS]:
        yield {"on": "subject", "call": method.name, "args": [], "kwargs": {}}


def _together(bases: Sequence[Case], looks: Sequence[Item]) -> Iterator[Case]:
    """Two instances, each with its own recorded calls in turn; then a look at both."""
    for place, base in enumerate(bases):
        other = bases[(place + 1) % len(bases)]
        second = [{**item, "name": "other"} for item in other["setup"] if "new" in item]
        turns = zip_longest(base["calls"], [_on(call, "other") for call in other["calls"]])
        calls = [call for turn in turns for call in turn if call is not None]
        ends = [_on(look, name) for name in ("subject", "other") for look in looks]
        yield {"setup": [*base["setup"], *second], "calls": [*calls, *ends]}


def _after_failures(
    bases: Sequence[Case], usage: Usage, looks: Sequence[Item], chance: random.Random
) -> Iterator[Case]:
    """A call outside what a method is shown to take, in the middle of a recorded sequence, which then goes on."""
    methods = [one for one in usage.methods if one.known and one.pool("T1")]
    for base in bases if methods else ():
        method = chance.choice(methods)
        failing = {"on": "subject", "call": method.name, **method.arguments(chance.choice(method.pool("T1")))}
        calls, middle = list(base["calls"]), (len(base["calls"]) + 1) // 2
        yield {"setup": base["setup"], "calls": [*calls[:middle], failing, *calls[middle:], *looks]}


def _shared(bases: Sequence[Case], habits: Habits, looks: Sequence[Item]) -> Iterator[Case]:
    """A container that a look gave, or that was passed in, is emptied from outside; then a look at the state."""
    given = {name: [call.outcome.get("value") for call in calls] for name, calls in habits.methods.items()}
    for base in bases:
        for look in looks:
            name = look.get("call")
            if name is None or any(_is_container(value) for value in given.get(name, ())):
                emptied = [{**look, "as": "kept"}, {"on": "kept", "call": "clear", "args": [], "kwargs": {}}]
                yield {"setup": base["setup"], "calls": [*base["calls"], *emptied, *looks]}
        yield from _passed(base, looks)


def _passed(base: Case, looks: Sequence[Item]) -> Iterator[Case]:
    """The first container among the arguments of a call, or of the constructor, under a name of its own."""
    empty = {"on": "given", "call": "clear", "args": [], "kwargs": {}}
    for place, call in enumerate(base["calls"]):
        slot = _first_container(call.get("args") or ())
        if slot is not None:
            args = list(call["args"])
            value, args[slot] = args[slot], {"$name": "given"}
            calls = [*base["calls"][:place], {**call, "args": args}, empty, *base["calls"][place + 1 :], *looks]
            yield {"setup": [*base["setup"], {"name": "given", "value": value}], "calls": calls}
            return
    made = base["setup"][-1]
    slot = _first_container(made.get("args") or ())
    if slot is not None:
        args = list(made["args"])
        value, args[slot] = args[slot], {"$name": "given"}
        setup = [*base["setup"][:-1], {"name": "given", "value": value}, {**made, "args": args}]
        yield {"setup": setup, "calls": [empty, *base["calls"], *looks]}


def _first_container(values: Sequence[Json]) -> int | None:
    return next((place for place, value in enumerate(values) if _is_container(value)), None)


def _is_container(value: Json) -> bool:
    """A list, a dict or a set: what can be emptied."""
    if isinstance(value, dict) and "$type" in value:
        return value["$type"] in CONTAINERS
    return isinstance(value, list) or (isinstance(value, dict) and "$name" not in value)


def _on(call: Item, name: str) -> Item:
    return {**call, "on": name} if call.get("on") == "subject" else call


def observe_alone(tools: Tools, branches: Sequence[Branch], cases: Sequence[Case]) -> dict[str, list[Observed]]:
    """What each branch does on each case in a process of its own: what a class keeps would else pass from case to case."""

    def run(branch: Branch) -> list[Observed]:
        zygote = tools.zygote(branch)
        return [
            observe(zygote, [case], call_seconds=CALL_SECONDS, seconds=SECONDS, nodes=CLASS_NODES)[0] for case in cases
        ]

    results = tools.side_by_side(run, branches)
    return {branch.branch_id: seen for branch, seen in zip(branches, results, strict=True)}


def stands_alone(split: Split, clones: Mapping[str, str]) -> bool:
    """Whether all other branches agree and one, or copies of one, does otherwise; and whether it is the state that tells
    them apart: each call returns in all of them, or in none."""
    if len(split.groups) != 2 or len({clones.get(name, name) for name in split.groups[1]}) != 1:
        return False
    runs = [split.observed[group[0]].outcomes for group in split.groups]
    return all(len({kind_of(one) for one in step}) == 1 for step in zip(*runs, strict=False))
