"""Worktrees: the other working folders of a repository, read from its records and from where agent tools put theirs."""

from __future__ import annotations

import glob
import itertools
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from pqa.core.errors import UsageError
from pqa.intake.refs import short_name
from pqa.intake.repository import LINK_BYTES, Repository, find_repository, linked_git_dir, read_below, read_head

MANY = 500
INSIDE = (".claude/worktrees/*", ".worktrees/*", "worktrees/*", ".conductor/*", ".codex/worktrees/*")
BESIDE = "{repository}-worktrees/*"
AT_HOME = (
    ".cursor/worktrees/{repository}/*",
    ".codex/worktrees/*/{repository}",
    ".claude/worktrees/{repository}/*",
    "conductor/workspaces/{repository}/*",
)


@dataclass(frozen=True, slots=True)
class Worktree:
    """A working folder, and the git branch or the commit in it."""

    path: Path
    ref: str


def find_worktrees(project: Path, *, home: Path | None = None) -> list[Worktree]:
    """Every other working folder of the repository in which `project` lies, in the order of their paths.

    The repository's records are read as data; of a worktree nothing is read but its `.git` file. A worktree that was
    moved is not where the records say, so the usual places are searched too; clones count inside the project's folder.
    """
    repository = find_repository(project)
    if repository is None:
        return []
    found: dict[str, Worktree] = {}
    for path in itertools.islice(_places(repository, home), MANY):
        head = _head(path, repository)
        if head is not None:
            found.setdefault(os.path.realpath(path), Worktree(path, head))
    found.pop(os.path.realpath(repository.top), None)
    return sorted(found.values(), key=lambda worktree: str(worktree.path))


def _places(repository: Repository, home: Path | None) -> Iterator[Path]:
    for record in _matches(repository.common_dir, "worktrees/*"):
        named = os.fsdecode(read_below(record, "gitdir", LINK_BYTES) or b"").strip("\r\n")
        if named and "\0" not in named:
            yield Path(os.path.normpath(record / named)).parent
    top = repository.common_dir.parent if repository.common_dir.name == ".git" else repository.top
    for pattern in INSIDE:
        yield from _matches(top, pattern)
    yield from _matches(top.parent, BESIDE.format(repository=glob.escape(top.name)))
    for pattern in AT_HOME if home is not None else ():
        yield from _matches(home or top, pattern.format(repository=glob.escape(top.name)))


def _matches(folder: Path, pattern: str) -> Iterator[Path]:
    return itertools.islice((folder / path for path in sorted(glob.glob(pattern, root_dir=folder))), MANY)  # noqa: PTH207


def _head(path: Path, repository: Repository) -> str | None:
    """What is checked out in the worktree or clone at `path`; None if it is neither."""
    if path.is_symlink() or not path.is_dir():
        return None
    git_dir = linked_git_dir(path)
    if git_dir is None:
        return _head_of_clone(path) if path.is_relative_to(repository.common_dir.parent) else None
    if os.path.realpath(git_dir.parent) != os.path.realpath(repository.common_dir / "worktrees"):
        return None
    return _shown(read_head(Repository(path, git_dir, repository.common_dir)))


def _head_of_clone(path: Path) -> str | None:
    if not os.path.lexists(path / ".git"):
        return None
    try:
        clone = find_repository(path)
    except UsageError:
        return None
    return None if clone is None else _shown(read_head(clone))


def _shown(head: str | None) -> str | None:
    return None if head is None else short_name(head.removeprefix("ref:").strip())
