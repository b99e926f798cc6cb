"""pqa attack: check, verify and attack every branch, replay what was found, and leave the judgment for later."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any

import typer

from pqa.cli.collide import (
    Attacks,
    Base,
    Branches,
    Budget,
    Json,
    Properties,
    Python,
    Reference,
    Refs,
    Seed,
    Task,
    Tests,
    Unsafe,
)
from pqa.cli.stage_run import STATUS, start
from pqa.config import load_settings
from pqa.core.errors import UsageError
from pqa.reports import json_file, mutation_page
from pqa.reports.mutation_elements import elements
from pqa.reports.text import make_console

EPILOG = (
    """\b
Examples:
  pqa attack                         every branch in .pqa/branches/
  pqa attack --attacks differential --budget 30
  pqa attack && pqa defend --patch b0=fixed/b0 && pqa choose
  pqa attack . --attacks mutation    one project: is its suite worth anything?
  pqa attack . --attacks mutation --since main --budget 60
  pqa attack . --attacks mutation --mutants mutants.json

"""
    + STATUS
)
ONE_PROJECT = ("mutation",)
ONE_PROJECT_SECONDS = 300.0
SINCE_HELP = "With one project and --attacks mutation: only lines that this ref or folder does not have."
Since = Annotated[str | None, typer.Option(metavar="REF|PATH", help=SINCE_HELP)]
MUTANTS_HELP = "With one project and --attacks mutation: every change and its fate, as mutation-testing-elements JSON."
Mutants = Annotated[str | None, typer.Option(metavar="FILE|-", help=MUTANTS_HELP)]


def attack(
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
    since: Since = None,
    mutants: Mutants = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Attack every branch and replay what was found; `pqa choose` judges."""
    named = None if attacks is None else tuple(name for part in attacks.split(",") if (name := part.strip()))
    settings = {"attacks": named, "budget": budget, "seed": seed, "python": python, "properties": properties}
    words = {"task": task, "tests": tests, "base": base, "refs": tuple(refs or ()), "reference": reference}
    one = named == ONE_PROJECT and len(branches or ()) == 1 and json is None and not any(words.values())
    if one and branches and Path(branches[0]).is_dir():
        _one_project(branches[0], settings, since, mutants, unsafe_no_sandbox=unsafe_no_sandbox)
        return
    if since is not None or mutants is not None:
        raise UsageError(
            "--since and --mutants are for one project and '--attacks mutation' alone",
            "run 'pqa attack . --attacks mutation'",
        )
    start("attack", branches, json, settings, unsafe_no_sandbox=unsafe_no_sandbox, **words)


def _one_project(
    path: str, flags: dict[str, Any], since: str | None, mutants: str | None, *, unsafe_no_sandbox: bool
) -> None:
    """Mutation alone on one project: no run is kept, the page is the result."""
    from pqa import wiring

    project = Path.cwd()
    settings = load_settings(project, os.environ, flags)
    if mutants is not None:
        json_file.check_target(mutants)
    budget = ONE_PROJECT_SECONDS if flags["budget"] is None else settings.budget
    request = wiring.MutationRequest(project, path, since, budget, unsafe_no_sandbox, settings)
    with mutation_page.MutationProgress(make_console(stderr=True)) as progress:
        report = wiring.mutation(request, progress)
    if mutants is not None:
        json_file.write_text(elements(report), mutants)
    mutation_page.render(report, make_console(stderr=mutants == json_file.STANDARD_OUTPUT))
