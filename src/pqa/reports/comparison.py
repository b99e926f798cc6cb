"""Comparison: the flaws of several branches side by side, a line each: who has it, and who is clear of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rich.text import Text

from pqa.core.codec import finding_to_json
from pqa.core.trigger import Json
from pqa.core.verdict import Collision
from pqa.instruments.comparison import compare_findings, is_needed
from pqa.reports.tables import STYLES
from pqa.reports.text import plain


def comparison_lines(collision: Collision) -> Iterator[Text]:
    """Nothing while findings stand against fewer than two branches."""
    findings = [finding_to_json(finding) for finding in collision.findings]
    if is_needed(findings):
        yield from lines_of(compare_findings(findings, collision.kill_matrix))


def lines_of(comparison: Mapping[str, Json]) -> Iterator[Text]:
    """One line a flaw, worst first; then one a category."""
    for flaw in comparison["flaws"]:
        line = Text.assemble(
            (plain(flaw["words"]), "bold"), "  ", (plain(flaw["severity"]), STYLES.get(flaw["severity"], ""))
        )
        line.append(f" {plain(flaw['title'], length=160)}")
        for word, names in (("clear of it", flaw["cleared"]), ("not known", flaw["unknown"])):
            line.append(f"; {word}: {plain(', '.join(names))}" if names else "")
        yield line
    for key in ("category", "layer"):
        for name, row in comparison[f"by_{key}"].items():
            counts = [f"{plain(branch)} {_counts(found)}" for branch, found in row.items()]
            yield Text(f"{key} {plain(name)}: {'; '.join(counts)}", style="dim")


def _counts(found: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {plain(severity)}" for severity, count in found.items())
