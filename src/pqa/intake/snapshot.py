"""Snapshot: a read-only copy of one tree, walked by file descriptor; no symlink, pipe or device is ever followed."""

from __future__ import annotations

import fnmatch
import hashlib
import itertools
import os
import shutil
import stat
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pqa.core.errors import UsageError

MIB = 1 << 20
CHUNK = 1 * MIB
LISTED_SKIPS = 200
CACHES = frozenset(["__pycache__", ".tox", ".mypy_cache", ".ruff_cache", ".pytest_cache"])
SKIPPED_NAMES = CACHES | {".git", ".hg", ".venv", "venv", "node_modules"}
OPEN_FILE = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY
OPEN_FOLDER = os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY | os.O_CLOEXEC
KINDS = (
    (stat.S_ISLNK, "a symbolic link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


@dataclass(frozen=True, slots=True)
class Caps:
    """What one tree may hold; `exclude` are shell patterns on relative paths or names, which are left out."""

    file_bytes: int = 8 * MIB
    total_bytes: int = 256 * MIB
    entries: int = 20_000
    depth: int = 40
    path_bytes: int = 1024
    exclude: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The copy: where it is, the digest of its files, their relative POSIX paths, and what was left out and why."""

    path: Path
    digest: str
    files: tuple[str, ...]
    skipped: tuple[str, ...]


def snapshot(path: Path, into: Path, caps: Caps | None = None) -> Snapshot:
    """Copy the tree or file at `path` to `into/DIGEST`; raises UsageError when it is too large or cannot be read."""
    copy = _Copy(path, caps or Caps())
    try:
        into.mkdir(parents=True, exist_ok=True)
        incoming = Path(tempfile.mkdtemp(prefix=".incoming-", dir=into))
    except OSError as error:
        raise UsageError(f"the folder '{into}' cannot be written: {error.strerror}", "mend its permissions") from error
    try:
        copy.run(incoming)
        final = _settle(incoming, into / copy.digest())
    except OSError as error:
        message = f"'{path}' cannot be copied to '{into}': {error.strerror or error}"
        raise UsageError(message, "check space and permissions there") from error
    finally:
        discard(incoming)
    return Snapshot(final, f"sha256:{copy.digest()}", tuple(sorted(copy.hashes)), copy.skipped())


def discard(path: Path) -> None:
    """Remove a snapshot, or a folder of them, although they are read-only; a missing one is fine."""
    if not path.is_symlink() and path.is_dir():
        for folder, _, _ in os.walk(path):
            os.chmod(folder, 0o700)  # noqa: PTH101  (one call for each of up to 20,000 folders)
        shutil.rmtree(path)


def _settle(incoming: Path, final: Path) -> Path:
    if not final.exists():
        incoming.rename(final)
        for folder, _, _ in os.walk(final, topdown=False):
            os.chmod(folder, 0o555)  # noqa: PTH101
    return final


@dataclass(slots=True)
class _Copy:
    """One walk: counts what it takes, remembers what it leaves."""

    source: Path
    caps: Caps
    hashes: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    entries: int = 0
    size: int = 0

    def run(self, target: Path) -> None:
        try:
            descriptor = os.open(self.source, OPEN_FILE)
        except OSError as error:
            raise UsageError(
                f"'{self.source}' cannot be read: {error.strerror}", "name a directory or a file"
            ) from error
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISDIR(mode):
                self._folder(descriptor, target, "", 1)
            elif stat.S_ISREG(mode):
                self._content(descriptor, target / self.source.name, self.source.name)
            else:
                raise UsageError(
                    f"'{self.source}' is neither a directory nor a regular file", "name a directory or a file"
                )
        finally:
            os.close(descriptor)

    def digest(self) -> str:
        lines = sorted(f"{path}\0{content}\n".encode() for path, content in self.hashes.items())
        return hashlib.sha256(b"".join(lines)).hexdigest()

    def skipped(self) -> tuple[str, ...]:
        rest = len(self.left) - LISTED_SKIPS
        shown = sorted(self.left)[:LISTED_SKIPS]
        return (*shown, f"and {rest} more") if rest > 0 else tuple(shown)

    def _folder(self, descriptor: int, target: Path, relative: str, depth: int) -> None:
        if depth > self.caps.depth:
            self._too_much(f"nests folders deeper than {self.caps.depth} levels, at '{relative}'", relative)
        for entry in self._listed(descriptor, relative):
            path = f"{relative}/{entry.name}" if relative else entry.name
            if self._left_out(entry.name, path):
                continue
            if len(path.encode()) > self.caps.path_bytes:
                self._too_much(f"holds a path longer than {self.caps.path_bytes} bytes: '{path}'", path)
            mode = entry.stat(follow_symlinks=False).st_mode
            reason = next((word for test, word in KINDS if test(mode)), None)
            if reason is not None:
                self.left.append(f"{path}: {reason}, not followed")
            else:
                self._enter(entry.name, descriptor, target, path, depth)

    def _listed(self, descriptor: int, relative: str) -> Iterable[os.DirEntry[str]]:
        room = self.caps.entries - self.entries
        with os.scandir(descriptor) as listing:
            names = sorted(itertools.islice(listing, room + 1), key=lambda entry: entry.name)
        self.entries += len(names)
        if len(names) > room:
            self._too_much(f"holds more than {self.caps.entries:,} files and folders, at '{relative or '.'}'", relative)
        return names

    def _left_out(self, name: str, path: str) -> bool:
        if name in SKIPPED_NAMES or name.endswith(".pyc"):
            return True
        if any(0xD800 <= ord(character) <= 0xDFFF for character in name):
            self.left.append(f"{path.encode('utf-8', 'backslashreplace').decode()}: its name is not UTF-8")
            return True
        if name == ".pqa":
            self.left.append(f"{path}: never read from a branch")
            return True
        if any(fnmatch.fnmatchcase(text, pattern) for pattern in self.caps.exclude for text in (path, name)):
            self.left.append(f"{path}: excluded by the configuration")
            return True
        return False

    def _enter(self, name: str, parent: int, target: Path, path: str, depth: int) -> None:
        try:
            descriptor = os.open(name, OPEN_FILE, dir_fd=parent)
        except OSError as error:
            self.left.append(f"{path}: cannot be read ({error.strerror})")
            return
        try:
            mode = os.fstat(descriptor).st_mode
            if stat.S_ISDIR(mode):
                (target / name).mkdir()
                self._folder(descriptor, target / name, path, depth + 1)
            elif stat.S_ISREG(mode):
                self._content(descriptor, target / name, path)
            else:
                self.left.append(f"{path}: not a regular file, not followed")
        finally:
            os.close(descriptor)

    def _content(self, descriptor: int, target: Path, path: str) -> None:
        digest = hashlib.sha256()
        written = 0
        with target.open("xb") as copy:
            for chunk in _chunks(descriptor):
                written += len(chunk)
                self.size += len(chunk)
                if written > self.caps.file_bytes:
                    self._too_much(f"holds a file of more than {_mib(self.caps.file_bytes)}: '{path}'", path)
                if self.size > self.caps.total_bytes:
                    self._too_much(f"holds more than {_mib(self.caps.total_bytes)} in all, at '{path}'", path)
                digest.update(chunk)
                copy.write(chunk)
            os.fchmod(copy.fileno(), 0o444 | (os.fstat(descriptor).st_mode & 0o111))
        self.hashes[path] = digest.hexdigest()

    def _too_much(self, what: str, path: str) -> None:
        top = path.partition("/")[0] or "NAME"
        next_step = f'move it out of the branch, or leave it out in pqa.toml: exclude = ["{top}"]'
        raise UsageError(f"'{self.source}' {what}", next_step)


def _chunks(descriptor: int) -> Iterator[bytes]:
    while chunk := os.read(descriptor, CHUNK):
        yield chunk


def _mib(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size:,} bytes"
