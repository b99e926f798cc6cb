"""Branches: from a path to a `Branch` with its snapshot, layout and notes; also the locked suite and the base."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from pqa.core.branch import Branch
from pqa.core.errors import NothingToAttack, UsageError
from pqa.intake.layout import read_layout
from pqa.intake.notes import read_notes
from pqa.intake.snapshot import Caps, Snapshot, snapshot

LOCKED = "locked"
BASE = "base"


def take_branches(found: Sequence[tuple[str, Path]], *, into: Path, caps: Caps | None = None) -> tuple[Branch, ...]:
    """A snapshot and a `Branch` of each; every one must hold code."""
    branches = tuple(_take(branch_id, path, into, caps) for branch_id, path in found)
    check_code(branches)
    return branches


def check_code(branches: Sequence[Branch]) -> None:
    """Refuse a set in which a branch holds no code."""
    bare = [branch for branch in branches if not branch.code]
    if bare:
        kind = NothingToAttack if len(bare) == len(branches) else UsageError
        message = f"branch '{bare[0].branch_id}' in '{bare[0].path}' holds no Python code outside its tests"
        raise kind(message, "add its code, or leave the branch out")


def take_locked(argument: str, *, project: Path, into: Path, caps: Caps | None = None) -> Branch:
    """The locked suite that `--tests` names, a file or a folder; every Python file in it belongs to the suite."""
    taken = _take(LOCKED, _existing("--tests", argument, project), into, caps)
    tests = tuple(sorted([*taken.tests, *taken.code]))
    if not tests:
        raise UsageError(
            f"--tests '{argument}' holds no Python file; expected a test file or a folder of tests", "name the suite"
        )
    return _with_tests(taken, tests)


def take_base(argument: str, *, project: Path, into: Path, caps: Caps | None = None) -> Branch:
    """The code, or only the suite, before the branches, which `--base` names."""
    return check_base(_take(BASE, _existing("--base", argument, project), into, caps), argument)


def check_base(taken: Branch, argument: str) -> Branch:
    """The base, unless it holds nothing that pqa can read."""
    if not taken.code and not taken.tests:
        raise UsageError(
            f"--base '{argument}' holds no Python file; expected the code before the branches", "name its folder"
        )
    return taken


def take_trusted(
    flag: str, argument: str, branch_id: str, *, project: Path, into: Path, caps: Caps | None = None
) -> Branch:
    """A trusted implementation that a flag names: its code is run in the sandbox like any other, and never judged."""
    taken = _take(branch_id, _existing(flag, argument, project), into, caps)
    if not taken.code:
        message = f"{flag} '{argument}' holds no Python code outside tests; expected a trusted implementation"
        raise UsageError(message, "name the folder that holds it")
    return taken


def _existing(flag: str, argument: str, project: Path) -> Path:
    path = Path(os.path.normpath(project.absolute() / argument)) if argument.strip() and "\0" not in argument else None
    if path is None or not path.exists():
        raise UsageError(f"{flag} '{argument}' does not exist; expected a file or a folder", f"look into '{project}'")
    if path.is_symlink():
        target = os.path.realpath(path)
        raise UsageError(f"{flag} '{argument}' is a symbolic link, which pqa does not follow", f"name '{target}'")
    return path


def _take(branch_id: str, path: Path, into: Path, caps: Caps | None) -> Branch:
    source = "worktree" if _is_worktree(path) else "dir"
    return branch_of(branch_id, str(path), snapshot(path, into, caps), source)


def _is_worktree(path: Path) -> bool:
    """Whether it is a linked git worktree: its `.git` is a file, which nobody reads here."""
    entry = path / ".git"
    return entry.is_file() and not entry.is_symlink()


def branch_of(branch_id: str, path: str, copy: Snapshot, source: str) -> Branch:
    """The branch whose snapshot is `copy`."""
    layout = read_layout(copy.path, copy.files)
    notes = read_notes(copy.path, copy.files)
    return Branch(
        branch_id=branch_id,
        path=path,
        digest=copy.digest,
        snapshot=str(copy.path),
        code=layout.code,
        tests=layout.tests,
        import_roots=layout.import_roots,
        notes=notes.text,
        conviction=notes.conviction,
        topology_axis=notes.topology_axis,
        source=source,
        skipped=(*copy.skipped, *layout.remarks),
    )


def _with_tests(branch: Branch, tests: tuple[str, ...]) -> Branch:
    return Branch(
        branch.branch_id,
        branch.path,
        branch.digest,
        branch.snapshot,
        (),
        tests,
        branch.import_roots,
        skipped=branch.skipped,
    )
