"""Intake: find the branches (directories, git refs), copy each one read-only, read task and notes; nothing is followed."""

from pqa.intake.branches import take_base, take_branches, take_locked, take_trusted
from pqa.intake.candidates import Candidates, find_candidates, take_candidates
from pqa.intake.locate import find_branches
from pqa.intake.refs import Ref, find_refs, retake_ref, take_base_or_ref, take_refs
from pqa.intake.snapshot import Caps, Snapshot, discard, snapshot
from pqa.intake.task import read_task
from pqa.intake.worktrees import Worktree, find_worktrees

__all__ = [
    "Candidates",
    "Caps",
    "Ref",
    "Snapshot",
    "Worktree",
    "discard",
    "find_branches",
    "find_candidates",
    "find_refs",
    "find_worktrees",
    "read_task",
    "retake_ref",
    "snapshot",
    "take_base",
    "take_base_or_ref",
    "take_branches",
    "take_candidates",
    "take_locked",
    "take_refs",
    "take_trusted",
]
