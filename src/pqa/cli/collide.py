"""pqa collide: judge the branches, print the report, say by the exit code whether one survives."""

from __future__ import annotations

import os
from dataclasses import replace
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
  pqa collide --refs feature/a --refs feature/b --base main
  pqa collide . --gate high                  one branch, in CI

\b
Exit status:
  0    a branch survives            1  none does, or a gate tripped
  2    usage or configuration       3  no sandbox, or a fault of pqa
  4    an adversary could not run   5  nothing to attack
  130  interrupted
"""


Branches = Annotated[
    list[str] | None, typer.Argument(metavar="BRANCH", help="Directories or globs. Default: .pqa/branches/*")
]
Task = Annotated[str | None, typer.Option(metavar="FILE", help="What was asked. Default: .pqa/task.md")]
Tests = Annotated[str | None, typer.Option(metavar="PATH", help="A locked suite, run on every branch.")]
REFS_HELP = "Git refs as branches; repeat it, or give a pattern such as 'attempt/*'."
Refs = Annotated[list[str] | None, typer.Option("--refs", metavar="REF...", help=REFS_HELP)]
BASE_HELP = "The code, or only its tests, before the branches."
Base = Annotated[str | None, typer.Option(metavar="PATH|REF", help=BASE_HELP)]
REFERENCE_HELP = "A trusted implementation: inside the contract, what it returns is right."
Reference = Annotated[str | None, typer.Option(metavar="PATH", help=REFERENCE_HELP)]
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
ADVERSARY_HELP = "An adversary: 'command:PROGRAM ARGS' or 'scripted:FILE'; may be repeated."
Adversaries = Annotated[list[str] | None, typer.Option("--adversary", metavar="KIND:WHAT", help=ADVERSARY_HELP)]
SECONDS_HELP = "Time limit of one adversary on one branch, doubled by high conviction."
AdversarySeconds = Annotated[
    float, typer.Option("--adversary-seconds", metavar="SECONDS", min=1, max=86_400, help=SECONDS_HELP)
]
NETWORK_HELP = "Let adversaries, never branches, use this machine's network; stamped on the run."
AdversaryNetwork = Annotated[bool, typer.Option("--adversary-network", help=NETWORK_HELP)]
Unsafe = Annotated[bool, typer.Option("--unsafe-no-sandbox", help=UNSAFE_HELP)]


def collide(
    branches: Branches = None,
    task: Task = None,
    refs: Refs = None,
    tests: Tests = None,
    base: Base = None,
    reference: Reference = None,
    attacks: Attacks = None,
    budget: Budget = None,
    seed: Seed = None,
    json: Json = None,
    python: Python = None,
    properties: Properties = None,
    require_choice: RequireChoice = False,
    gate: Gate = None,
    keep: Keep = False,
    adversary: Adversaries = None,
    adversary_seconds: AdversarySeconds = 300.0,
    adversary_network: AdversaryNetwork = False,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Attack every branch; say which may be merged."""
    project = Path.cwd()
    flags = {"attacks": _names(attacks), "budget": budget, "seed": seed, "python": python}
    flags |= {"properties": properties, "require_choice": require_choice or None, "gate": gate, "keep": keep or None}
    settings = load_settings(project, os.environ, flags)
    if json is not None:
        json_file.check_target(json)
    named = tuple(branches or ())
    request = CollideRequest(
        project, named, task, tests, base, json, unsafe_no_sandbox, settings, tuple(refs or ()), reference
    )
    named = tuple(adversary or ())
    request = replace(
        request, adversaries=named, adversary_seconds=adversary_seconds, adversary_network=adversary_network
    )
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
