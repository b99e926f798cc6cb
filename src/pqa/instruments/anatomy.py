"""Anatomy: what a branch is made of: the state it keeps, its own calls, imports, deciding constants and suppressions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.branch import Branch
from pqa.core.ports import Zygote
from pqa.core.trigger import Json
from pqa.core.values import canonical

SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Anatomy:
    """Features of one tree. `written` is what the syntax says of its state, `kinds` what its instances really keep where
    that was seen, else the same; `trouble` says why the rest is missing, and then nothing may be concluded."""

    kinds: frozenset[str] = frozenset()
    written: frozenset[str] = frozenset()
    names: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()
    imports: frozenset[str] = frozenset()
    functions: frozenset[str] = frozenset()
    statements: Mapping[str, int] = field(default_factory=dict)
    deciding: Mapping[str, int] = field(default_factory=dict)
    suppressions: Mapping[str, int] = field(default_factory=dict)
    axis: str = ""
    trouble: str = ""


def read_anatomy(zygote: Zygote, branch: Branch, cases: Sequence[Mapping[str, Json]]) -> Anatomy:
    """Read the syntax of code and tests, then look at the instances that `cases` leave behind."""
    job: dict[str, Json] = {"code": list(branch.code), "tests": list(branch.tests)}
    done = zygote.run("anatomy", job, seconds=SECONDS)
    records = {str(record.get("file")): record for record in done.records}
    axis = " ".join((branch.topology_axis or "").casefold().split())
    missing = [name for name in (*branch.code, *branch.tests) if name not in records]
    if done.trouble or missing:
        return Anatomy(axis=axis, trouble=done.trouble or f"'{missing[0]}' was not read")
    code = [records[name] for name in branch.code]
    state = [row for record in code for row in _rows(record.get("state"))]
    written, named = _features(state)
    seen, seen_names = _observed(zygote, cases)
    return Anatomy(
        kinds=seen or written,
        written=written,
        names=named | seen_names,
        calls=_texts(code, "calls"),
        imports=_texts(code, "imports"),
        functions=_texts(code, "functions"),
        statements=_counts(code, "statements"),
        deciding=_counts(code, "deciding"),
        suppressions=_counts(records.values(), "suppressions"),
        axis=axis,
    )


def _observed(zygote: Zygote, cases: Sequence[Mapping[str, Json]]) -> tuple[frozenset[str], frozenset[str]]:
    if not cases:
        return frozenset(), frozenset()
    done = zygote.run("kinds", {"cases": list(cases)}, seconds=SECONDS)
    merged: dict[tuple[str, str], set[str]] = {}
    for record in done.records:
        for holder, attribute, paths in _rows(record.get("state")):
            merged.setdefault((holder, attribute), set()).update(paths)
    return _features([(holder, name, sorted(paths)) for (holder, name), paths in sorted(merged.items())])


def _features(rows: Iterable[tuple[str, str, list[str]]]) -> tuple[frozenset[str], frozenset[str]]:
    """Kinds without the names, each numbered by how many attributes show it; and the names."""
    count: Counter[str] = Counter()
    kinds: set[str] = set()
    names: set[str] = set()
    for holder, attribute, paths in rows:
        names.add(f"{holder}.{attribute}")
        for path in set(paths):
            count[path] += 1
            kinds.add(f"{path}#{count[path]}")
    return frozenset(kinds), frozenset(names)


def _rows(value: Json) -> list[tuple[str, str, list[str]]]:
    rows = value if isinstance(value, list) else ()
    return [
        (str(row[0]), str(row[1]), [str(path) for path in row[2]])
        for row in rows
        if isinstance(row, list) and len(row) == 3 and isinstance(row[2], list)
    ]


def _texts(records: Iterable[Mapping[str, Json]], key: str) -> frozenset[str]:
    return frozenset(str(item) for record in records for item in record.get(key, ()))


def _counts(records: Iterable[Mapping[str, Json]], key: str) -> dict[str, int]:
    found: Counter[str] = Counter()
    for record in records:
        found.update(item if key != "deciding" else canonical(item) for item in record.get(key, ()))
    return dict(found)
