"""pqa replay: run stored triggers again, in fresh sandboxes, and say of each whether it still shows."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from pqa.cli.stored import find_run, load_run
from pqa.config import ReplayRequest, load_settings
from pqa.core.errors import ExitCode, UsageError
from pqa.core.finding import Finding
from pqa.core.trigger import ReplayStatus
from pqa.core.verdict import Collision
from pqa.reports.findings import OUTPUT_LINES, replay_words
from pqa.reports.text import make_console, plain, plain_lines

FINDING_ID = re.compile(r"f[0-9a-f]{12}")
EPILOG = """\b
Examples:
  pqa replay                       every trigger of the latest run
  pqa replay f0123456789ab         one finding of the latest run
  pqa replay RUN f0123456789ab     one finding of that run

\b
Exit status:
  0  every trigger could be checked, whether it shows or not
  3  at least one could not be checked
"""


def replay(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="A run in .pqa/runs/. Default: the latest")] = None,
    finding: Annotated[str | None, typer.Argument(metavar="FINDING", help="One finding. Default: all")] = None,
    python: Annotated[str | None, typer.Option(metavar="PATH", help="The interpreter that runs the branches.")] = None,
    unsafe_no_sandbox: Annotated[
        bool, typer.Option("--unsafe-no-sandbox", help="Run foreign code unprotected.")
    ] = False,
) -> None:
    """Run the stored triggers of a run again."""
    from pqa import wiring

    project = Path.cwd()
    if run is not None and finding is None and FINDING_ID.fullmatch(run):
        run, finding = None, run
    settings = load_settings(project, os.environ, {"python": python})
    collision = load_run(find_run(project, run))
    _refuse_unknown(collision, finding)
    request = ReplayRequest(project, collision, finding, unsafe_no_sandbox, settings)
    replayed = wiring.replay(request, [])
    _tell(replayed, make_console())
    raise typer.Exit(int(ExitCode.NO_SANDBOX if any(map(_is_open, replayed)) else ExitCode.SURVIVOR))


def _refuse_unknown(collision: Collision, finding_id: str | None) -> None:
    with_trigger = [finding.id for finding in collision.findings if finding.trigger is not None]
    if finding_id is None and not with_trigger:
        raise UsageError(f"the run '{collision.run_id}' holds no finding with a trigger", "there is nothing to replay")
    if finding_id is not None and finding_id not in with_trigger:
        known = ", ".join(with_trigger[:5]) or "none"
        message = f"the run '{collision.run_id}' holds no finding '{finding_id}' with a trigger"
        raise UsageError(message, f"those with a trigger: {known}")


def _is_open(finding: Finding) -> bool:
    return finding.replay is None or finding.replay.status is ReplayStatus.COULD_NOT_CHECK


def _tell(replayed: Sequence[Finding], console: Console) -> None:
    for finding in replayed:
        tier = finding.replay.sandbox if finding.replay is not None else ""
        style = "bold yellow" if _is_open(finding) else "bold"
        words = "could not check" if _is_open(finding) else replay_words(finding)
        line = Text.assemble(
            plain(finding.id), "  ", (words, style), f"  {plain(finding.branch_id)}: {plain(finding.title, length=200)}"
        )
        console.print(line, soft_wrap=True)
        for output in plain_lines(finding.replay.output if finding.replay is not None else "", count=OUTPUT_LINES):
            console.print(Text(f"    {output}", style="dim"))
        if tier and tier != "full":
            console.print(Text(f"    sandbox {plain(tier)}", style="yellow"))
