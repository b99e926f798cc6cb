"""Ideas: the digests of decide mode, one Markdown file each, and the weighing that a person gives; text, never code."""

from __future__ import annotations

import itertools
import json
import os
import re
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

from pqa.core.errors import UsageError
from pqa.core.judgment import Idea
from pqa.core.trigger import Json
from pqa.intake.locate import natural_key

FOLDER = ".pqa/ideas"
DIGEST_BYTES = 8 * 1024
WEIGHING_BYTES = 1 << 20
MANY = 100
STANDARD_INPUT = "-"
IDEA_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")


def read_ideas(arguments: Sequence[str], *, project: Path) -> tuple[Idea, ...]:
    """The ideas in these files, or in `.pqa/ideas/*.md`, in natural order of their ids."""
    names = list(arguments) or _default(project)
    if len(names) > MANY:
        raise UsageError(f"there are {len(names)} ideas; expected at most {MANY}", "leave the weakest out")
    ideas = sorted((_idea(name, project) for name in names), key=lambda idea: natural_key(idea.idea_id))
    for one, other in itertools.pairwise(ideas):
        if one.idea_id == other.idea_id:
            message = f"two ideas are called '{one.idea_id}': '{one.path}' and '{other.path}'"
            raise UsageError(message, "rename one of the two files")
    return tuple(ideas)


def read_weighing_file(argument: str, *, project: Path) -> Json:
    """The JSON document in that file, or on standard input for "-"."""
    if argument == STANDARD_INPUT:
        raw = sys.stdin.buffer.read(WEIGHING_BYTES + 1)
    else:
        raw = _bytes("the weighing", argument, project / argument, WEIGHING_BYTES)
    if len(raw) > WEIGHING_BYTES:
        raise UsageError(
            f"the weighing '{argument}' is longer than 1 MiB; expected a short JSON document", "shorten it"
        )
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        message = f"the weighing '{argument}' is not valid JSON: {error}"
        raise UsageError(message, "mend it; 'pqa judge --help' shows its form") from error


def _default(project: Path) -> list[str]:
    folder = project / FOLDER
    names = sorted(path.name for path in folder.glob("*.md")) if folder.is_dir() else []
    if not names:
        message = f"there is no idea in '{folder}'; expected a Markdown file for each"
        raise UsageError(message, f"write '{FOLDER}/NAME.md', or name the files: pqa judge --ideas FILE")
    return [f"{FOLDER}/{name}" for name in names]


def _idea(named: str, project: Path) -> Idea:
    idea_id = Path(named).stem
    if not IDEA_ID.fullmatch(idea_id) or not idea_id.strip("."):
        expected = "expected 1 to 64 letters, digits, dots, underscores or hyphens"
        raise UsageError(f"the file name of '{named}' cannot be the id of an idea; {expected}", "rename the file")
    raw = _bytes("the idea", named, project / named, DIGEST_BYTES)
    if len(raw) > DIGEST_BYTES:
        raise UsageError(f"the idea '{named}' is longer than 8 KiB; expected a digest", "shorten it")
    try:
        text = raw.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError as error:
        raise UsageError(f"the idea '{named}' is binary; expected UTF-8 text", "name a text file") from error
    if not text:
        raise UsageError(f"the idea '{named}' is empty; expected a digest", "fill it, or leave it out")
    first, _, rest = text.partition("\n")
    is_heading = first.startswith("#")
    title = first.strip("# \t") or idea_id
    return Idea(idea_id, title[:200], rest.strip() if is_heading else text, named)


def _bytes(noun: str, named: str, path: Path, limit: int) -> bytes:
    """At most one byte more than `limit` of a regular file."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "no possible path"
        raise UsageError(f"{noun} '{named}' cannot be read: {reason}; expected a file", "name a file") from error
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise UsageError(f"{noun} '{named}' is not a regular file; expected a file", "name a file")
        with os.fdopen(os.dup(descriptor), "rb") as file:
            return file.read(limit + 1)
    finally:
        os.close(descriptor)
