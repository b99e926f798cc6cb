"""pqa show: print a stored run again; it runs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pqa.cli.stored import find_run, load_run
from pqa.reports import terminal
from pqa.reports.text import make_console

EPILOG = """\b
Examples:
  pqa show                 the latest run
  pqa show RUN             a run in .pqa/runs/
  pqa show --board         every behavioural split, with its witness and who says what
  pqa show out.json        a file that 'pqa collide --json out.json' wrote
"""


def show(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Its name, or a JSON file. Default: the latest")
    ] = None,
    board: Annotated[bool, typer.Option("--board", help="Only where the branches part, every split.")] = False,
) -> None:
    """Print a stored run again."""
    collision = load_run(find_run(Path.cwd(), run))
    if board:
        terminal.render_board(collision, make_console())
    else:
        terminal.render(collision, make_console())
