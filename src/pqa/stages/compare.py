"""Compare: what separates the branches, over findings JSON alone, never over code; a cheap pass, and only when needed (S15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pqa.core.trigger import Json
from pqa.instruments.comparison import compare_findings, is_needed


def compare(findings: Sequence[Mapping[str, Json]], matrix: Mapping[str, Mapping[str, str]]) -> dict[str, Json] | None:
    """The comparison of the branches that findings stand against; None while that is fewer than two."""
    return compare_findings(findings, matrix) if is_needed(findings) else None
