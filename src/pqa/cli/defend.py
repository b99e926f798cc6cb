"""pqa defend: a branch's one answer to its findings, a patched copy or words; what it resolves is computed."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from pqa.cli.exit_status import exit_code
from pqa.cli.stored import find_run, load_run
from pqa.config import DefendRequest, load_settings
from pqa.core import codec
from pqa.core.errors import UsageError
from pqa.instruments.defense_brief import defense_brief
from pqa.reports import json_file, terminal
from pqa.reports.defenses import answer_lines
from pqa.reports.progress import Progress
from pqa.reports.text import make_console

EPILOG = """\b
Examples:
  pqa defend --patch b0=fixed/b0                 a patched copy of b0, judged against the latest run
  pqa defend RUN --patch b0=x --patch b2=y       two branches at once, each once
  pqa defend --rebuttal b0=answer.txt            words: they become a question, and resolve nothing
  pqa defend --brief b0                          what the defender of b0 may read: its own findings

\b
Exit status:
  0    a branch survives            1  none does
  2    usage; a branch that has answered before
  3    no sandbox, or a fault of pqa
"""

PATCH_HELP = "A patched copy of a branch. Repeat for several branches."
REBUTTAL_HELP = 'Text, or JSON [{"finding_id", "claim", "contract_line"}].'
Run = Annotated[str | None, typer.Argument(metavar="RUN", help="A run in .pqa/runs/. Default: the latest")]
Patches = Annotated[list[str] | None, typer.Option("--patch", metavar="BRANCH=DIR", help=PATCH_HELP)]
Rebuttals = Annotated[list[str] | None, typer.Option("--rebuttal", metavar="BRANCH=FILE", help=REBUTTAL_HELP)]
Brief = Annotated[str | None, typer.Option("--brief", metavar="BRANCH", help="Print the defense brief of a branch.")]
Json = Annotated[str | None, typer.Option(metavar="FILE|-", help="Write the run as JSON; '-' is stdout.")]
Python = Annotated[str | None, typer.Option(metavar="PATH", help="The interpreter that runs the branches.")]
Unsafe = Annotated[bool, typer.Option("--unsafe-no-sandbox", help="Run foreign code unprotected.")]


def defend(
    run: Run = None,
    patch: Patches = None,
    rebuttal: Rebuttals = None,
    brief: Brief = None,
    json: Json = None,
    python: Python = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Answer the findings of a branch, once."""
    from pqa import wiring

    project = Path.cwd()
    path = find_run(project, run)
    if brief is not None:
        typer.echo(codec.dump(defense_brief(load_run(path), brief)), nl=False)
        return
    if path.name != "run.json":
        raise UsageError(f"'{path.name}' is a copy of a run", "name a run in .pqa/runs/, which can be written anew")
    patches, rebuttals = _pairs("--patch", patch or ()), _pairs("--rebuttal", rebuttal or ())
    if not patches and not rebuttals:
        raise UsageError("no answer was given", "give --patch BRANCH=DIR or --rebuttal BRANCH=FILE")
    if json is not None:
        json_file.check_target(json)
    settings = load_settings(project, os.environ, {"python": python})
    request = DefendRequest(project, load_run(path), path.parent, patches, rebuttals, unsafe_no_sandbox, settings)
    errors = make_console(stderr=True)
    with Progress(errors) as progress:
        collision = wiring.defend(request, [progress])
    if json is not None:
        json_file.write(collision, json)
    console = errors if json == json_file.STANDARD_OUTPUT else make_console()
    for line in answer_lines(collision, {name for name, _ in (*patches, *rebuttals)}):
        console.print(line, soft_wrap=True)
    console.print(terminal.choice_line(collision))
    raise typer.Exit(int(exit_code(collision)))


def _pairs(flag: str, texts: Sequence[str]) -> tuple[tuple[str, str], ...]:
    pairs = []
    for text in texts:
        name, mark, rest = text.partition("=")
        if not (name and mark and rest):
            raise UsageError(f"{flag} '{text}' is not of the form BRANCH=PATH", f"write {flag} b0=some/path")
        pairs.append((name, rest))
    return tuple(pairs)
