"""Judged: a stored run with its scores and its choice computed anew from what it holds; one that was not attacked is refused."""

from __future__ import annotations

from pathlib import Path

from pqa.cli.stored import find_run, load_run
from pqa.collision import rescore
from pqa.core.errors import UsageError
from pqa.core.verdict import Collision


def judged(project: Path, run: str | None) -> Collision:
    """The run, scored and chosen from its findings; nothing is run."""
    collision = load_run(find_run(project, run))
    names = {branch.branch_id for branch in collision.branches}
    if names - set(collision.verdicts):
        message = f"the run '{collision.run_id}' was stopped before its attacks, so that nothing can be judged"
        raise UsageError(message, "run 'pqa attack' or 'pqa collide'")
    return rescore(collision)
