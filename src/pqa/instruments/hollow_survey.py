"""Hollow survey: which functions does a suite call, from which tests, and what do they give? Two watched runs beside a clean one.

The watched runs are the no-op control as well: the same bodies, called through the stand-ins, must leave the suite green.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.ports import Zygote
from pqa.core.trigger import Json
from pqa.instruments.hollow import GREEN, LOADED_AGAIN, Order, Run, Suite, is_clean, late_modules, run_orders

PLAIN = ("bool", "int", "float", "str", "bytes", "list", "tuple", "dict", "set", "frozenset")


@dataclass(frozen=True, slots=True)
class Watched:
    """A public function that the suite calls. `direct` are the tests that call it themselves; `steady` says that two
    runs gave the same values; `values` are all of them by test as source text, where each is plain."""

    name: str
    file: str
    line: int
    calls: int
    tests: tuple[str, ...]
    direct: tuple[str, ...]
    types: Mapping[str, int]
    empty: int
    steady: bool
    values: Mapping[str, Json] | None

    @property
    def word(self) -> str:
        """The bare name, as it is spoken of."""
        return self.name.rpartition(".")[2]

    @property
    def kind(self) -> str:
        """The type that it gives most often, None aside; "" when it gives nothing but None."""
        known = {name: count for name, count in self.types.items() if name != "NoneType"}
        return max(sorted(known), key=lambda name: known[name]) if known else ""

    @property
    def extremes(self) -> tuple[str, ...]:
        """The ways to answer without a body that are not what it gives anyway."""
        ways = ["none"]
        if self.kind in PLAIN and self.empty < sum(count for name, count in self.types.items() if name in PLAIN):
            ways.append(f"empty:{self.kind}")
        return (*ways, "true") if self.kind == "bool" and self.empty else tuple(ways)


@dataclass(frozen=True, slots=True)
class Survey:
    """What the suite calls; `trouble` says why nothing may be concluded from it."""

    clean: Run | None = None
    functions: tuple[Watched, ...] = ()
    imports: tuple[str, ...] = ()
    trouble: str = ""


def survey_suite(zygote: Zygote, suite: Suite, *, seconds: float) -> Survey:
    """Run the suite clean, then watched twice, the second time with another state of `random`."""
    orders = (Order("clean"), Order("watch"), Order("watch", reseed=True))
    runs, trouble = run_orders(zygote, suite, orders, seconds=seconds)
    imports = late_modules(runs[0]) if runs else ()
    if imports:
        runs, trouble = run_orders(zygote, suite, orders, imports=imports, seconds=seconds)
    clean = runs[0] if runs else None
    if trouble or clean is None or len(runs) < len(orders):
        return Survey(clean, trouble=trouble or "a run is missing")
    if not is_clean(clean):
        return Survey(
            clean, trouble=clean.why_void or "its suite is not green when it is run with its collection forked"
        )
    for watched in runs[1:]:
        if watched.verdict(clean) != GREEN:
            why = watched.why_void or "its suite is not green when its functions are called through stand-ins"
            return Survey(clean, trouble=why)
        if watched.told.get("reloaded"):
            return Survey(clean, trouble=LOADED_AGAIN)
    return Survey(clean, tuple(_functions(runs[1], runs[2])), imports)


def _functions(first: Run, second: Run) -> Sequence[Watched]:
    found = [_watched(name, part, second.parts.get(name, {})) for name, part in first.parts.items()]
    return sorted(
        (each for each in found if each is not None), key=lambda each: (-len(each.direct), -each.calls, each.name)
    )


def _watched(name: str, part: Mapping[str, Json], again: Mapping[str, Json]) -> Watched | None:
    types, values = part.get("types"), part.get("values")
    if not isinstance(types, dict) or not all(word.isidentifier() for word in name.split(".")):
        return None
    return Watched(
        name,
        str(part["file"]),
        part["line"],
        part["fired"],
        tuple(part["tests"]),
        tuple(part["direct"]),
        {str(key): count for key, count in types.items() if type(count) is int},
        part["empty"],
        steady=isinstance(part["digest"], str) and part["digest"] == again.get("digest"),
        values=values if isinstance(values, dict) else None,
    )
