"""Command line: `pqa COMMAND`, one file a command; every failure is one message, a next step and an exit code."""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from types import FrameType
from typing import Annotated

import typer

from pqa.cli import (
    ask,
    attack,
    brief,
    choose,
    collide,
    compare,
    contract,
    defend,
    doctor,
    early_kill,
    init,
    judge,
    replay,
    report,
    score,
    show,
    submit,
    verify,
)
from pqa.core.errors import ExitCode, PqaError
from pqa.reports.text import plain

__all__ = ["app", "main", "run"]

EPILOG = """\b
Examples:
  pqa init                       find candidates, write .pqa/task.md
  pqa collide                    judge every branch in .pqa/branches/
  pqa collide work/a work/b      judge two directories
  pqa doctor                     is there a sandbox on this machine?
"""

app = typer.Typer(
    name="pqa",
    help="Which of N green candidate implementations may be merged, and what proves it.",
    epilog=EPILOG,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

app.command("init", epilog=init.EPILOG)(init.init)
app.command("collide", epilog=collide.EPILOG)(collide.collide)
app.command("early-kill", epilog=early_kill.EPILOG)(early_kill.early_kill)
app.command("verify", epilog=verify.EPILOG)(verify.verify)
app.command("attack", epilog=attack.EPILOG)(attack.attack)
app.command("ask", epilog=ask.EPILOG)(ask.ask)
app.command("defend", epilog=defend.EPILOG)(defend.defend)
app.add_typer(contract.app)
app.command("brief", epilog=brief.EPILOG)(brief.brief)
app.command("submit", epilog=submit.EPILOG)(submit.submit)
app.command("score", epilog=score.EPILOG)(score.score)
app.command("compare", epilog=compare.EPILOG)(compare.compare)
app.command("choose", epilog=choose.EPILOG)(choose.choose)
app.command("report", epilog=report.EPILOG)(report.report)
app.command("show", epilog=show.EPILOG)(show.show)
app.command("replay", epilog=replay.EPILOG)(replay.replay)
app.command("judge", epilog=judge.EPILOG)(judge.judge)
app.command("doctor", epilog=doctor.EPILOG)(doctor.doctor)


NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EROFS)


def _print_version(wanted: bool) -> None:
    if wanted:
        try:
            print(f"pqa {version('pqa')}")
        except PackageNotFoundError:
            print("pqa (not installed)")
        raise typer.Exit


@app.callback()
def _options(
    show_version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Which of N green candidate implementations may be merged, and what proves it."""


def main() -> None:
    """The `pqa` program."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Carry out one command line and return the exit code; nothing but KeyboardInterrupt's own code escapes."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    previous = signal.signal(signal.SIGTERM, _interrupt)
    try:
        return _carried_out(arguments)
    except PqaError as error:
        return _told(error)
    except KeyboardInterrupt:
        return _interrupted()
    except OSError as error:
        return _no_room(error) if error.errno in NO_ROOM else _fault(error)
    except Exception as error:  # noqa: BLE001  (the last line of defence: a fault of pqa is never a verdict)
        return _fault(error)
    finally:
        signal.signal(signal.SIGTERM, previous)


def _carried_out(arguments: Sequence[str]) -> int:
    try:
        app(list(arguments), prog_name="pqa")
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
        return _interrupted() if code == ExitCode.INTERRUPTED else code
    return int(ExitCode.SURVIVOR)


def _interrupt(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _told(error: PqaError) -> int:
    _say(f"pqa: {plain(error.message)}")
    if error.next_step:
        _say(f"next: {plain(error.next_step)}")
    return int(error.exit_code)


def _interrupted() -> int:
    _say("pqa: interrupted; nothing was judged")
    return int(ExitCode.INTERRUPTED)


def _no_room(error: OSError) -> int:
    where = f" '{plain(error.filename)}'" if error.filename else ""
    _say(f"pqa: cannot write{where}: {plain(error.strerror)}; nothing was judged")
    _say("next: make room or mend the permissions in the project's .pqa folder and in the folder for temporary files")
    return int(ExitCode.USAGE)


def _fault(error: Exception) -> int:
    _say(f"pqa: {type(error).__name__}: {plain(error, length=300)}; this is a fault of pqa, nothing was judged")
    if os.environ.get("PQA_DEBUG") == "1":
        _say("".join(traceback.format_exception(error)).rstrip())
    else:
        _say("next: run it again with PQA_DEBUG=1 and report what it prints")
    return int(ExitCode.NO_SANDBOX)


def _say(line: str) -> None:
    print(line, file=sys.stderr)
