"""Locate: from arguments to (branch id, directory) pairs in natural order, or an error that says what to do."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from pqa.core.errors import NothingToAttack, UsageError

DEFAULT_FOLDER = ".pqa/branches"
BRANCH_ID = re.compile(r"[A-Za-z0-9._-]{1,64}")
RESERVED_IDS = ("locked", "base")


def find_branches(arguments: Sequence[str], *, project: Path) -> list[tuple[str, Path]]:
    """Every branch that `arguments` name (directories and globs, relative to `project`); default `.pqa/branches/*`."""
    paths = _paths(arguments, project) if arguments else _default_paths(project)
    _refuse_empty(paths)
    found = [(_branch_id(path), path) for path in paths]
    _refuse_shared_ids(found)
    return sorted(found, key=lambda pair: (natural_key(pair[0]), pair[0]))


def natural_key(text: str) -> tuple[tuple[int, int, str], ...]:
    """Sorts "b2" before "b10"."""
    return tuple(
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in re.split(r"([0-9]+)", text) if part
    )


def _default_paths(project: Path) -> list[Path]:
    folder = project / DEFAULT_FOLDER
    next_step = f"put each candidate into '{DEFAULT_FOLDER}/NAME/', or name them: pqa collide PATH PATH"
    if not folder.is_dir():
        raise NothingToAttack(
            f"no branch was named and there is no folder '{DEFAULT_FOLDER}' in '{project}'", next_step
        )
    paths = [_directory(str(path), path) for path in sorted(folder.iterdir()) if _is_candidate(path)]
    if not paths:
        raise NothingToAttack(
            f"the folder '{DEFAULT_FOLDER}' holds no directory; expected one for each branch", next_step
        )
    return paths


def _is_candidate(path: Path) -> bool:
    return not path.name.startswith(".") and (path.is_symlink() or path.is_dir())


def _paths(arguments: Sequence[str], project: Path) -> list[Path]:
    unique: dict[str, Path] = {}
    for argument in arguments:
        for path in _expand(argument, project):
            unique.setdefault(os.path.realpath(path), path)
    return list(unique.values())


def _expand(argument: str, project: Path) -> Iterable[Path]:
    if not argument.strip() or "\0" in argument:
        raise UsageError(
            f"a branch is named {argument!r}; expected the path of a directory", "name a directory for each branch"
        )
    literal = _absolute(argument, project)
    if glob.has_magic(argument) and not os.path.lexists(literal):
        matches = [_absolute(match, project) for match in sorted(glob.glob(argument, root_dir=project))]  # noqa: PTH207
        directories = [_directory(str(path), path) for path in matches if _is_candidate(path)]
        if not directories:
            raise UsageError(
                f"the pattern '{argument}' matches no directory; expected at least one branch", f"look into '{project}'"
            )
        return directories
    return [_directory(argument, literal)]


def _absolute(argument: str, project: Path) -> Path:
    return Path(os.path.normpath(project.absolute() / argument))


def _directory(named: str, path: Path) -> Path:
    if path.is_symlink():
        target = os.path.realpath(path)
        raise UsageError(
            f"branch '{named}' is a symbolic link, which pqa does not follow; expected a directory", f"name '{target}'"
        )
    if not path.exists():
        raise UsageError(f"branch '{named}' does not exist; expected a directory", f"look into '{path.parent}'")
    if not path.is_dir():
        raise UsageError(
            f"branch '{named}' is not a directory; expected one that holds code, tests and notes.md", "name its folder"
        )
    return path


def _refuse_empty(paths: Sequence[Path]) -> None:
    empty = [path for path in paths if _is_empty(path)]
    if empty:
        kind = NothingToAttack if len(empty) == len(paths) else UsageError
        raise kind(f"branch '{empty[0]}' is empty; expected code, tests and notes.md", "fill it, or leave it out")


def _is_empty(path: Path) -> bool:
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is None
    except OSError as error:
        reason = error.strerror or "unknown reason"
        raise UsageError(
            f"branch '{path}' cannot be read: {reason}", "mend its permissions, or leave it out"
        ) from error


def _branch_id(path: Path) -> str:
    name = path.name
    if not BRANCH_ID.fullmatch(name) or not name.strip("."):
        expected = "expected 1 to 64 letters, digits, dots, underscores or hyphens"
        raise UsageError(
            f"the folder name '{name}' of branch '{path}' cannot be a branch id; {expected}", "rename the folder"
        )
    if name in RESERVED_IDS:
        raise UsageError(f"branch '{path}' is called '{name}', a name that pqa uses itself", "rename the folder")
    return name


def _refuse_shared_ids(found: Sequence[tuple[str, Path]]) -> None:
    seen: dict[str, Path] = {}
    for branch_id, path in found:
        if branch_id in seen:
            message = f"two branches are called '{branch_id}': '{seen[branch_id]}' and '{path}'"
            raise UsageError(message, "rename one of the two folders")
        seen[branch_id] = path
