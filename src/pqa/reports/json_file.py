"""JSON file: the whole run as one document, written whole or not at all, or to standard output."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from pqa.core import codec
from pqa.core.errors import UsageError
from pqa.core.verdict import Collision

STANDARD_OUTPUT = "-"


def check_target(target: str) -> None:
    """Refuse before the run what could not be written after it."""
    path = Path(target)
    if target != STANDARD_OUTPUT and (path.is_dir() or not path.parent.is_dir()):
        raise UsageError(
            f"--json '{target}' cannot be written; expected a file in an existing folder, or '-'", "name a file"
        )


def write(collision: Collision, target: str) -> None:
    """Write the run to the file `target`, or to standard output for "-"."""
    write_text(codec.dump(codec.to_json(collision)), target)


def write_text(text: str, target: str) -> None:
    """Write a document to the file `target`, or to standard output for "-"."""
    if target == STANDARD_OUTPUT:
        sys.stdout.write(text)
        sys.stdout.flush()
        return
    try:
        _replace(Path(target), text)
    except OSError as error:
        raise UsageError(f"'{target}' cannot be written: {error.strerror}", "name another file") from error


def _replace(path: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
        temporary.chmod(0o644)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
