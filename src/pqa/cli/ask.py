"""pqa ask: put the open questions of a run to a person, a file of answers or trusted implementations, and score it anew."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from pqa.cli.answers_file import read_answers
from pqa.cli.conversation import converse
from pqa.cli.exit_status import exit_code
from pqa.cli.stored import find_run, load_run
from pqa.config import AskRequest, load_settings
from pqa.core.errors import UsageError
from pqa.core.verdict import Collision
from pqa.reports import json_file, terminal
from pqa.reports.text import make_console

EPILOG = """\b
Examples:
  pqa ask                          answer the questions of the latest run
  pqa ask RUN --answers FILE       take the answers from a JSON file
  pqa ask --answer-from trusted/   let a trusted implementation answer

\b
Exit status: as 'pqa collide', for the run with its answers.
"""
ANSWERS_HELP = 'A JSON list of {"question_id", "answer"}.'
TRUSTED_HELP = "A directory with an implementation to trust; may be given again. Where they differ, either is fine."


def ask(
    run: Annotated[str | None, typer.Argument(metavar="RUN", help="A run in .pqa/runs/. Default: the latest")] = None,
    answers: Annotated[str | None, typer.Option(metavar="FILE", help=ANSWERS_HELP)] = None,
    answer_from: Annotated[list[str] | None, typer.Option(metavar="PATH", help=TRUSTED_HELP)] = None,
    json: Annotated[
        str | None, typer.Option(metavar="FILE|-", help="Write the whole run as JSON; '-' is stdout.")
    ] = None,
    python: Annotated[str | None, typer.Option(metavar="PATH", help="The interpreter that runs the branches.")] = None,
    unsafe_no_sandbox: Annotated[
        bool, typer.Option("--unsafe-no-sandbox", help="Run foreign code unprotected.")
    ] = False,
) -> None:
    """Answer the questions of a run."""
    project = Path.cwd()
    if answers is not None and answer_from:
        raise UsageError("--answers and --answer-from are both given", "give one of them")
    if json is not None:
        json_file.check_target(json)
    settings = load_settings(project, os.environ, {"python": python})
    collision = load_run(find_run(project, run))
    request = AskRequest(project, collision, tuple(answer_from or ()), unsafe_no_sandbox, settings)
    collision = _carry_out(request, answers)
    if json is not None:
        json_file.write(collision, json)
    if json == json_file.STANDARD_OUTPUT:
        make_console(stderr=True).print(terminal.choice_line(collision))
    else:
        terminal.render(collision, make_console())
    raise typer.Exit(int(exit_code(collision, require_choice=settings.require_choice, gate=settings.gate)))


def _carry_out(request: AskRequest, answers: str | None) -> Collision:
    from pqa import wiring

    if request.answer_from:
        return wiring.answer_from_trusted(request)
    with wiring.Asking(request) as asking:
        if answers is not None:
            for said in read_answers(Path(answers), request.collision):
                said.tell(asking)
        elif sys.stdin.isatty():
            converse(asking, make_console(), input)
        else:
            _tell(len(asking.open_questions()), make_console(stderr=True))
        return asking.keep()


def _tell(count: int, console: Console) -> None:
    if count:
        console.print(f"{count} questions are open; answer them in a terminal, with --answers or with --answer-from")
