"""pqa submit: take findings from outside into a stored run; each trigger is replayed, and what is proved counts."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from pqa.cli.exit_status import exit_code
from pqa.cli.stored import find_run, load_run
from pqa.config import load_settings
from pqa.core.errors import UsageError
from pqa.core.finding import Finding
from pqa.core.verdict import Collision
from pqa.instruments.submission import MAXIMUM_BYTES
from pqa.reports import terminal
from pqa.reports.findings import replay_words
from pqa.reports.progress import Progress
from pqa.reports.tables import STYLES
from pqa.reports.text import make_console, plain

NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
RESERVED = ("mechanical",)
EPILOG = """\b
Examples:
  pqa submit findings.json                    into the latest run
  some-agent | pqa submit - --adversary NAME  as that adversary
  pqa submit --second-reader readings.json    a second reader's word on quoted sentences

\b
Exit status:
  0  a branch survives
  1  none does
  2  the submission was refused; nothing was changed
"""

File = Annotated[str | None, typer.Argument(metavar="FILE|-", help="Findings as JSON; '-' is standard input.")]
Run = Annotated[str | None, typer.Option("--run", metavar="RUN", help="A run in .pqa/runs/. Default: the latest")]
Adversary = Annotated[str, typer.Option("--adversary", metavar="NAME", help="Who submits, for the calibration.")]
READER_HELP = "JSON [{finding_id, agrees, reader}] of one who saw only quote, calls and outcome."
SecondReader = Annotated[str | None, typer.Option("--second-reader", metavar="FILE", help=READER_HELP)]
Python = Annotated[str | None, typer.Option(metavar="PATH", help="The interpreter that runs the branches.")]
Unsafe = Annotated[bool, typer.Option("--unsafe-no-sandbox", help="Run foreign code unprotected.")]


def submit(
    file: File = None,
    run: Run = None,
    adversary: Adversary = "host",
    second_reader: SecondReader = None,
    python: Python = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Replay findings from outside and score the run anew."""
    from pqa import wiring

    project = Path.cwd()
    if file is None and second_reader is None:
        raise UsageError("there is nothing to submit", "name a file of findings, '-' or --second-reader FILE")
    if not NAME.fullmatch(adversary) or adversary in RESERVED:
        raise UsageError(f"--adversary '{adversary}' is no name for one", "use letters, digits, '.', '_' and '-'")
    settings = load_settings(project, os.environ, {"python": python})
    stored = find_run(project, run)
    if stored.name != "run.json":
        raise UsageError(f"'{stored}' is no run in a folder of its own", "name a run in .pqa/runs/")
    text = None if file is None else _read(file)
    readings = None if second_reader is None else _read(second_reader)
    request = wiring.SubmitRequest(
        project, stored.parent, load_run(stored), text, readings, adversary, unsafe_no_sandbox, settings
    )
    with Progress(make_console(stderr=True)) as progress:
        taken = wiring.submit(request, [progress])
    tell(taken.judged, taken.doubled, taken.collision, make_console())
    raise typer.Exit(int(exit_code(taken.collision)))


def _read(named: str) -> str:
    """At most one byte more than is allowed, so that what is too large is refused and not read."""
    try:
        if named == "-":
            raw = sys.stdin.buffer.read(MAXIMUM_BYTES + 1)
        else:
            with Path(named).open("rb") as file:
                raw = file.read(MAXIMUM_BYTES + 1)
        return raw.decode("utf-8")
    except OSError as error:
        raise UsageError(f"'{named}' cannot be read: {error.strerror}", "name a JSON file, or '-'") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"'{named}' is not UTF-8 text", "write it as UTF-8") from error


def tell(judged: tuple[Finding, ...], doubled: tuple[Finding, ...], collision: Collision, console: Console) -> None:
    """One line a finding, the questions that follow, and the outcome."""
    for finding in judged:
        level = "discounted" if finding.discounted else finding.severity
        head = Text.assemble(
            (level, STYLES.get(level, "dim")), f"  {plain(finding.id)}  ", (plain(finding.branch_id), "bold")
        )
        claimed = finding.claimed_severity or finding.severity
        why = plain(finding.discount_reason or "", length=200) if finding.discounted else replay_words(finding)
        head.append(f"  {plain(finding.title, length=200)} (claimed {plain(claimed)}; {why})")
        console.print(head, soft_wrap=True)
    for finding in doubled:
        console.print(
            Text(f"known already  {plain(finding.branch_id)}  {plain(finding.title, length=200)}"), soft_wrap=True
        )
    ids = {finding.id for finding in judged}
    for question in collision.questions:
        if question.witness.get("finding_id") in ids and question.answer is None:
            console.print(Text(f"?  {plain(question.text, length=600)}"), soft_wrap=True)
    dead = [name for name, verdict in collision.verdicts.items() if not verdict.alive]
    console.print(Text(f"dead: {', '.join(map(plain, dead)) or 'none'}; {terminal.choice_line(collision)}"))
