"""pqa collide: judge the branches, print the report, say by the exit code whether one survives."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from pqa.cli.exit_status import exit_code
from pqa.config import CollideRequest, load_settings
from pqa.core.verdict import Collision
from pqa.reports import json_file, terminal
from pqa.reports.progress import Progress
from pqa.reports.text import make_console

EPILOG = """\b
Examples:
  pqa collide                                every branch in .pqa/branches/
  pqa collide work/a work/b --tests tests/   two directories, one locked suite
  pqa collide 'attempts/*' --seed 7 --json out.json
  pqa collide . --gate high                  one branch, in CI

\b
Exit status:
  0    a branch survives            1  none does, or a gate tripped
  2    usage or configuration       3  no sandbox, or a fault of pqa
  5    nothing to attack            130  interrupted
"""


Branches = Annotated[
    list[str] | None, typer.Argument(metavar="BRANCH", help="Directories or globs. Default: .pqa/branches/*")
]
Task = Annotated[str | None, typer.Option(metavar="FILE", help="What was asked. Default: .pqa/task.md")]
Tests = Annotated[str | None, typer.Option(metavar="PATH", help="A locked suite, run on every branch.")]
Base = Annotated[str | None, typer.Option(metavar="PATH", help="The code, or only its tests, before the branches.")]
Attacks = Annotated[str | None, typer.Option(metavar="NAMES", help="Only these attacks, separated by commas.")]
Budget = Annotated[float | None, typer.Option(metavar="SECONDS", help="Wall time for the attacks. Default: 120")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="Same seed, same findings. Default: 0")]
Json = Annotated[str | None, typer.Option(metavar="FILE|-", help="Write the whole run as JSON; '-' is stdout.")]
Python = Annotated[str | None, typer.Option(metavar="PATH", help="The interpreter that runs the branches.")]
PROPERTIES_HELP = "Functions property_*(module, draw). Default: .pqa/properties.py"
Properties = Annotated[str | None, typer.Option(metavar="FILE", help=PROPERTIES_HELP)]
RequireChoice = Annotated[bool, typer.Option("--require-choice", help="Exit 1 when no branch is named.")]
GATE_HELP = "Exit 1 on an unresolved finding of this level or worse."
Gate = Annotated[str | None, typer.Option(metavar="high|critical", help=GATE_HELP)]
Keep = Annotated[bool, typer.Option("--keep", help="Keep the snapshots of the branches.")]
UNSAFE_HELP = "Run foreign code unprotected. Never do this with code you do not trust."
Unsafe = Annotated[bool, typer.Option("--unsafe-no-sandbox", help=UNSAFE_HELP)]


def collide(
    branches: Branches = None,
    task: Task = None,
    tests: Tests = None,
    base: Base = None,
    attacks: Attacks = None,
    budget: Budget = None,
    seed: Seed = None,
    json: Json = None,
    python: Python = None,
    properties: Properties = None,
    require_choice: RequireChoice = False,
    gate: Gate = None,
    keep: Keep = False,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Attack every branch; say which may be merged."""
    project = Path.cwd()
    flags = {"attacks": _names(attacks), "budget": budget, "seed": seed, "python": python}
    flags |= {"properties": properties, "require_choice": require_choice or None, "gate": gate, "keep": keep or None}
    settings = load_settings(project, os.environ, flags)
    if json is not None:
        json_file.check_target(json)
    request = CollideRequest(project, tuple(branches or ()), task, tests, base, json, unsafe_no_sandbox, settings)
    collision = _run(request)
    code = exit_code(collision, require_choice=settings.require_choice, gate=settings.gate)
    raise typer.Exit(int(code))


def _run(request: CollideRequest) -> Collision:
    from pqa import wiring

    errors = make_console(stderr=True)
    with Progress(errors) as progress:
        collision = wiring.collide(request, [progress])
    if request.json is not None:
        json_file.write(collision, request.json)
    if request.json == json_file.STANDARD_OUTPUT:
        errors.print(terminal.choice_line(collision))
    else:
        terminal.render(collision, make_console())
    return collision


def _names(text: str | None) -> tuple[str, ...] | None:
    return None if text is None else tuple(name for part in text.split(",") if (name := part.strip()))
