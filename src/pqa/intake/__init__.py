"""Intake: find the branches, copy each one read-only, read task, notes and layout; nothing of a branch is followed."""

from pqa.intake.branches import take_base, take_branches, take_locked
from pqa.intake.locate import find_branches
from pqa.intake.snapshot import Caps, Snapshot, discard, snapshot
from pqa.intake.task import read_task

__all__ = [
    "Caps",
    "Snapshot",
    "discard",
    "find_branches",
    "read_task",
    "snapshot",
    "take_base",
    "take_branches",
    "take_locked",
]
