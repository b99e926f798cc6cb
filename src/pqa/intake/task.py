"""Task: what was asked, from `.pqa/task.md` or `--task FILE`, with `mode` and `base` in its front matter."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from pathlib import Path

from pqa.core.errors import UsageError
from pqa.core.task import Task

DEFAULT_FILE = ".pqa/task.md"
TASK_BYTES = 256 * 1024
MODES = ("build", "decide")
NEXT_STEP = "name a text file: pqa collide --task FILE"


def read_task(argument: str | None, *, project: Path) -> Task:
    """The task in `argument`, or in `.pqa/task.md`; an empty one when nothing was named and that file is missing."""
    named = DEFAULT_FILE if argument is None else argument
    path = project / named
    if argument is None and not os.path.lexists(path):
        return Task()
    text = _text(named, path)
    fields, body = _front_matter(text)
    mode = fields.get("mode", "build").lower()
    if mode not in MODES:
        raise UsageError(
            f"the task '{named}' has mode '{mode}'; expected 'build' or 'decide'", f"mend its front matter: '{path}'"
        )
    return Task(body.strip("\n"), mode, fields.get("base") or None, str(path))


def _text(named: str, path: Path) -> str:
    raw = _bounded(named, path)
    if len(raw) > TASK_BYTES:
        raise UsageError(
            f"the task '{named}' is longer than {TASK_BYTES // 1024} KiB; expected a short text", NEXT_STEP
        )
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        raise UsageError(f"the task '{named}' is binary; expected UTF-8 text", NEXT_STEP)
    return text.replace("\r\n", "\n")


def _bounded(named: str, path: Path) -> bytes:
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible path"
        raise UsageError(f"the task '{named}' cannot be read: {reason}; expected a text file", NEXT_STEP) from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError(f"the task '{named}' is not a regular file; expected a text file", NEXT_STEP)
        return os.read(descriptor, TASK_BYTES + 1)
    finally:
        os.close(descriptor)


def _front_matter(text: str) -> tuple[Mapping[str, str], str]:
    lines = text.split("\n")
    if lines[0].strip() != "---" or "---" not in (line.strip() for line in lines[1:]):
        return {}, text
    end = next(number for number, line in enumerate(lines) if number and line.strip() == "---")
    pairs = (line.partition(":") for line in lines[1:end])
    fields = {key.strip().lower(): value.strip().strip("\"'") for key, colon, value in pairs if colon}
    return fields, "\n".join(lines[end + 1 :])
