"""Attempts: what in a project looks like candidates for one task: `.pqa/branches`, worktrees, git branches in parallel."""

from __future__ import annotations

import re
import shlex
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pqa.core.errors import UsageError
from pqa.core.trigger import Json
from pqa.intake.git import GitStore
from pqa.intake.locate import DEFAULT_FOLDER, natural_key
from pqa.intake.refs import find_refs
from pqa.intake.repository import find_repository, read_head, read_refs
from pqa.intake.worktrees import Worktree, find_worktrees

SCHEMA = "pqa.init/1"
HOME = ".pqa"
HEADS = "refs/heads/"
NUMBERED = re.compile(r"(?P<stem>.*?[A-Za-z])[-_/.]?(?P<which>\d{1,3}|(?<=[-_/.])[a-z])")
WORDS = re.compile(r"[a-z]+")
AGENTS = frozenset(["agent", "aider", "claude", "codex", "copilot", "cursor", "gemini", "worktree"])
TRIES = frozenset(["approach", "attempt", "candidate", "option", "parallel", "solution", "try", "variant"])
RELEASES = frozenset(["release", "releases", "stable", "v", "version"])
TRUNKS = frozenset(["main", "master", "trunk", "develop"])


@dataclass(frozen=True, slots=True)
class Attempts:
    """What was found; `base` is the commit that the offered ones come from, `command` judges them."""

    branches: tuple[str, ...] = ()
    worktrees: tuple[Worktree, ...] = ()
    refs: tuple[str, ...] = ()
    base: str | None = None
    command: str = ""


@dataclass(frozen=True, slots=True)
class Initiation:
    """What `pqa init` did and found; a state is "written", "extended" or "kept"."""

    project: Path
    task_state: str
    ignore_state: str
    has_task: bool
    attempts: Attempts

    def to_json(self) -> Json:
        """The document that `pqa init --json` writes."""
        found = self.attempts
        return {
            "schema": SCHEMA,
            "project": str(self.project),
            "task": {"path": f"{HOME}/task.md", "state": self.task_state, "has_text": self.has_task},
            "gitignore": {"path": f"{HOME}/.gitignore", "state": self.ignore_state},
            "branches": list(found.branches),
            "worktrees": [{"path": shown_path(one.path, self.project), "ref": one.ref} for one in found.worktrees],
            "refs": list(found.refs),
            "base": found.base,
            "next": found.command or None,
        }


def find_attempts(project: Path, *, home: Path | None, into: Path) -> Attempts:
    """The candidates of a project; folders in `.pqa/branches` are offered before worktrees, those before refs."""
    folder = project / DEFAULT_FOLDER
    names = [path.name for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
    branches = tuple(sorted((name for name in names if not name.startswith(".")), key=natural_key))
    worktrees = tuple(find_worktrees(project, home=home))
    repository = find_repository(project)
    refs: tuple[str, ...] = ()
    if repository is not None:
        taken = {worktree.ref for worktree in worktrees}
        head = (read_head(repository) or "").removeprefix("ref:").strip().removeprefix(HEADS)
        refs = parallel_refs(read_refs(repository), taken | {head})
    if branches:
        return Attempts(branches, worktrees, refs, None, "pqa collide")
    if worktrees:
        paths = " ".join(shlex.quote(shown_path(worktree.path, project)) for worktree in worktrees)
        base = _base([worktree.ref for worktree in worktrees], project, into, may_be_one=True)
        return Attempts((), worktrees, refs, base, f"pqa collide {paths}")
    words = " ".join(f"--refs {shlex.quote(name)}" for name in refs)
    return Attempts((), (), refs, _base(refs, project, into), f"pqa collide {words}".rstrip() if refs else "")


def parallel_refs(refs: Mapping[str, str], taken: set[str]) -> tuple[str, ...]:
    """The local git branches that are named for an agent or a try, or that differ only in a number or a letter."""
    names = [full.removeprefix(HEADS) for full in refs if full.startswith(HEADS)]
    names = [name for name in names if name not in taken and name not in TRUNKS]
    stems = Counter(match["stem"] for name in names if (match := NUMBERED.fullmatch(name)))
    found = [name for name in names if _is_attempt(name, stems)]
    return tuple(sorted(found, key=natural_key))


def shown_path(path: Path, project: Path) -> str:
    """The path from the project where it lies in it."""
    return str(path.relative_to(project)) if path.is_relative_to(project) else str(path)


def _is_attempt(name: str, stems: Counter[str]) -> bool:
    words = set(WORDS.findall(name.lower()))
    match = NUMBERED.fullmatch(name)
    numbered = match is not None and stems[match["stem"]] > 1 and RELEASES.isdisjoint(words)
    return numbered or not (AGENTS | TRIES).isdisjoint(words | {word.rstrip("s") for word in words})


def _base(names: Sequence[str], project: Path, into: Path, *, may_be_one: bool = False) -> str | None:
    """The last commit that all of these come from; one of the refs themselves is no base."""
    repository = find_repository(project)
    if repository is None or not names:
        return None
    try:
        refs = find_refs(names, project=project)
        with GitStore(repository, into, sha256=any(len(ref.sha) == 64 for ref in refs)) as store:
            commits = [commit for ref in refs if (commit := store.commit(ref.sha))]
            base = store.common_ancestor(commits) if len(commits) == len(refs) else None
    except UsageError:
        return None
    return base if may_be_one or base not in commits else None
