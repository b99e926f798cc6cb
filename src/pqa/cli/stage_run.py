"""Stage run: start a run that ends after a named stage, print what is known so far, and say by the exit code who is left."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import typer

from pqa.config import CollideRequest, load_settings
from pqa.core.errors import ExitCode
from pqa.core.verdict import Collision
from pqa.reports import json_file, terminal
from pqa.reports.progress import Progress
from pqa.reports.text import make_console

STATUS = """\b
Exit status:
  0    a branch is left             1  none is
  2    usage or configuration       3  no sandbox, or a fault of pqa
  5    nothing to attack            130  interrupted
"""


def start(until: str, branches: list[str] | None, json: str | None, settings: dict[str, Any], **words: Any) -> None:
    """Carry out the stages up to `until` and keep the run; nothing that did not run is shown as clean."""
    from pqa import wiring

    project = Path.cwd()
    chosen = load_settings(project, os.environ, settings)
    if json is not None:
        json_file.check_target(json)
    request = CollideRequest(project, tuple(branches or ()), json=json, settings=chosen, until=until, **words)
    errors = make_console(stderr=True)
    with Progress(errors) as progress:
        collision = wiring.collide(request, [progress])
    if json is not None:
        json_file.write(collision, json)
    if json == json_file.STANDARD_OUTPUT:
        errors.print(terminal.choice_line(collision))
    else:
        terminal.render(collision, make_console())
    raise typer.Exit(int(ExitCode.SURVIVOR if left(collision) else ExitCode.NO_SURVIVOR))


def left(collision: Collision) -> list[str]:
    """The branches that nothing has killed so far."""
    dead = {name for name, verdict in collision.verdicts.items() if not verdict.alive}
    return [branch.branch_id for branch in collision.branches if branch.branch_id not in dead]
