"""Sequences: calls on one instance of a class, drawn from what the tests do to it, with steps of its clock."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.recording import Call, Trace
from pqa.core.trigger import Json
from pqa.core.values import canonical

Case = Mapping[str, Json]
GRAIN = 64
LONGEST = 14
MAXIMUM_BURST = 12
UNTOLD = ("__hash__", "__repr__", "__str__", "__del__", "__reduce__", "__reduce_ex__", "__getstate__", "__sizeof__")
"""Methods whose answers name an address, a layout or wording, not behaviour that a caller may rely on."""


@dataclass(frozen=True, slots=True)
class Construction:
    """One observed way to build an instance."""

    args: tuple[Json, ...]
    kwargs: Mapping[str, Json]

    @property
    def numbers(self) -> tuple[float, ...]:
        """The positive numbers among its arguments, in order."""
        found = [*self.args, *self.kwargs.values()]
        return tuple(
            value for value in found if isinstance(value, int | float) and not isinstance(value, bool) and value > 0
        )


@dataclass(frozen=True, slots=True)
class Habits:
    """What the pooled tests show of a class: how it is built, what is called with what, whether a clock is injected."""

    class_name: str
    constructions: tuple[Construction, ...]
    methods: Mapping[str, tuple[Call, ...]]
    traces: tuple[Trace, ...]
    clocked: bool

    @property
    def timed_methods(self) -> tuple[str, ...]:
        """The methods during which a test's clock was read."""
        return tuple(name for name, calls in self.methods.items() if any(call.at is not None for call in calls))


@dataclass(slots=True)
class _Pool:
    seen: dict[str, Call] = field(default_factory=dict)


def habits_of(class_name: str, traces: Sequence[Trace]) -> Habits | None:
    """The habits that the replayable traces of one class show; None when there is none."""
    mine = [trace for trace in traces if trace.class_name == class_name and trace.replayable]
    if not mine:
        return None
    constructions: dict[str, Construction] = {}
    pools: dict[str, _Pool] = {}
    for trace in mine:
        made = Construction(trace.args, trace.kwargs)
        constructions.setdefault(canonical([list(made.args), dict(made.kwargs)]), made)
        for call in trace.calls:
            if call.replayable and not call.sets and call.function not in UNTOLD:
                pool = pools.setdefault(call.function, _Pool()).seen
                pool.setdefault(canonical([list(call.args), dict(call.kwargs), call.at is not None]), call)
    methods = {name: tuple(pool.seen.values()) for name, pool in sorted(pools.items())}
    return Habits(class_name, tuple(constructions.values()), methods, tuple(mine), any(trace.clocked for trace in mine))


def dyadic(number: float) -> float:
    """The nearest multiple of 1/64: exact in binary, so that sums and differences of such times do not round."""
    return round(number * GRAIN) / GRAIN


def steps_of(construction: Construction) -> tuple[float, ...]:
    """Steps of the clock that a reader of the constructor would try; dyadic, not negative, in order."""
    steps = {0.0, 1.0}
    for number in construction.numbers:
        steps |= {number, number / 2, number / 4, max(0.0, number - 1), number + 1, number * 7 / 8}
    for first in construction.numbers:
        steps |= {first / second for second in construction.numbers if second}
    return tuple(sorted({dyadic(step) for step in steps if step <= 1e7}))


def setup_of(habits: Habits, construction: Construction, start: float = 0.0) -> list[dict[str, Json]]:
    """The set-up that builds the subject, after its clock where it has one."""
    made: list[dict[str, Json]] = []
    if habits.clocked:
        made.append({"name": "clock", "clock": start})
    made.append(
        {
            "name": "subject",
            "new": habits.class_name,
            "args": list(construction.args),
            "kwargs": dict(construction.kwargs),
        }
    )
    return made


def call_of(call: Call, at: float | None) -> dict[str, Json]:
    """One call on the subject, at a reading of the clock where there is one; or one assignment."""
    if call.sets:
        return {"on": "subject", "set": call.function, "value": call.args[0]}
    made: dict[str, Json] = {
        "on": "subject",
        "call": call.function,
        "args": list(call.args),
        "kwargs": dict(call.kwargs),
    }
    if at is not None:
        made["at"] = at
    return made


def recorded_cases(habits: Habits) -> list[Case]:
    """The tests' own sequences, as cases."""
    cases: list[Case] = []
    for trace in habits.traces:
        calls = [call for call in trace.calls if call.replayable and call.function not in UNTOLD]
        times: list[float | None] = [call.at for call in calls] if habits.clocked else [None] * len(calls)
        start = next((time for time in times if time is not None), 0.0)
        construction = Construction(trace.args, trace.kwargs)
        made = [call_of(call, time) for call, time in zip(calls[: LONGEST * 2], times, strict=False)]
        if made:
            cases.append({"setup": setup_of(habits, construction, start), "calls": made})
    return cases


def bursts(habits: Habits) -> Iterator[Case]:
    """Two bursts of one call around an edge of each number of the constructor: where windows, slots and buckets differ."""
    for construction in habits.constructions:
        for edge in construction.numbers:
            for method in habits.timed_methods:
                for call in habits.methods[method][:2]:
                    yield from _bursts_around(habits, construction, dyadic(edge), call)


def _bursts_around(habits: Habits, construction: Construction, edge: float, call: Call) -> Iterator[Case]:
    sizes = sorted(
        {int(number) for number in construction.numbers if 1 <= number <= MAXIMUM_BURST and number == int(number)}
    )
    for size in sizes or [2]:
        for before in (edge / 16, edge / 2):
            first = dyadic(edge - before) or edge / 2
            for second in (edge, dyadic(first + edge)):
                calls = [call_of(call, first)] * size + [call_of(call, second)] * size
                yield {"setup": setup_of(habits, construction, first), "calls": calls}


def generate(habits: Habits, trials: int, chance: random.Random) -> list[Case]:
    """`trials` distinct cases: the recorded ones, bursts, mutated recordings and free walks over the recorded calls."""
    cases: dict[str, Case] = {}

    def keep(case: Case) -> None:
        if case["calls"]:
            cases.setdefault(canonical(case), case)

    for case in recorded_cases(habits):
        keep(case)
    if habits.clocked:
        for case in bursts(habits):
            keep(case)
    recorded = recorded_cases(habits)
    for attempt in range(trials * 4):
        if len(cases) >= trials or not habits.methods:
            break
        keep(_walk(habits, chance) if attempt % 2 or not recorded else _mutate(habits, chance.choice(recorded), chance))
    return list(cases.values())[: max(trials, len(recorded))]


def _walk(habits: Habits, chance: random.Random) -> Case:
    construction = chance.choice(habits.constructions)
    steps = steps_of(construction)
    now = chance.choice((0.0, *steps)) if habits.clocked else 0.0
    setup, calls = setup_of(habits, construction, now), []
    names = sorted(habits.methods)
    favourite = chance.choice(names)
    for _ in range(chance.randint(1, LONGEST)):
        name = favourite if chance.random() < 0.6 else chance.choice(names)
        call = chance.choice(habits.methods[name])
        if habits.clocked and chance.random() < 0.5:
            now += chance.choice(steps)
        calls.append(call_of(call, now if habits.clocked else None))
    return {"setup": setup, "calls": calls}


def _mutate(habits: Habits, case: Case, chance: random.Random) -> Case:
    calls = [dict(call) for call in case["calls"]]
    for _ in range(chance.randint(1, 3)):
        position = chance.randrange(len(calls))
        move = chance.randrange(5)
        if move == 0:
            calls.insert(position, dict(calls[position]))
        elif move == 1 and len(calls) > 1:
            del calls[position]
        elif move == 2:
            other = chance.randrange(len(calls))
            calls[position], calls[other] = _swapped(calls[position], calls[other])
        elif move == 3:
            name = chance.choice(sorted(habits.methods))
            calls.insert(position, call_of(chance.choice(habits.methods[name]), calls[position].get("at")))
        elif habits.clocked:
            _delay(calls, position, case, chance)
    return {"setup": case["setup"], "calls": calls[: LONGEST * 2]}


def _swapped(left: dict[str, Json], right: dict[str, Json]) -> tuple[dict[str, Json], dict[str, Json]]:
    """Exchange the calls but leave the times where they are, so that time never runs back."""
    one, two = {k: v for k, v in right.items() if k != "at"}, {k: v for k, v in left.items() if k != "at"}
    if "at" in left:
        one["at"] = left["at"]
    if "at" in right:
        two["at"] = right["at"]
    return one, two


def _delay(calls: list[dict[str, Json]], position: int, case: Case, chance: random.Random) -> None:
    made = case["setup"][-1]
    step = chance.choice(steps_of(Construction(tuple(made["args"]), made["kwargs"])))
    for call in calls[position:]:
        if call.get("at") is not None:
            call["at"] = dyadic(call["at"] + step)


def exact(case: Case) -> bool:
    """Whether every time of the case is a non-negative multiple of 1/64 and never runs back."""
    times = [item["clock"] for item in case["setup"] if "clock" in item]
    times += [call["at"] for call in case["calls"] if call.get("at") is not None]
    return all(time >= 0 and time == dyadic(time) for time in times) and times == sorted(times)
