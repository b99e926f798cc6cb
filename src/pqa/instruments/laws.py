"""Laws: what the language asks of equality, hashes, order, length and iterators, as cases on instances that tests build.

Each is a rule between plain answers of one run, so that nothing of a branch is believed: a hash is seen by whether a set
finds its item again. What is no law is not asked: equality may be by identity, by a part, or not transitive; a hash may
change with what it is made of; an order may be partial. Floats may be compared with tolerance, so that instances made of
them are asked nothing that tolerance breaks, and one that holds NaN need not be equal to itself.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from pqa.core.surface import Class
from pqa.core.trigger import Json
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import opaque
from pqa.instruments.sequences import Construction, Habits, recorded_cases, setup_of

Case = Mapping[str, Json]
MAXIMUM_INSTANCES = 5
EQUALITY, HASH, ORDER, LENGTH, ITERATOR = "__eq__", "__hash__", "__lt__", "__len__", "__next__"
ASKED = (EQUALITY, HASH, ORDER, LENGTH, ITERATOR)
COMPARED = ("lt", "le", "gt", "ge")
OWN_WAY = re.compile(
    r"\b(not|never|except|unlike|intentional|deliberate|on purpose|nan|toleran|fuzzy|approx)|n't\b", re.I
)
"""Words in a docstring of a comparison by which its author may have announced a meaning of their own."""

SPEAKS = re.compile(r"equal|hash|order|compar|identi|iterat|length", re.I)


@dataclass(frozen=True, slots=True)
class Law:
    """`name` is what a person may free a class of; `method` is where it is defined, `text` what it says."""

    name: str
    method: str
    text: str
    words: str


REFLEXIVE = Law("reflexive", EQUALITY, "an object equals itself", "compares an instance with itself")
SYMMETRIC = Law("symmetric", EQUALITY, "a == b and b == a are the same", "compares two instances both ways round")
HASHED = Law("hash-of-equals", HASH, "equal objects have equal hashes", "puts equal instances into a set or a dict")
STEADY = Law("steady-hash", HASH, "a hash does not change by itself", "asks twice for the hash of one instance")
ASYMMETRIC = Law("asymmetric", ORDER, "a < b and b < a are never both true", "compares two instances both ways round")
REFLECTED = Law("reflected", ORDER, "a < b is b > a", "compares two instances with < and with >")
COUNTED = Law("length", LENGTH, "a length is not negative", "asks for the length of such an instance")
ITERATED = Law("iterator", ITERATOR, "an iterator is its own iterator", "calls iter() on it")
ALONE = (REFLEXIVE, STEADY, COUNTED, ITERATED)
"""Laws that hold for floats too, since nothing is compared with something near it."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A case, its rule, and what to look at before it may count."""

    law: Law
    case: Case
    rule: Mapping[str, Json]
    built: tuple[Construction, ...]

    @property
    def exact(self) -> bool:
        """Whether no float is among what the instances are built from, so that no tolerance is at work."""
        return not any(_has_float([list(one.args), dict(one.kwargs)]) for one in self.built)


def trials_of(habits: Habits, methods: Sequence[str]) -> list[Trial]:
    """What can be asked of a class whose branches define these methods, in a stable order."""
    found: list[Trial] = []
    made = habits.constructions[:MAXIMUM_INSTANCES]
    for one in made:
        found += _alone(habits, one, methods)
    for case in recorded_cases(habits)[:MAXIMUM_INSTANCES]:
        found += _lived(case, methods)
    for left, right in [*((one, one) for one in made), *combinations(made, 2)]:
        found += _between(habits, left, right, methods)
    return [trial for trial in found if trial.exact or trial.law in ALONE]


def _alone(habits: Habits, one: Construction, methods: Sequence[str]) -> Iterator[Trial]:
    built = _instances(habits, one)
    if EQUALITY in methods:
        look = {"on": "a", "get": "__dict__"}
        yield _trial(REFLEXIVE, built, [_call("operator.eq", "a", "a"), look], {"then": [[0, True]]}, one)
    if HASH in methods:
        yield _trial(STEADY, built, [_within("a", "a")], {"then": [[0, True]]}, one)
    if ORDER in methods:
        calls = [*(_call(f"operator.{name}", "a", "a") for name in COMPARED), _call("operator.lt", "a", "a")]
        yield _trial(ASYMMETRIC, built, calls, {"when": [[0, True]], "then": [[4, False]]}, one)
    if LENGTH in methods:
        asked = {"on": "a", "call": "__len__", "args": [], "kwargs": {}}
        yield _trial(COUNTED, built, [asked], {"least": [[0, 0]]}, one)
    if ITERATOR in methods and "__iter__" in methods:
        again = {"name": "i", "new": "builtins.iter", "args": [{"$name": "a"}], "kwargs": {}}
        calls = [_call("builtins.hasattr", "a", "__next__", plain=True), _call("operator.is_", "i", "a")]
        yield _trial(ITERATED, [*built, again], calls, {"when": [[0, True]], "then": [[1, True]]}, one)


def _lived(case: Case, methods: Sequence[str]) -> Iterator[Trial]:
    """The same of an instance that has lived through what a test does to it."""
    setup = [{**item, "name": "a"} if "new" in item else item for item in case["setup"]]
    before = [{**call, "on": "a"} for call in case["calls"]]
    if HASH in methods:
        yield _trial(STEADY, setup, [*before, _within("a", "a")], {"then": [[len(before), True]]})
    if LENGTH in methods:
        asked = {"on": "a", "call": "__len__", "args": [], "kwargs": {}}
        yield _trial(COUNTED, setup, [*before, asked], {"least": [[len(before), 0]]})


def _between(habits: Habits, left: Construction, right: Construction, methods: Sequence[str]) -> Iterator[Trial]:
    built = _instances(habits, left, right)
    if EQUALITY in methods:
        looks = [{"on": name, "get": "__dict__"} for name in "ab"]
        calls = [_call("operator.eq", "a", "b"), _call("operator.eq", "b", "a"), *looks]
        yield _trial(SYMMETRIC, built, calls, {"same": [[0, 1]]}, left, right)
        calls = [_call("operator.eq", "a", "b"), _within("b", "a"), *looks]
        yield _trial(HASHED, built, calls, {"when": [[0, True]], "then": [[1, True]]}, left, right)
    if ORDER in methods:
        calls = [*(_call(f"operator.{name}", "a", "b") for name in COMPARED), _call("operator.lt", "b", "a")]
        yield _trial(ASYMMETRIC, built, calls, {"when": [[0, True]], "then": [[4, False]]}, left, right)
        calls = [*(_call(f"operator.{name}", "a", "b") for name in COMPARED), _call("operator.gt", "b", "a")]
        yield _trial(REFLECTED, built, calls, {"same": [[0, 4]]}, left, right)


def _trial(
    law: Law, setup: Sequence[Json], calls: Sequence[Json], rule: Mapping[str, Json], *built: Construction
) -> Trial:
    return Trial(law, {"setup": list(setup), "calls": list(calls)}, {"name": law.name, **rule}, built)


def _instances(habits: Habits, *built: Construction) -> list[Json]:
    found: list[Json] = []
    for name, one in zip("ab", built, strict=False):
        items = setup_of(habits, one)
        found += [{**item, "name": name} if "new" in item else item for item in items if "new" in item or not found]
    return found


def _call(function: str, left: str, right: str, *, plain: bool = False) -> Json:
    return {"on": None, "call": function, "args": [{"$name": left}, right if plain else {"$name": right}], "kwargs": {}}


def _within(item: str, only: str) -> Json:
    """Is `item` found in the set {only}? Only if it is equal and its hash is."""
    held = {"$type": "set", "value": [{"$name": only}]}
    return {"on": None, "call": "operator.contains", "args": [held, {"$name": item}], "kwargs": {}}


def counts(trial: Trial, observed: Observed) -> bool:
    """Whether a broken rule may be held against the branch, by what is seen of the instance and of its other answers."""
    if trial.law is REFLEXIVE:
        return "value" in observed.outcomes[1] and not _has_nan(observed.outcomes[1]["value"])
    if trial.law.method == ORDER:
        return all(isinstance(one.get("value"), bool) for one in observed.outcomes)
    if trial.law in (SYMMETRIC, HASHED) and trial.built[0] != trial.built[1]:
        looks = observed.outcomes[2:4]
        return all("value" in look and not opaque(look["value"]) and not _has_float(look["value"]) for look in looks)
    return True


def meant_otherwise(law: Law, variants: Sequence[Class]) -> bool:
    """Whether a docstring of the class's comparisons, or of the class where it speaks of them, may announce another meaning."""
    for variant in variants:
        docs = [method.doc for method in variant.methods if method.name in (EQUALITY, HASH, ORDER, law.method)]
        docs += [variant.doc] if SPEAKS.search(variant.doc) else []
        if any(OWN_WAY.search(doc) for doc in docs):
            return True
    return False


def _has_float(value: Json) -> bool:
    if isinstance(value, float):
        return True
    if isinstance(value, list):
        return any(map(_has_float, value))
    if isinstance(value, dict):
        return value.get("$type") in ("float", "complex") or any(map(_has_float, value.values()))
    return False


def _has_nan(value: Json) -> bool:
    """Whether NaN is in an encoded value, or may be, where a part has no plain form."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, list):
        return any(map(_has_nan, value))
    if isinstance(value, dict):
        unsure = value.get("$type") == "other" or (
            value.get("$type") in ("float", "decimal") and value["value"] in ("nan", "NaN")
        )
        return unsure or value.get("$type") == "complex" or any(map(_has_nan, value.values()))
    return False
