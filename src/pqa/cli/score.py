"""pqa score: what its findings leave of each branch, computed from a stored run; it runs nothing."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from pqa.cli.judged import judged
from pqa.core.errors import ExitCode
from pqa.core.trigger import Json
from pqa.core.verdict import Collision, Verdict
from pqa.reports.json_file import check_target, write_text
from pqa.reports.text import make_console, plain

EPILOG = """\b
Examples:
  pqa score                    the latest run
  pqa score RUN --json -       {"b0": {"alive": false, "score": 0.0, ...}, ...}

\b
Exit status:
  0  a branch survives         1  none does
  2  usage, or a run that was stopped before its attacks
"""


def score(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="A run in .pqa/runs/. Default: the latest")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE|-", help="Write the scores; '-' is stdout.")] = None,
) -> None:
    """Print the score of each branch of a stored run."""
    collision = judged(Path.cwd(), run)
    if json is not None:
        check_target(json)
        write_text(json_text.dumps(scores(collision), indent=1) + "\n", json)
    if json != "-":
        console = make_console()
        for verdict in collision.verdicts.values():
            console.print(_line(verdict), soft_wrap=True)
    alive = any(verdict.alive for verdict in collision.verdicts.values())
    raise typer.Exit(int(ExitCode.SURVIVOR if alive else ExitCode.NO_SURVIVOR))


def scores(collision: Collision) -> dict[str, Json]:
    """By branch: alive, score, death reason, and what weighs."""
    return {
        name: {
            "alive": one.alive,
            "score": one.score,
            "death_reason": one.death_reason,
            "reasons": list(one.reasons),
        }
        for name, one in collision.verdicts.items()
    }


def _line(verdict: Verdict) -> Text:
    state = ("alive", "green") if verdict.alive else ("dead", "bold red")
    reasons = plain("; ".join(verdict.reasons), length=300)
    return Text.assemble((plain(verdict.branch_id), "bold"), "  ", state, f"  {verdict.score:g}  {reasons}".rstrip())
