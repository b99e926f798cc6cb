"""Drafts: a walk in the making, which remembers where it left what tests and examples show."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from pqa.core.trigger import Json
from pqa.instruments.inputs import Input
from pqa.instruments.methods import INIT, Method

Case = Mapping[str, Json]
Item = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Walk:
    """A case; the call at `outside` (-1: the construction) is of `method` and leaves what is known, where it is T1, and
    may break a relation there. `oddness` is 0 for a test's own case; `company` says that it goes beyond one object."""

    case: Case
    tier: str = "T0"
    method: str = ""
    relation: str | None = None
    oddness: float = 0.0
    outside: int = -1
    company: bool = False

    def until(self, kept: int) -> Walk:
        """The walk with its first calls only: inside again when the step outside is no more among them."""
        cut = replace(self, case={**self.case, "calls": list(self.case["calls"])[:kept]})
        inside = self.outside >= kept and not self.company
        return replace(cut, tier="T0", method="", relation=None) if inside else cut


@dataclass(slots=True)
class Draft:
    """A case in the making."""

    setup: list[Item]
    calls: list[Item] = field(default_factory=list)
    tier: str = "T0"
    method: str = ""
    relation: str | None = None
    oddness: float = 0.0
    outside: int = -1

    def leaves(self, method: Method, one: Input, place: int) -> None:
        """Take into account that the call at `place` leaves what is known."""
        inside = self.tier == "T0"
        if one.tier == "T1":
            self.tier, self.method, self.relation = "T1", method.name, one.broken[0]
        elif not method.known and (method.contract.names or method.name != INIT):
            self.tier = "T1"
        if inside and self.tier == "T1":
            self.outside = place

    def done(self) -> Walk:
        """The case that was made."""
        length = 0.05 * len(self.calls)
        case = {"setup": self.setup, "calls": self.calls}
        return Walk(case, self.tier, self.method, self.relation, round(self.oddness + length, 6), self.outside)


def scalars(value: Json) -> Iterator[Json]:
    """Keys and plain values inside an encoded value."""
    if isinstance(value, dict) and "$type" not in value:
        yield from value
        for item in value.values():
            yield from scalars(item)
    elif isinstance(value, list):
        for item in value:
            yield from scalars(item)
    elif not isinstance(value, dict):
        yield value


def exchanged(left: Item, right: Item) -> tuple[Item, Item]:
    """Two calls in each other's place; the times stay where they are, so that time never runs back."""
    one, two = dict(right), dict(left)
    for item, place in ((one, left), (two, right)):
        item.pop("at", None)
        if "at" in place:
            item["at"] = place["at"]
    return one, two
