"""pqa doctor: is there a sandbox on this machine, does it hold, and which interpreter would run the branches?"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pqa.config import Diagnosis, load_settings
from pqa.core.errors import ExitCode
from pqa.core.job import Interpreter
from pqa.reports.text import make_console, plain

EPILOG = """\b
Examples:
  pqa doctor
  pqa doctor --python .venv/bin/python

\b
Exit status:
  0  branches can be run in a sandbox
  3  they cannot
"""


def doctor(
    python: Annotated[str | None, typer.Option(metavar="PATH", help="The interpreter that runs the branches.")] = None,
) -> None:
    """Probe the sandbox and say what to mend."""
    from pqa import wiring

    project = Path.cwd()
    settings = load_settings(project, os.environ, {"python": python})
    diagnosis = wiring.doctor(project, settings)
    show_diagnosis(diagnosis, make_console())
    raise typer.Exit(int(ExitCode.SURVIVOR if is_healthy(diagnosis) else ExitCode.NO_SANDBOX))


def is_healthy(diagnosis: Diagnosis) -> bool:
    """Whether branches could be run: a tier, an interpreter, and every probe holds."""
    return (
        diagnosis.tier != "none"
        and diagnosis.interpreter is not None
        and all(check.holds for check in diagnosis.checks)
    )


def show_diagnosis(diagnosis: Diagnosis, console: Console) -> None:
    """Print tier, interpreter and the probe table; fixes come last."""
    style = {"full": "bold green", "reduced": "bold yellow"}.get(diagnosis.tier, "bold red")
    console.print(Text.assemble("sandbox      ", (plain(diagnosis.tier), style)))
    console.print(Text(f"interpreter  {_interpreter(diagnosis.interpreter)}"))
    if diagnosis.trouble:
        console.print(Text(f"trouble      {plain(diagnosis.trouble)}", style="bold red"))
    if diagnosis.checks:
        console.print()
        console.print(_probe(diagnosis))
    fixes = dict.fromkeys(check.fix for check in diagnosis.checks if not check.holds and check.fix)
    if fixes:
        console.print()
        console.print(Text("To mend it", style="bold"))
        for fix in fixes:
            console.print(Padding(Text(f"- {plain(fix)}"), (0, 0, 0, 2)))


def _interpreter(interpreter: Interpreter | None) -> str:
    if interpreter is None:
        return "none found"
    version = ".".join(map(str, interpreter.version))
    tools = [
        name for name, there in (("pytest", interpreter.has_pytest), ("coverage", interpreter.has_coverage)) if there
    ]
    return f"{plain(interpreter.executable)}, Python {version}, {' and '.join(tools) if tools else 'without pytest'}"


def _probe(diagnosis: Diagnosis) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    for heading in ("probe", "holds", "tried", "answer"):
        table.add_column(heading, overflow="fold")
    for check in diagnosis.checks:
        holds = Text("yes", style="green") if check.holds else Text("NO", style="bold red")
        table.add_row(Text(plain(check.name)), holds, Text(plain(check.tried)), Text(plain(check.answer, length=200)))
    return table
