"""History: what earlier runs add: the deaths of like branches, and how often a conviction was right."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pqa.core.verdict import Collision
from pqa.reports.text import plain

LEVELS = ("high", "medium", "low")


def prior_deaths(collision: Collision) -> Iterator[str]:
    """One line for each earlier death that a branch of this run should know of."""
    deaths = collision.history.get("prior_deaths")
    for death in deaths if isinstance(deaths, list) else ():
        if isinstance(death, Mapping):
            told = {
                key: plain(death.get(key, ""), length=300)
                for key in ("branch_id", "likeness", "run_id", "death_reason")
            }
            yield (
                f"{told['branch_id']}: {told['likeness']} as {plain(death.get('dead_branch_id', ''))}, which died in run "
                f"{told['run_id']}: {told['death_reason']}"
            )


def calibration(collision: Collision) -> Iterator[str]:
    """One line for each level of conviction: of how many earlier branches how many died."""
    rates = collision.history.get("calibration")
    convictions = rates.get("conviction") if isinstance(rates, Mapping) else None
    known = convictions if isinstance(convictions, Mapping) else {}
    for level in LEVELS:
        row = known.get(level)
        if isinstance(row, Mapping) and row.get("branches"):
            yield f"{level} conviction: {row.get('died', 0)} of {row['branches']} earlier branches died"
