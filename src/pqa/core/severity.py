"""Severity: four honest levels, from `critical` (an unresolved one kills) to `low` (surfaced, no budget)."""

from __future__ import annotations

from enum import StrEnum


class Severity(StrEnum):
    """The levels of SEED S16, comparable by `rank`."""

    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    CRITICAL = "critical"

    @property
    def rank(self) -> int:
        """Position from 0 (low) to 3 (critical)."""
        return list(Severity).index(self)

    def at_most(self, cap: Severity) -> Severity:
        """The lower of this level and `cap`."""
        return self if self.rank <= cap.rank else cap

    def one_down(self) -> Severity:
        """The next lower level; low stays low."""
        return list(Severity)[max(0, self.rank - 1)]


def parse_severity(text: object) -> Severity | None:
    """The level that `text` names in any case, or None."""
    if not isinstance(text, str):
        return None
    try:
        return Severity(text.strip().lower())
    except ValueError:
        return None
