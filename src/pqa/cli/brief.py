"""pqa brief: print the briefs of a stored run, one for each live branch, for adversaries that someone else starts."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pqa.cli.stored import find_run, load_run
from pqa.config import load_settings
from pqa.core.codec import dump
from pqa.instruments.defense_brief import defense_brief, defense_briefs
from pqa.reports import json_file
from pqa.stages.brief import envelope

EPILOG = """\b
Examples:
  pqa brief                    briefs for every live branch of the latest run
  pqa brief --branch b1        only one
  pqa brief --json briefs.json
  pqa brief --defense          for the defenders: each attacked branch's own findings, and the rules

\b
Give each brief to an adversary of its own, all at the same time; then hand what they answer to 'pqa submit'.
"""

Run = Annotated[str | None, typer.Argument(metavar="RUN", help="A run in .pqa/runs/. Default: the latest")]
BranchId = Annotated[str | None, typer.Option("--branch", metavar="BRANCH", help="Only this live branch.")]
Adversary = Annotated[str, typer.Option("--adversary", metavar="NAME", help="Whose record of proved claims to tell.")]
Json = Annotated[str, typer.Option("--json", metavar="FILE|-", help="Where to write them; '-' is stdout.")]


Defense = Annotated[bool, typer.Option("--defense", help="For the defenders: each branch's own findings only.")]


def brief(
    run: Run = None,
    branch: BranchId = None,
    adversary: Adversary = "host",
    defense: Defense = False,
    json: Json = json_file.STANDARD_OUTPUT,
) -> None:
    """Print a brief for each live branch."""
    from pqa import wiring

    project = Path.cwd()
    json_file.check_target(json)
    if defense:
        stored = load_run(find_run(project, run))
        own = defense_briefs(stored) if branch is None else [defense_brief(stored, branch)]
        json_file.write_text(dump(envelope(stored.run_id, own)), json)
        return
    settings = load_settings(project, os.environ, {})
    collision = load_run(find_run(project, run))
    document = wiring.brief(wiring.BriefRequest(project, collision, adversary, branch, settings=settings))
    json_file.write_text(dump(document), json)
