"""Renaming: give the opaque keys of a case other names that sort alike, are as long and look alike, and say which.

A key is a plain word that the tests pass as one parameter of a class's methods. All letters move by the same distance in
the alphabet, so that order, length, case, prefixes and repetitions stay: what a program may rightly ask of a key.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.surface import Class
from pqa.core.trigger import Json
from pqa.instruments.sequences import Habits

Case = Mapping[str, Json]
WORD = re.compile(r"[A-Za-z][A-Za-z_]{0,19}")
DISTANCES = (1, 3, -1, -3)
MAXIMUM_GROUPS = 2
FORMS = (str.lower, str.upper, str.title, str.capitalize)


@dataclass(frozen=True, slots=True)
class Keys:
    """The parameter of this name, and where it stands: by method, the positions that it has in the branches."""

    parameter: str
    places: Mapping[str, tuple[int, ...]]

    def of(self, call: Mapping[str, Json]) -> list[str] | None:
        """The keys that one call is given; None where one of them is no plain word."""
        places = self.places.get(str(call.get("call")), ())
        given = [value for place, value in enumerate(call.get("args") or ()) if place in places]
        given += [value for name, value in (call.get("kwargs") or {}).items() if name == self.parameter]
        return given if all(isinstance(value, str) and WORD.fullmatch(value) for value in given) else None


def keys_of(variants: Sequence[Class], habits: Habits) -> list[Keys]:
    """The parameters whose recorded values are plain words in every call that has one, those of most methods first."""
    found: dict[str, dict[str, set[int]]] = {}
    for variant in variants:
        for method in variant.methods:
            if method.name in habits.methods:
                for place, one in enumerate(method.parameters):
                    found.setdefault(one.name, {}).setdefault(method.name, set()).add(place)
    groups = []
    for parameter, methods in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        if any(len(places) > 1 for places in methods.values()):
            continue
        keys = Keys(parameter, {name: tuple(places) for name, places in methods.items()})
        calls = [
            {"call": c.function, "args": c.args, "kwargs": c.kwargs} for name in methods for c in habits.methods[name]
        ]
        given = [keys.of(call) for call in calls]
        if given and all(given):
            groups.append(keys)
    return groups[:MAXIMUM_GROUPS]


def names_for(case: Case, keys: Keys) -> dict[str, str] | None:
    """A new name for each key of the case; None where there is no key, one is no word, or a new name is in use."""
    told = [keys.of(call) for call in case["calls"]]
    if any(one is None for one in told):
        return None
    old = sorted({key for one in told for key in one or ()})
    others = set(_texts([case["setup"], case["calls"]])) | {key.lower() for key in old}
    for distance in DISTANCES:
        names = {key: _moved(key, distance) for key in old}
        new = [name for name in names.values() if name is not None]
        if old and len(new) == len(old) and not others & {*new, *(name.lower() for name in new)}:
            return {key: name for key, name in names.items() if name is not None}
    return None


def _moved(word: str, distance: int) -> str | None:
    letters = []
    for letter in word:
        if letter == "_":
            letters.append(letter)
            continue
        first = ord("a") if letter.islower() else ord("A")
        place = ord(letter) - first + distance
        if not 0 <= place < 26:
            return None
        letters.append(chr(first + place))
    return "".join(letters)


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from value
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)


def with_forms(names: Mapping[str, str]) -> dict[str, str]:
    """The new names with those that a program may make of them: in capitals, in small letters, as a title."""
    found = dict(names)
    for form in FORMS:
        for old, new in names.items():
            found.setdefault(form(old), form(new))
    return found


def renamed_arguments(item: Mapping[str, Json], names: Mapping[str, str]) -> dict[str, Json]:
    """The set-up item or call with its keys renamed wherever they are values; keys of dicts are names of fields."""
    return {**item, **{place: _renamed(item[place], names) for place in ("args", "kwargs", "value") if place in item}}


def _renamed(value: Json, names: Mapping[str, str]) -> Json:
    if isinstance(value, str):
        return names.get(value, value)
    if isinstance(value, list):
        return [_renamed(item, names) for item in value]
    if isinstance(value, dict) and "$name" not in value:
        return {key: item if key == "$type" else _renamed(item, names) for key, item in value.items()}
    return value
