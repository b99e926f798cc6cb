"""Taken literals: constants in a branch's conditions and tables that are whole arguments of calls that its tests make.

An argument may stand there as itself, written out (its `repr`, its JSON, without spaces), or as a digest. What any code
holds (0, 1, an empty text, one letter) does not count, nor what stands in the task's text as itself; a call that is
written out, or digested, has no other use. A table most of whose keys no test shows is a table.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.ports import Zygote
from pqa.core.recording import Call
from pqa.core.trigger import Json
from pqa.core.values import canonical, decode, source_text
from pqa.instruments.masked import Changes, Places
from pqa.instruments.outcomes import loose, opaque

SECONDS = 20.0
SHOWN_SHARE = 0.6
TELLING_TEXT = 4
SHORTEST_DIGEST = 8
SMALL = (-1, 0, 1, 2)


@dataclass(frozen=True, slots=True)
class Taken:
    """Where a branch's code holds what its tests pass: the keys, the answers beside them, and the keys in words."""

    keys: Changes
    answers: Changes
    words: tuple[str, ...]


def read_constants(zygote: Zygote, branch: Branch) -> list[Mapping[str, Json]]:
    """The constants of a branch's conditions and tables, a record a file; nothing of it is run."""
    done = zygote.run("constants", {"code": list(branch.code)}, seconds=SECONDS)
    return [record for record in done.records if isinstance(record.get("file"), str) and not done.trouble]


def looks_at_its_run(records: Iterable[Mapping[str, Json]]) -> bool:
    """Whether the code names frames or a test runner."""
    return any(record.get("tells") for record in records)


def taken_literals(records: Sequence[Mapping[str, Json]], calls: Sequence[Call], text: str) -> Taken | None:
    """What the code holds of the calls' arguments; None where it holds nothing."""
    known = Known(calls, text)
    keys: dict[str, Places] = {}
    answers: dict[str, Places] = {}
    words: dict[str, None] = {}
    for record in records:
        for group in _groups(record.get("keys")):
            hits = [key for key in group if known.holds(key["value"])]
            telling = [key for key in group if not trivial(key["value"])]
            if len([key for key in telling if known.shows(key["value"])]) < len(telling) * SHOWN_SHARE:
                continue
            for key in hits:
                name = str(record["file"])
                keys[name] = (*keys.get(name, ()), tuple(key["place"]))
                answers[name] = (*answers.get(name, ()), *(tuple(at) for at in key["beside"]))
                words.setdefault(source_text(key["value"]))
    if not keys:
        return None
    kept = {name: places for name, places in answers.items() if places}
    return Taken(_distinct(keys), _distinct(kept), tuple(words))


def _distinct(places: Mapping[str, Places]) -> Changes:
    return {name: tuple(dict.fromkeys(found)) for name, found in places.items()}


def _groups(keys: Json) -> Iterator[list[Mapping[str, Json]]]:
    """The keys of each table, and those of each function's conditions."""
    found: dict[str, list[Mapping[str, Json]]] = {}
    for key in keys if isinstance(keys, list) else ():
        if isinstance(key, dict) and {"place", "value", "group", "beside"} <= key.keys() and not opaque(key["value"]):
            found.setdefault(str(key["group"]), []).append(key)
    yield from found.values()


def trivial(value: Json) -> bool:
    """Whether any code may hold this."""
    if value is None or isinstance(value, bool):
        return True
    if isinstance(value, int | float):
        return value in SMALL
    if isinstance(value, str):
        return len(value) < 2
    inner = value["value"] if isinstance(value, dict) and "$type" in value else value
    if isinstance(inner, list | dict):
        return len(inner) == 0 or (len(inner) == 1 and all(trivial(item) for item in inner))
    return False


class Known:
    """The forms in which the arguments of some calls may stand in code."""

    def __init__(self, calls: Sequence[Call], text: str) -> None:
        self.text, self.squeezed = text, _squeezed(text)
        self.values: set[str] = set()
        self.written: set[str] = set()
        self.digests: set[str] = set()
        self.numbers: set[int] = set()
        self.parts: set[str] = set()
        for call in calls:
            self._learn([*call.args, *call.kwargs.values()])

    def _learn(self, arguments: Sequence[Json]) -> None:
        if not arguments or opaque(list(arguments)):
            return
        together = {"$type": "tuple", "value": list(arguments)}
        self.values |= {canonical(loose(one)) for one in (*arguments, *([together] if len(arguments) > 1 else ()))}
        forms = set(_forms([*arguments], together))
        for form in forms:
            self.written |= {_squeezed(form), *_telling(form)}
            self._digest(form.encode("utf-8", "replace"))
        self.parts |= {form for form in forms if len(form) <= 200}
        self.numbers |= set(_hashes([*arguments, together]))

    def _digest(self, content: bytes) -> None:
        for name in ("md5", "sha1", "sha256", "sha512", "blake2b"):
            digest = hashlib.new(name, content, usedforsecurity=False).hexdigest()
            self.digests.add(digest)
            self.numbers |= {int(digest, 16), int(digest[:8], 16), int(digest[:16], 16)}
        self.numbers |= {zlib.crc32(content), zlib.adler32(content)}

    def holds(self, value: Json) -> bool:
        """Whether a constant is a whole argument, all arguments, or a digest of them, and not the task's own."""
        if trivial(value):
            return False
        if canonical(loose(value)) in self.values:
            return not self._in_text(value)
        if isinstance(value, int):
            return value > 1000 and value in self.numbers
        if not isinstance(value, str):
            return False
        return self._is_written(value) or self._is_digest(value)

    def _is_written(self, value: str) -> bool:
        return _squeezed(value) in self.written or any(form in self.written for form in _telling(value))

    def _is_digest(self, value: str) -> bool:
        lower = value.lower().removeprefix("0x")
        if len(lower) < SHORTEST_DIGEST or not re.fullmatch("[0-9a-f]+", lower):
            return False
        return any(digest.startswith(lower) for digest in self.digests)

    def shows(self, value: Json) -> bool:
        """Whether the tests show a constant at all: as an argument, or as part of a text."""
        if canonical(loose(value)) in self.values or self.holds(value):
            return True
        return isinstance(value, str) and any(value in part for part in self.parts)

    def _in_text(self, value: Json) -> bool:
        if isinstance(value, str):
            return value in self.text
        words = _squeezed(source_text(value))
        if isinstance(value, int | float):
            return re.search(rf"(?<![\w.]){re.escape(words)}(?!\w|\.\d)", self.text) is not None
        inner = re.escape(words[1:-1].rstrip(","))
        return re.search(rf"[\[({{]{inner},?[\])}}]", self.squeezed) is not None


def _forms(arguments: Sequence[Json], together: Json) -> Iterator[str]:
    """How arguments may be written out."""
    for one in (*arguments, together, list(arguments)):
        yield source_text(one)
        if isinstance(one, str):
            yield one
        try:
            yield json.dumps(loose(one))
        except (TypeError, ValueError):
            continue
    for joint in (",", "|", ":", "-", "_", " ", ""):
        yield joint.join(one if isinstance(one, str) else source_text(one) for one in arguments)


def _hashes(values: Iterable[Json]) -> Iterator[int]:
    """Hashes that are the same in every process: those of numbers and of tuples of numbers."""
    for value in values:
        if isinstance(value, dict) and value.get("$type") == "tuple" and not re.search('"', canonical(value["value"])):
            try:
                yield hash(decode(value))
            except TypeError:
                continue


def _squeezed(text: str) -> str:
    return re.sub(r"[\s'\"]+", "", text)


def _telling(text: str) -> list[str]:
    """The letters and digits of a text, if there are enough."""
    found = re.sub(r"\W+", "", text).casefold()
    return [found] if len(found) >= TELLING_TEXT else []
