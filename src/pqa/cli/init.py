"""pqa init: find what looks like candidates, write `.pqa/task.md`, and say the next command; it asks nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from pqa.core import codec
from pqa.intake.attempts import Initiation, shown_path
from pqa.reports import json_file
from pqa.reports.text import make_console, plain

EPILOG = """\b
Examples:
  pqa init
  pqa init --task "Write a rate limiter: at most N calls in any W seconds."
  pqa init --json -

\b
Exit status:
  0  .pqa/ is ready; nothing that existed was changed
  2  .pqa/ cannot be written, or task.md says something else already
"""

Task = Annotated[str | None, typer.Option(metavar="TEXT", help="What was asked, for a new .pqa/task.md.")]
Json = Annotated[str | None, typer.Option(metavar="FILE|-", help="Write what was found as JSON; '-' is stdout.")]


def init(task: Task = None, json: Json = None) -> None:
    """Prepare .pqa/ and look for candidate branches."""
    from pqa import wiring

    if json is not None:
        json_file.check_target(json)
    done = wiring.init(Path.cwd(), task, _home())
    if json is not None:
        json_file.write_text(codec.dump(done.to_json()), json)
    if json != json_file.STANDARD_OUTPUT:
        show(done, make_console())


def show(done: Initiation, console: Console) -> None:
    """Print what was written and found; the next command comes last, alone on its line."""
    for state, name in ((done.task_state, "task.md"), (done.ignore_state, ".gitignore")):
        console.print(Text(f"{state:<9} .pqa/{name}"))
    console.print()
    found = done.attempts
    rows = [("branch", plain(f".pqa/branches/{name}"), "") for name in found.branches]
    rows += [("worktree", plain(shown_path(one.path, done.project)), plain(one.ref)) for one in found.worktrees]
    rows += [("ref", plain(name), "") for name in found.refs]
    width = max((len(what) for _, what, _ in rows), default=0)
    console.print(Text("Candidates" if rows else "No candidates found", style="bold"))
    for kind, what, more in rows:
        console.print(Text(f"  {kind:<9} {what:<{width}}  {more}".rstrip()), soft_wrap=True)
    console.print()
    todo = [] if done.has_task else ["write what was asked into .pqa/task.md"]
    todo += [] if found.command else ["put each candidate into .pqa/branches/NAME/"]
    console.print(Text(f"next: {', '.join([*todo, 'then'])}" if todo else "next:"))
    console.print(Text(f"  {plain(found.command or 'pqa collide')}"), soft_wrap=True)


def _home() -> Path | None:
    try:
        return Path.home()
    except RuntimeError:
        return None
