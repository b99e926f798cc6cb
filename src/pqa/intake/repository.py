"""Repository: where git keeps a project's objects and refs, found and read as data; git itself is never asked."""

from __future__ import annotations

import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from pqa.core.errors import UsageError

LINK_BYTES = 4 * 1024
PACKED_BYTES = 64 << 20
REF_BYTES = 1024
MANY_REFS = 50_000
DEPTH = 24
SYMBOLIC_STEPS = 5
SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
REF_PART = re.compile(r"(?!\.)(?!.*\.\.)(?!.*@\{)[^\x00-\x20\x7f~^:?*\[\\/]+(?<!\.)(?<!\.lock)")
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
OPEN_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Repository:
    """`top` is the folder that a person works in; `git_dir` holds its HEAD, `common_dir` the refs and objects.

    The two differ in a linked worktree.
    """

    top: Path
    git_dir: Path
    common_dir: Path

    @property
    def objects(self) -> Path:
        """The folder of its objects."""
        return self.common_dir / "objects"


def find_repository(project: Path) -> Repository | None:
    """The repository in which `project` lies; None when there is none above it."""
    project = project.absolute()
    for folder in (project, *project.parents):
        entry = folder / ".git"
        if os.path.lexists(entry):
            return _repository(folder, entry)
        if all((folder / name).is_dir() for name in ("objects", "refs")) and (folder / "HEAD").is_file():
            return Repository(folder, folder, folder)
    return None


def linked_git_dir(worktree: Path) -> Path | None:
    """The folder that the `.git` file of a linked worktree names; None where there is no such file."""
    raw = read_below(worktree, ".git", LINK_BYTES)
    if raw is None or not raw.startswith(b"gitdir:"):
        return None
    return _joined(worktree, raw.removeprefix(b"gitdir:"))


def read_refs(repository: Repository) -> dict[str, str]:
    """Every ref below `refs/` and what it says: a commit's sha, or "ref: OTHER"; unreadable ones are left out."""
    if (repository.common_dir / "reftable").is_dir():
        message = f"'{repository.top}' keeps its refs as a reftable, which pqa does not read"
        raise UsageError(message, "name a commit by its sha, or a directory")
    refs = _packed(repository)
    folder = repository.common_dir / "refs"
    if folder.is_symlink():
        return refs
    for root, folders, names, descriptor in os.fwalk(folder):
        below = Path(root).relative_to(repository.common_dir)
        if len(below.parts) > DEPTH:
            folders.clear()
        for name in names:
            full = str(below / name)
            raw = _read(descriptor, name, REF_BYTES) if is_ref_name(full) else None
            if raw is not None and (says := raw.decode("ascii", "replace").strip()):
                refs[full] = says
        if len(refs) > MANY_REFS:
            raise UsageError(f"'{repository.top}' holds more than {MANY_REFS:,} refs", "name a commit by its sha")
    return refs


def read_head(repository: Repository, name: str = "HEAD") -> str | None:
    """What HEAD, or another such file beside it, says."""
    raw = read_below(repository.git_dir, name, REF_BYTES)
    return None if raw is None else raw.decode("ascii", "replace").split("\n", 1)[0].strip()


def follow(refs: dict[str, str], says: str | None) -> str | None:
    """The sha that `says` leads to, over a few symbolic refs at most."""
    for _ in range(SYMBOLIC_STEPS):
        if says is None or not says.startswith("ref:"):
            break
        says = refs.get(says.removeprefix("ref:").strip())
    return says if says is not None and SHA.fullmatch(says) else None


def is_ref_name(name: str) -> bool:
    """Whether git could have made a ref of that name."""
    return name != "@" and all(REF_PART.fullmatch(part) for part in name.split("/"))


def read_below(folder: Path, relative: str, limit: int) -> bytes | None:
    """A regular file below `folder`; None when there is none, it is longer, or a symbolic link leads to it."""
    *parts, name = relative.split("/")
    descriptors: list[int] = []
    try:
        descriptors.append(os.open(folder, OPEN_FOLDER))
        for part in parts:
            descriptors.append(os.open(part, OPEN_FOLDER, dir_fd=descriptors[-1]))
        return _read(descriptors[-1], name, limit)
    except OSError:
        return None
    finally:
        for descriptor in descriptors:
            os.close(descriptor)


def _repository(top: Path, entry: Path) -> Repository:
    if entry.is_symlink():
        message = f"'{entry}' is a symbolic link, which pqa does not follow"
        raise UsageError(message, f"start pqa in '{Path(os.path.realpath(entry)).parent}'")
    git_dir = entry if entry.is_dir() else linked_git_dir(top)
    if git_dir is None or read_below(git_dir, "HEAD", REF_BYTES) is None:
        raise UsageError(f"'{entry}' leads to no git repository", "name directories instead of refs")
    common = read_below(git_dir, "commondir", LINK_BYTES)
    common_dir = git_dir if common is None else _joined(git_dir, common)
    if common_dir is None or not (common_dir / "objects").is_dir():
        raise UsageError(f"'{entry}' leads to a git repository without objects", "name directories instead of refs")
    return Repository(top, git_dir, common_dir)


def _joined(folder: Path, raw: bytes) -> Path | None:
    named = os.fsdecode(raw).strip(" \r\n")
    return Path(os.path.normpath(folder / named)) if named and "\0" not in named else None


def _packed(repository: Repository) -> dict[str, str]:
    raw = read_below(repository.common_dir, "packed-refs", PACKED_BYTES)
    pairs = (line.partition(" ") for line in (raw or b"").decode("utf-8", "replace").split("\n"))
    return {name: sha for sha, space, name in pairs if space and SHA.fullmatch(sha) and is_ref_name(name)}


def _read(parent: int, name: str, limit: int) -> bytes | None:
    try:
        descriptor = os.open(name, OPEN_FILE, dir_fd=parent)
    except OSError:
        return None
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(os.dup(descriptor), "rb") as file:
            raw = file.read(limit + 1)
        return raw if len(raw) <= limit else None
    except OSError:
        return None
    finally:
        os.close(descriptor)
