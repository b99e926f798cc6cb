"""pqa choose: which branch of a stored run to merge, and why; computed anew from what the run holds, and kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pqa.cli.collide import Gate, RequireChoice
from pqa.cli.exit_status import exit_code
from pqa.cli.judged import judged
from pqa.cli.stored import find_run
from pqa.config import load_settings
from pqa.reports import json_file
from pqa.reports.terminal import choice_lines
from pqa.reports.text import make_console

EPILOG = """\b
Examples:
  pqa choose                   the latest run
  pqa choose RUN --require-choice --gate high

\b
Exit status:
  0  a branch survives; an abstention too
  1  none does; with --require-choice, none is named; with --gate, a finding of that level stands
  2  usage, or a run that was stopped before its attacks
"""


def choose(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="A run in .pqa/runs/. Default: the latest")] = None,
    require_choice: RequireChoice = False,
    gate: Gate = None,
) -> None:
    """Print the choice of a stored run."""
    project = Path.cwd()
    settings = load_settings(project, os.environ, {"require_choice": require_choice or None, "gate": gate})
    collision = judged(project, run)
    json_file.write(collision, str(find_run(project, run)))
    make_console().print(choice_lines(collision))
    raise typer.Exit(int(exit_code(collision, require_choice=settings.require_choice, gate=settings.gate)))
