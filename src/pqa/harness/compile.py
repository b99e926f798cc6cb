"""Compile: does every code file compile in the branch's interpreter? job: {"files": [...]}; one record a file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from typing import Any

MESSAGE = 300


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """Emit {"file", "error": text or null, "line"} for each file; nothing is executed or written."""
    warnings.simplefilter("ignore")
    for name in job["files"]:
        error, line = attempt(os.path.join(context.source, name), name)
        emit({"file": name, "error": error, "line": line})


def attempt(path: str, name: str) -> tuple[Any, int]:
    """(None, 0) when the file compiles, else (why not, the line)."""
    try:
        with open(path, "rb") as source:
            compile(source.read(), name, "exec", dont_inherit=True)
    except SyntaxError as error:
        return (type(error).__name__ + ": " + str(error.msg))[:MESSAGE], error.lineno or 0
    except (ValueError, OSError, RecursionError, MemoryError, OverflowError) as error:
        return (type(error).__name__ + ": " + str(error))[:MESSAGE], 0
    return None, 0
