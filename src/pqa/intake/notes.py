"""Notes: the branch's own words, its conviction and topology axis; text of a hostile tree, bounded, never obeyed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from pqa.core.branch import Conviction

NOTES_BYTES = 64 * 1024
VALUE_LENGTH = 400
LEVEL = re.compile(r"[\"']?(high|medium|low)\b", re.IGNORECASE)
BASIS = re.compile(r"^[^a-z]{0,8}basis\W{0,8}", re.IGNORECASE)
MARKS = " \t*_`>#-"
AXIS_KEYS = frozenset(["topology_axis", "topology axis", "topology-axis", "topology"])


@dataclass(frozen=True, slots=True)
class Notes:
    """What `notes.md` says; all empty when there is none."""

    text: str = ""
    conviction: Conviction | None = None
    topology_axis: str | None = None


def read_notes(root: Path, files: Sequence[str]) -> Notes:
    """The notes of the snapshot at `root`."""
    name = next((path for path in files if path.lower() == "notes.md"), None)
    if name is None:
        return Notes()
    with (root / name).open("rb") as file:
        text = file.read(NOTES_BYTES).decode("utf-8", errors="replace").removeprefix("\ufeff")
    entries = list(_entries(text))
    return Notes(text, _conviction(entries), _axis(entries))


def _entries(text: str) -> Iterable[tuple[str, str]]:
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        if colon:
            yield key.strip(MARKS).lower(), value.strip(MARKS)[:VALUE_LENGTH]


def _conviction(entries: Sequence[tuple[str, str]]) -> Conviction | None:
    for key, value in entries:
        found = LEVEL.match(value) if key == "conviction" else None
        if found:
            basis = BASIS.sub("", value[found.end() :]).strip(MARKS + ",;()\"'")
            return Conviction(found[1].lower(), basis or _first(entries, "basis", "conviction_basis"))
    return None


def _first(entries: Sequence[tuple[str, str]], *keys: str) -> str:
    return next((value for key, value in entries if key in keys), "")


def _axis(entries: Sequence[tuple[str, str]]) -> str | None:
    return _first(entries, *AXIS_KEYS).strip("\"'") or None
