"""pqa report: print a stored run again, or write it as one document; it runs nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pqa.cli.stored import find_run, load_run
from pqa.reports import json_file, terminal
from pqa.reports.text import make_console

EPILOG = """\b
Examples:
  pqa report                   the latest run, as a page
  pqa report RUN --json out.json
  pqa report --json -          the document alone, on standard output

\b
Exit status:
  0  always, unless the run cannot be read (2)
"""


def report(
    run: Annotated[
        str | None, typer.Argument(metavar="RUN", help="Its name, or a JSON file. Default: the latest")
    ] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE|-", help="Write the run as JSON; '-' is stdout.")] = None,
) -> None:
    """Report a stored run."""
    if json is not None:
        json_file.check_target(json)
    collision = load_run(find_run(Path.cwd(), run))
    if json is not None:
        json_file.write(collision, json)
    if json != json_file.STANDARD_OUTPUT:
        terminal.render(collision, make_console())
