"""Snapshot: a read-only copy of one tree, walked by file descriptor; no symlink, pipe or device is ever followed."""

from __future__ import annotations

import fnmatch
import hashlib
import itertools
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

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
    walk = _Walk(str(path), caps or Caps())
    return keep(walk, walk.run, into)


def keep(take: Take, fill: Callable[[Path], None], into: Path) -> Snapshot:
    """Let `fill` write into a new folder and settle that read-only as `into/DIGEST`; on an error nothing stays."""
    try:
        into.mkdir(parents=True, exist_ok=True)
        incoming = Path(tempfile.mkdtemp(prefix=".incoming-", dir=into))
    except OSError as error:
        raise UsageError(f"the folder '{into}' cannot be written: {error.strerror}", "mend its permissions") from error
    try:
        fill(incoming)
        final = _settle(incoming, into / take.digest())
    except OSError as error:
        message = f"'{take.source}' cannot be copied to '{into}': {error.strerror or error}"
        raise UsageError(message, "check space and permissions there") from error
    finally:
        discard(incoming)
    return Snapshot(final, f"sha256:{take.digest()}", tuple(sorted(take.hashes)), take.skipped())


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
class Take:
    """One copy in the making, of a tree that messages call `source`: counts what it takes, remembers what it leaves."""

    source: str
    caps: Caps
    hashes: dict[str, str] = field(default_factory=dict)
    left: list[str] = field(default_factory=list)
    entries: int = 0
    size: int = 0

    def digest(self) -> str:
        """The hash of the paths and contents taken."""
        lines = sorted(f"{path}\0{content}\n".encode() for path, content in self.hashes.items())
        return hashlib.sha256(b"".join(lines)).hexdigest()

    def skipped(self) -> tuple[str, ...]:
        """What was left out and why, bounded."""
        rest = len(self.left) - LISTED_SKIPS
        shown = sorted(self.left)[:LISTED_SKIPS]
        return (*shown, f"and {rest} more") if rest > 0 else tuple(shown)

    def left_out(self, name: str, path: str) -> bool:
        """Whether the entry `name` at `path` is left out for its name; what is no cache is remembered."""
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

    def count(self, number: int, relative: str) -> None:
        """Count entries seen in the folder `relative`."""
        self.entries += number
        if self.entries > self.caps.entries:
            self.too_much(f"holds more than {self.caps.entries:,} files and folders, at '{relative or '.'}'", relative)

    def check_path(self, path: str) -> None:
        """Refuse a path that is too long."""
        if len(path.encode()) > self.caps.path_bytes:
            self.too_much(f"holds a path longer than {self.caps.path_bytes} bytes: '{path}'", path)

    def check_depth(self, depth: int, relative: str) -> None:
        """Refuse a folder that lies too deep."""
        if depth > self.caps.depth:
            self.too_much(f"nests folders deeper than {self.caps.depth} levels, at '{relative}'", relative)

    def check_size(self, size: int, path: str) -> None:
        """Refuse a file that is too large."""
        if size > self.caps.file_bytes:
            self.too_much(f"holds a file of more than {_mib(self.caps.file_bytes)}: '{path}'", path)

    def content(self, chunks: Iterable[bytes], target: Path, path: str, executable: int) -> None:
        """Write one file read-only; `executable` is the part of its mode that is kept."""
        digest = hashlib.sha256()
        written = 0
        with target.open("xb") as copy:
            for chunk in chunks:
                written += len(chunk)
                self.size += len(chunk)
                self.check_size(written, path)
                if self.size > self.caps.total_bytes:
                    self.too_much(f"holds more than {_mib(self.caps.total_bytes)} in all, at '{path}'", path)
                digest.update(chunk)
                copy.write(chunk)
            os.fchmod(copy.fileno(), 0o444 | (executable & 0o111))
        self.hashes[path] = digest.hexdigest()

    def too_much(self, what: str, path: str) -> NoReturn:
        """Refuse the whole tree."""
        top = path.partition("/")[0] or "NAME"
        next_step = f'move it out of the branch, or leave it out in pqa.toml: exclude = ["{top}"]'
        raise UsageError(f"'{self.source}' {what}", next_step)


@dataclass(slots=True)
class _Walk(Take):
    """The copy of a tree on disk."""

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
                name = Path(self.source).name
                self.content(_chunks(descriptor), target / name, name, mode)
            else:
                raise UsageError(
                    f"'{self.source}' is neither a directory nor a regular file", "name a directory or a file"
                )
        finally:
            os.close(descriptor)

    def _folder(self, descriptor: int, target: Path, relative: str, depth: int) -> None:
        self.check_depth(depth, relative)
        for entry in self._listed(descriptor, relative):
            path = f"{relative}/{entry.name}" if relative else entry.name
            if self.left_out(entry.name, path):
                continue
            self.check_path(path)
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
        self.count(len(names), relative)
        return names

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
                self.content(_chunks(descriptor), target / name, path, mode)
            else:
                self.left.append(f"{path}: not a regular file, not followed")
        finally:
            os.close(descriptor)


def _chunks(descriptor: int) -> Iterator[bytes]:
    while chunk := os.read(descriptor, CHUNK):
        yield chunk


def _mib(size: int) -> str:
    return f"{size // MIB} MiB" if size >= MIB else f"{size:,} bytes"
