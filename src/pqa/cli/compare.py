"""pqa compare: what separates the branches of a stored run, from its findings alone; it runs nothing and reads no code."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Annotated

import typer

from pqa.cli.stored import find_run, load_run
from pqa.core.codec import finding_to_json
from pqa.instruments.comparison import SCHEMA
from pqa.reports.comparison import lines_of
from pqa.reports.json_file import check_target, write_text
from pqa.reports.text import make_console
from pqa.stages.compare import compare as compare_findings

EPILOG = """\b
Examples:
  pqa compare                  the latest run
  pqa compare RUN --json -     the same as one document

\b
Exit status:
  0  always, unless the run cannot be read (2)
"""
NOTHING = "findings stand against fewer than two branches: there is nothing to compare"


def compare(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="A run in .pqa/runs/. Default: the latest")] = None,
    json: Annotated[str | None, typer.Option(metavar="FILE|-", help="Write the comparison; '-' is stdout.")] = None,
) -> None:
    """Compare the branches by their findings."""
    collision = load_run(find_run(Path.cwd(), run))
    found = compare_findings([finding_to_json(one) for one in collision.findings], collision.kill_matrix)
    if json is not None:
        document = found or {"schema": SCHEMA, "flaws": [], "by_category": {}, "by_layer": {}}
        check_target(json)
        write_text(json_text.dumps(document, indent=1) + "\n", json)
    if json == "-":
        return
    console = make_console()
    for line in lines_of(found) if found is not None else (NOTHING,):
        console.print(line, soft_wrap=True)
