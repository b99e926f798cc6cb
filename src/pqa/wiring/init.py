"""Init: look for candidates and write what is missing below `.pqa/`; nothing that exists is changed but by added lines."""

from __future__ import annotations

import os
import tempfile
from dataclasses import replace
from pathlib import Path

from pqa.core.errors import UsageError
from pqa.intake import read_task
from pqa.intake.attempts import HOME, Initiation, find_attempts

IGNORED = ("runs/", "ledger.db*")
PLACE = "<!-- Put here what was asked, in the words that the authors of the branches were given; examples are run. -->"
NO_BASE = "# base: REF, the commit that all candidates started from"


def init(project: Path, task: str | None, home: Path | None) -> Initiation:
    """Prepare `.pqa/` in `project`; `task` is what was asked."""
    folder = project / HOME
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise UsageError(f"'{folder}' is no folder of its own; expected a folder or nothing", "remove it")
    with tempfile.TemporaryDirectory(prefix="pqa-") as into:
        attempts = find_attempts(project, home=home, into=Path(into))
    try:
        folder.mkdir(exist_ok=True)
        task_state = _write_task(folder / "task.md", task, attempts.base)
        ignore_state = _write_ignored(folder / ".gitignore")
    except OSError as error:
        raise UsageError(f"'{folder}' cannot be written: {error.strerror}", "mend its permissions") from error
    written = read_task(None, project=project)
    if written.mode == "decide":
        attempts = replace(attempts, command="pqa judge")
    has_text = written.text.strip() not in ("", PLACE)
    return Initiation(project, task_state, ignore_state, has_text, attempts)


def _write_task(path: Path, task: str | None, base: str | None) -> str:
    base_line = f"base: {base}" if base else NO_BASE
    body = PLACE if task is None else task.strip()
    if not os.path.lexists(path):
        with path.open("x", encoding="utf-8") as file:
            file.write(f"---\nmode: build\n{base_line}\n---\n\n{body}\n")
        return "written"
    if task is not None and read_task(None, project=path.parent.parent).text.strip() != task.strip():
        raise UsageError(f"'{path}' exists already and says something else; it was not changed", "edit it")
    return "kept"


def _write_ignored(path: Path) -> str:
    if path.is_symlink():
        return "kept"
    existed = path.exists()
    text = path.read_text("utf-8") if existed else ""
    missing = [line for line in IGNORED if line not in text.splitlines()]
    if not missing:
        return "kept"
    with path.open("a", encoding="utf-8") as file:
        file.write(("\n" if text and not text.endswith("\n") else "") + "".join(f"{line}\n" for line in missing))
    return "extended" if existed else "written"
