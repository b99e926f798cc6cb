"""Stored: a run that was kept under `.pqa/runs/`, found by its name; the latest by default."""

from __future__ import annotations

import re
from pathlib import Path

from pqa.core import codec
from pqa.core.errors import UsageError
from pqa.core.verdict import Collision

RUNS = ".pqa/runs"
RUN_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,127}")
NEXT_STEP = "run 'pqa collide' first"


def find_run(project: Path, run_id: str | None) -> Path:
    """The run.json of `run_id`, or of the latest run; `run_id` may also be the path of a file that --json wrote."""
    if run_id is not None and run_id.endswith(".json"):
        return _existing(project / run_id, run_id)
    if run_id is not None:
        if not RUN_ID.fullmatch(run_id):
            raise UsageError(f"'{run_id}' cannot be the name of a run", f"look into '{RUNS}'")
        return _existing(project / RUNS / run_id / "run.json", run_id)
    runs = [path for path in (project / RUNS).glob("*/run.json") if path.is_file()]
    if not runs:
        raise UsageError(f"there is no run in '{project / RUNS}'", NEXT_STEP)
    return max(runs, key=lambda path: (path.stat().st_mtime_ns, path.parent.name))


def load_run(path: Path) -> Collision:
    """The run in that file."""
    try:
        return codec.load(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the run '{path}' cannot be read: {error}", NEXT_STEP) from error


def _existing(path: Path, named: str) -> Path:
    if path.is_file():
        return path
    known = sorted(found.parent.name for found in path.parent.parent.glob("*/run.json"))[-5:]
    names = ", ".join(f"'{name}'" for name in known)
    raise UsageError(f"there is no run '{named}'", f"the last runs are {names}" if names else NEXT_STEP)
