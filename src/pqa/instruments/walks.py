"""Walks: sequences on one instance, each with a tier: inside what tests and examples show, or one step outside of it."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.drafts import Draft, Item, Walk, exchanged, scalars
from pqa.instruments.filled import combinations_of
from pqa.instruments.inputs import Input, oddness
from pqa.instruments.methods import Method, Usage, stem
from pqa.instruments.sequences import LONGEST, Construction, Habits, recorded_cases, setup_of

PACKED, ALONE = 4, 6
MAXIMUM_READS = 6
ATTEMPTS = 5


def walks(usage: Usage, habits: Habits, trials: int, chance: random.Random) -> list[Walk]:
    """At most `trials` distinct walks, and all recorded ones: those first, half of the others inside what is known."""
    walker = _Walker(usage, [dict(case) for case in recorded_cases(habits)], habits, chance)
    found: dict[str, Walk] = {}
    for walk in walker.recorded_walks():
        found.setdefault(canonical(walk.case), walk)
    makers = (
        walker.pack, walker.wander, walker.step_out, walker.vary, walker.pack, walker.rebuild, walker.wander,
        walker.step_out, walker.fill,
    )  # fmt: skip
    limit = max(trials, len(found))
    for attempt in range(trials * ATTEMPTS):
        if len(found) >= limit:
            break
        draft = makers[attempt % len(makers)]()
        if draft is not None and draft.calls:
            walker.observe(draft)
            walk = draft.done()
            found.setdefault(canonical(walk.case), walk)
    return list(found.values())


@dataclass(slots=True)
class _Walker:
    usage: Usage
    recorded: list[dict[str, Json]]
    habits: Habits
    chance: random.Random
    turns: dict[str, int] = field(default_factory=dict)

    def recorded_walks(self) -> Iterator[Walk]:
        """The tests' own sequences, as they are and with a look at the state after them; and their calls, each alone."""
        for case in self.recorded:
            yield Walk(case)
        for case in self.recorded:
            draft = Draft(list(case["setup"]), [dict(call) for call in case["calls"]])
            self.observe(draft)
            yield draft.done()
        for method in self.usage.methods:
            seen = [one for one in method.inputs if method.known and one.origin == "recorded" and one.tier == "T0"]
            for one in seen[:ALONE]:
                draft = self._fresh()
                self._add(draft, method, one)
                yield draft.done()

    def pack(self) -> Draft | None:
        """Several inputs of one method, inside its contract, after a recorded beginning or none."""
        method = self._turn("pack", [one for one in self.usage.methods if one.pool("T0")])
        if method is None:
            return None
        draft = self._begin(method.name)
        for _ in range(self.chance.randint(1, PACKED)):
            self._add(draft, method, self.chance.choice(method.pool("T0")))
        return draft

    def fill(self) -> Draft | None:
        """A fresh instance on which one method is called with every combination of what its arguments take, then a look at
        all that can be asked without arguments."""
        known = [one for one in self.usage.methods if one.known]
        able = [(one, inputs) for one in known if (inputs := combinations_of(one, self.chance))]
        if not able or self.usage.clocked:
            return None
        self.turns["fill"] = self.turns.get("fill", -1) + 1
        method, inputs = able[self.turns["fill"] % len(able)]
        draft = self._fresh()
        for one in inputs:
            self._put(draft, method, one)
        asking = [one for one in known if any(not call.form for call in one.inputs)]
        draft.calls += [{"on": "subject", "call": one.name, "args": [], "kwargs": {}} for one in asking[:MAXIMUM_READS]]
        return draft

    def wander(self) -> Draft | None:
        """Calls of known methods in any order."""
        known = [one for one in self.usage.methods if one.known and one.pool("T0")]
        if not known:
            return None
        draft = self._begin("") if self.chance.random() < 0.4 else self._fresh()
        favourite = self.chance.choice(known)
        for _ in range(self.chance.randint(2, 8)):
            method = favourite if self.chance.random() < 0.4 else self.chance.choice(known)
            pool = method.pool("T0")
            recorded = [one for one in pool if one.origin == "recorded"]
            self._add(draft, method, self.chance.choice(recorded if recorded and self.chance.random() < 0.5 else pool))
        return draft

    def step_out(self) -> Draft | None:
        """One input that breaks one relation; or a method that nobody calls, among known ones."""
        method = self._turn("out", [one for one in self.usage.methods if one.pool("T1") or not one.known])
        if method is None:
            return None
        draft = self._begin(method.name)
        pool = method.pool("T1") or method.pool("T0")
        if not pool:
            return None
        self._add(draft, method, self.chance.choice(pool))
        return draft

    def vary(self) -> Draft | None:
        """A recorded sequence with a call repeated, left out, moved, or with other arguments."""
        if not self.recorded:
            return self.wander()
        case = self.chance.choice(self.recorded)
        draft = Draft(list(case["setup"]), [dict(call) for call in case["calls"]], oddness=0.1)
        for _ in range(self.chance.randint(1, 3)):
            self._edit(draft)
        return draft

    def _edit(self, draft: Draft) -> None:
        calls, place = draft.calls, self.chance.randrange(max(len(draft.calls), 1))
        move = self.chance.randrange(4) if calls else 3
        if move == 0:
            calls.insert(place, dict(calls[place]))
        elif move == 1 and len(calls) > 1:
            del calls[place]
        elif move == 2:
            other = self.chance.randrange(len(calls))
            calls[place], calls[other] = exchanged(calls[place], calls[other])
        else:
            known = [one for one in self.usage.methods if one.known and one.pool("T0")]
            same = [one for one in known if calls and one.name == calls[place].get("call")]
            method = self.chance.choice(same or known) if known else None
            if method is not None:
                end, draft.calls = calls[place + bool(same) :], calls[:place]
                self._add(draft, method, self.chance.choice(method.pool("T0")))
                draft.calls += end

    def rebuild(self) -> Draft | None:
        """Another construction, then a recorded or a free sequence."""
        made = self.usage.made
        if self.usage.clocked or not made.inputs or not made.contract.names:
            return self.wander()
        one = self.chance.choice(made.inputs)
        draft = self.wander() if self.chance.random() < 0.6 or not self.recorded else self.vary()
        if draft is None:
            draft = self.step_out()
        if draft is None or (one.tier == "T1" and draft.tier == "T1"):
            return None
        arguments = made.arguments(one)
        draft.setup = [{**item, **arguments} if "new" in item else item for item in draft.setup]
        draft.leaves(made, one, -1)
        draft.oddness += _oddness(made, one)
        return draft

    def _turn(self, what: str, methods: Sequence[Method]) -> Method | None:
        """The methods in turn, so that each gets its share."""
        if not methods:
            return None
        self.turns[what] = self.turns.get(what, -1) + 1
        return methods[self.turns[what] % len(methods)]

    def _begin(self, method: str) -> Draft:
        """A recorded sequence up to some call, one with this method if there is any; or a fresh instance. Now and then
        more calls that tests make come after it, so that there is some state to ask for."""
        draft = self._prefix(method)
        feeding = [one for one in self.usage.methods if one.known and one.name != method and one.pool("T0")]
        for _ in range(self.chance.choice((0, 0, 1, 2, 3)) if feeding else 0):
            other = self.chance.choice(feeding)
            self._add(draft, other, self.chance.choice(other.pool("T0")))
        return draft

    def _prefix(self, method: str) -> Draft:
        same = [case for case in self.recorded if any(call.get("call") == method for call in case["calls"])]
        if not self.recorded or self.chance.random() < 0.25:
            return self._fresh()
        case = self.chance.choice(same if same and self.chance.random() < 0.6 else self.recorded)
        calls = [dict(call) for call in case["calls"]][: LONGEST // 2]
        firsts = [place for place, call in enumerate(calls) if call.get("call") == method]
        end = firsts[0] if firsts and self.chance.random() < 0.5 else self.chance.randint(0, len(calls))
        return Draft(list(case["setup"]), calls[:end])

    def _fresh(self) -> Draft:
        constructions = self.habits.constructions
        if constructions:
            return Draft(setup_of(self.habits, self.chance.choice(constructions)))
        made = self.usage.made
        one = self.chance.choice(made.pool("T0") or [Input((), ())])
        arguments = made.arguments(one)
        return Draft(setup_of(self.habits, Construction(tuple(arguments["args"]), arguments["kwargs"])))

    def _add(self, draft: Draft, method: Method, one: Input) -> None:
        if len(draft.calls) < LONGEST:
            one = self._echoed(draft, method, one) if one.tier == "T0" and self.chance.random() < 0.4 else one
            self._put(draft, method, one)
            draft.oddness += _oddness(method, one)

    def _put(self, draft: Draft, method: Method, one: Input) -> None:
        item: Item = {"on": "subject", "call": method.name, **method.arguments(one)}
        if self.usage.clocked:
            times = [call["at"] for call in draft.calls if call.get("at") is not None]
            item["at"] = times[-1] if times else draft.setup[0].get("clock", 0.0)
        draft.calls.append(item)
        draft.leaves(method, one, len(draft.calls) - 1)

    def _echoed(self, draft: Draft, method: Method, one: Input) -> Input:
        """The input with an argument that an earlier call passed under the same name: what was put is asked for."""
        heard = [(stem(name), value) for name, value in self._heard(draft)]
        args = list(one.args)
        for place, name in enumerate(one.form):
            values = [value for key, value in heard if key == stem(name)]
            if not method.known and not values:
                values = [value for _, value in heard if type(value) is type(args[place])]
            if values and self.chance.random() < 0.7:
                args[place] = self.chance.choice(values)
        tier, broken = _tier(method, args, one.form)
        return Input(tuple(args), one.form, tier, broken, "crossed") if tier == "T0" else one

    def _heard(self, draft: Draft) -> Iterator[tuple[str, Json]]:
        """The arguments of the calls so far by parameter, and the scalars in what was assigned."""
        names = {method.name: method.contract.names for method in self.usage.methods}
        for call in draft.calls:
            if "set" in call:
                yield from (("", value) for value in scalars(call["value"]))
            else:
                yield from zip(names.get(str(call.get("call")), ()), call.get("args", ()), strict=False)

    def observe(self, draft: Draft) -> None:
        """Look at the state: attributes that tests read, and some methods that tests call without arguments."""
        last = draft.calls[-1].get("at") if draft.calls else None
        more = {} if last is None else {"at": last}
        draft.calls += [{"on": "subject", "get": name, **more} for name in self.usage.reads[:MAXIMUM_READS]]
        getters = [one for one in self.usage.methods if one.known and any(not call.form for call in one.inputs)]
        for one in self.chance.sample(getters, min(len(getters), self.chance.choice((0, 0, 1, 1, 2)))):
            draft.calls.append({"on": "subject", "call": one.name, "args": [], "kwargs": {}, **more})


def _tier(method: Method, args: Sequence[Json], form: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    try:
        return method.contract.tier(args, form)
    except (ValueError, TypeError):
        return "T2", ("it cannot be told",)


def _oddness(method: Method, one: Input) -> float:
    """How odd one step looks; a recorded one does not."""
    if one.origin == "recorded":
        return 0.0
    return 0.2 + oddness(list(one.args), [list(call) for call in method.contract.calls])
