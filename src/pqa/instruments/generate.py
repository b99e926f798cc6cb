"""Generate: inputs for one function, the recorded ones first, most of them inside its contract, the same for the same seed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pqa.core.recording import Call
from pqa.core.values import canonical, encode
from pqa.instruments.binding import bind_calls
from pqa.instruments.contract import Contract
from pqa.instruments.edge_values import edge_values
from pqa.instruments.inputs import MAXIMUM_NODES, Input, nodes
from pqa.instruments.moment_families import names_zones
from pqa.instruments.moments import around_changes
from pqa.instruments.mutate import Mutator
from pqa.instruments.relations import ABSENT
from pqa.instruments.sample import Sampler
from pqa.instruments.shapes import Shape, kind_of, misfit
from pqa.instruments.words import gather_words

REPAIRED = 0.7
ATTEMPTS = 6
OUTSIDE_SHARE = 20
SEED_LIMIT = 60
NEAR, FAR = 5, 3
Slots = list[Any]


def generate(
    contract: Contract,
    calls: Sequence[Call] = (),
    *,
    literals: Sequence[object] = (),
    prose: str = "",
    trials: int = 400,
    random: random.Random,
) -> Iterator[Input]:
    """At most `trials` distinct inputs; of `calls`, those that the contract has not seen are added to its own.

    Those with far greater numbers than were seen come last: they may be slow, and a run may stop early for that.
    """
    recorded = [list(call) for call in contract.calls]
    further = [call for call in bind_calls(contract.signature, calls) if set(call) <= set(contract.names)]
    recorded += [[call.get(name, ABSENT) for name in contract.names] for call in further]
    sampler = Sampler(
        random, gather_words([[item for item in call if item is not ABSENT] for call in recorded], literals, prose)
    )
    maker = _Maker(contract, recorded, sampler, Mutator(sampler))
    made = list(maker.fill(trials, set()))
    reach = [FAR * max(_magnitude(call[slot] for call in recorded), NEAR) for slot in range(len(contract.names))]
    places = {name: slot for slot, name in enumerate(contract.names)}

    def far(one: Input) -> bool:
        pairs = zip(one.form, one.args, strict=True)
        return one.origin != "recorded" and any(_magnitude([value]) > reach[places[name]] for name, value in pairs)

    yield from sorted(made, key=far)


def _magnitude(values: Iterable[Any]) -> int:
    """The greatest whole number among some values, those in lists and tuples included."""
    greatest = 0
    for value in values:
        if type(value) is int:
            greatest = max(greatest, abs(value))
        elif isinstance(value, list | tuple):
            greatest = max(greatest, _magnitude(value))
        elif isinstance(value, dict):
            greatest = max(greatest, _magnitude(value.values()))
    return greatest


@dataclass(slots=True)
class _Maker:
    contract: Contract
    recorded: list[Slots]
    sampler: Sampler
    mutator: Mutator
    seeds: list[Slots] = field(default_factory=list)
    strays: list[Slots] = field(default_factory=list)
    """Inputs that break one relation: what else is passed with them matters too."""

    @property
    def random(self) -> random.Random:
        return self.sampler.random

    def fill(self, trials: int, seen: set[str]) -> Iterator[Input]:
        made = outside = 0
        self.seeds = self.recorded or [self._sampled() for _ in range(4)]
        edges = chain(self._changes(), self._edges())
        further = trials * ATTEMPTS if self.contract.names else not self.recorded
        for attempt in range(len(self.recorded) + further):
            if made == trials:
                return
            slots, origin = (self.recorded[attempt], "recorded") if attempt < len(self.recorded) else self._next(edges)
            found = self._finish(slots, origin, seen)
            if found is None or (found.tier == "T2" and outside >= trials // OUTSIDE_SHARE):
                continue
            outside += found.tier == "T2"
            made += 1
            yield found

    def _next(self, edges: Iterator[tuple[Slots, int]]) -> tuple[Slots, str]:
        if not self.contract.names:
            return [], "sampled"
        roll = self.random.random()
        if roll < 0.2:
            edge = next(edges, None)
            if edge is not None:
                return self._repaired(edge[0], edge[1], 0.6), "edge"
        if roll < 0.45:
            return self._repaired(self._sampled()), "sampled"
        if roll < 0.49 and self.strays:
            slots = list(self.random.choice(self.strays))
            place = self.random.choice(self._present(slots))
            slots[place] = self.mutator.value(self.contract.shapes[place], slots[place])
            return slots, "mutated"
        slots = list(self._seed())
        origin, place = "mutated", 0
        for _ in range(self.random.choice((1, 1, 1, 2, 2, 3))):
            place = self.random.choice(self._present(slots))
            if roll > 0.8 and len(self._present(slots)) > 1:
                self._cross(slots, place)
                origin = "crossed"
            else:
                slots[place] = self.mutator.value(self.contract.shapes[place], slots[place])
        return self._repaired(slots, place, 0.25), origin

    def _finish(self, slots: Slots, origin: str, seen: set[str]) -> Input | None:
        present = self._present(slots)
        if sum(nodes(slots[index]) for index in present) > MAXIMUM_NODES and origin != "recorded":
            return None
        form = tuple(self.contract.names[index] for index in present)
        try:
            args = tuple(encode(slots[index]) for index in present)
        except ValueError:
            return None
        key = canonical([list(form), list(args)])
        if key in seen:
            return None
        seen.add(key)
        tier, broken = self.contract.tier_of(slots)
        if tier == "T0" and origin != "recorded":
            self._remember(slots)
        elif tier == "T1" and len(broken) == 1 and len(self.strays) < SEED_LIMIT:
            self.strays.append(slots)
        return Input(args, form, tier, broken, origin)

    def _remember(self, slots: Slots) -> None:
        if len(self.seeds) < SEED_LIMIT + len(self.recorded):
            self.seeds = [*self.seeds, slots]
        elif self.random.random() < 0.3:
            self.seeds[self.random.randrange(len(self.recorded), len(self.seeds))] = slots

    def _seed(self) -> Slots:
        pool = self.recorded if self.recorded and self.random.random() < 0.6 else self.seeds
        return self.random.choice(pool)

    def _present(self, slots: Slots) -> list[int]:
        return [index for index, value in enumerate(slots) if value is not ABSENT] or [0] * bool(slots)

    def _sampled(self) -> Slots:
        """Fresh values for some or all arguments of a known form."""
        form = self.random.choice(self.contract.forms)
        base = list(self._seed()) if self.seeds and self.random.random() < 0.5 else [ABSENT] * len(self.contract.names)
        fresh = [
            self.sampler.value(shape) if name in form else ABSENT
            for name, shape in zip(self.contract.names, self.contract.shapes, strict=True)
        ]
        if self._present(base) != self._present(fresh) or any(value is ABSENT for value in base):
            return fresh
        return [own if self.random.random() < 0.5 else new for own, new in zip(base, fresh, strict=True)]

    def _repaired(self, slots: Slots, place: int | None = None, spared_share: float = 0.0) -> Slots:
        """Mend broken relations for most inputs: all of them, or all but one, so that a question has one subject.

        For a share of them, what the change at `place` broke of that argument alone stays broken."""
        if not self.contract.relations or self.random.random() > REPAIRED + 0.1 or not self.recorded:
            return slots
        spared = self.random.choice(self.contract.relations).text if self.random.random() < 0.35 else ""
        kept = (place,) if place is not None and self.random.random() < spared_share else None
        spare = self.random.choice(self.recorded)
        for _ in range(2):
            wanted = [item for item in self.contract.relations if item.text != spared and spared not in item.weaker]
            broken = [item for item in wanted if item.slots != kept and item.holds(slots) is False]
            if not broken:
                break
            for relation in broken:
                try:
                    relation.mend(slots, [None if value is ABSENT else value for value in spare], self.random)
                except (TypeError, ValueError, IndexError):
                    continue
        return slots

    def _cross(self, slots: Slots, place: int) -> None:
        """Copy one argument, a part of it or a measure of it into another; or give two texts one alphabet."""
        other = self.random.choice([index for index in self._present(slots) if index != place])
        choices = [value for value in _parts(slots[other], slots[place], self.random) if self._suits(place, value)]
        if choices:
            slots[place] = self.random.choice(choices)

    def _suits(self, place: int, value: object) -> bool:
        shape: Shape = self.contract.shapes[place]
        return not misfit(shape, value) and (not shape.options or kind_of(value) in shape.kinds())

    def _changes(self) -> Iterator[tuple[Slots, int]]:
        """A time zone and a moment shortly before its clocks change, where an input has both."""
        zones = [place for place, shape in enumerate(self.contract.shapes) if names_zones(shape)]
        moments = [place for place, shape in enumerate(self.contract.shapes) if shape.option("datetime")]
        for place in moments if zones else ():
            option = self.contract.shapes[place].option("datetime")
            aware = option is not None and any(getattr(value, "tzinfo", None) for value in option.pool)
            for zone, moment in around_changes(aware):
                slots = list(self._seed())
                slots[zones[0]], slots[place] = zone, moment
                yield slots, place

    def _edges(self) -> Iterator[tuple[Slots, int]]:
        """Each argument in turn at its edges, the others as recorded."""
        queues = [iter(edge_values(shape)) for shape in self.contract.shapes]
        while queues:
            alive = []
            for place, queue in enumerate(queues):
                value = next(queue, ABSENT)
                if value is ABSENT:
                    continue
                slots = list(self._seed())
                if slots[place] is not ABSENT:
                    slots[place] = value
                    yield slots, place
                alive.append(queue)
            if not alive:
                return


def _parts(source: Any, target: Any, chance: random.Random) -> list[Any]:
    found: list[Any] = [source]
    if isinstance(source, str | list | tuple):
        cut = chance.randrange(len(source) + 1)
        found += [source[:cut], source[cut:], source[::-1], len(source), len(source) - 1, len(source) + 1]
        found += [source[cut]] if cut < len(source) else []
        if type(source) is type(target):
            found += [_joined(source, target), _joined(source[:cut], target), _joined(target[:cut], source[cut:])]
            found += [source.swapcase(), source.upper()] if isinstance(source, str) else []
            found += [_redrawn(source, target, chance)] if source else []
    if isinstance(source, dict):
        found += [*source.keys(), *source.values()]
    if isinstance(source, list | tuple) and source and all(type(item) is int for item in source):
        found += [max(source), min(source), max(source) + 1, min(source) - 1, sum(source)]
    if isinstance(source, list | tuple) and isinstance(target, int | float | str):
        found += list(source[:12])
    if isinstance(target, list) and not isinstance(source, list):
        found += [[*target, source], [source, *target], [source]]
    if isinstance(source, int | float) and isinstance(target, int | float):
        found += [source + 1, source - 1, source * 2, -source, source + target, abs(source - target)]
    return found


def _joined(left: Any, right: Any) -> Any:
    return left + right


def _redrawn(source: Any, target: Any, chance: random.Random) -> Any:
    """The target's length in the source's letters or items."""
    items = [chance.choice(source) for _ in range(max(len(target), 1))]
    return "".join(items) if isinstance(source, str) else type(source)(items)
