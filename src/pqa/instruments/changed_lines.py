"""Changed lines: which lines of a branch's code the base, or another branch, does not have in the same file."""

from __future__ import annotations

import difflib
from collections.abc import Sequence
from pathlib import Path

from pqa.core.branch import Branch

MOST_BYTES = 1 << 20


def lines_apart(branch: Branch, others: Sequence[Branch]) -> dict[str, frozenset[int]]:
    """By code file, the lines that at least one of the others lacks; pqa's own copies are read, links not followed."""
    found: dict[str, frozenset[int]] = {}
    rest = [other for other in others if other.branch_id != branch.branch_id]
    for name in branch.code:
        mine = _lines(branch, name)
        lines: set[int] = set()
        for other in rest:
            lines |= changed_lines(_lines(other, name) if name in other.code else [], mine)
        if lines:
            found[name] = frozenset(lines)
    return found


def changed_lines(old: Sequence[str], new: Sequence[str]) -> set[int]:
    """Numbers, from 1, of the lines in `new` that `old` does not have there."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    parts = [code[3:] for code in matcher.get_opcodes() if code[0] in ("replace", "insert")]
    return {line + 1 for first, last in parts for line in range(first, last)}


def _lines(branch: Branch, name: str) -> list[str]:
    path = Path(branch.snapshot) / name
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MOST_BYTES:
        return []
    return path.read_text(encoding="utf-8", errors="replace").splitlines()
