"""Tree: copy a branch's files into a work folder and empty such folders again; symbolic links are never followed."""

from __future__ import annotations

import os
import re
import stat

MAXIMUM_FILES = 2_000
MAXIMUM_BYTES = 32 << 20
LEFT_OUT = ("__pycache__",)
CHUNK = 1 << 20
OCTAL = re.compile(r"\\([0-7]{3})")


class Tree:
    """The content of a small tree, read once; `too_big` when it is not small."""

    def __init__(self, source: str, *, files: int = MAXIMUM_FILES, size: int = MAXIMUM_BYTES) -> None:
        self.folders: list[str] = []
        self.links: list[tuple[str, str]] = []
        self.files: list[tuple[str, int, bytes]] = []
        self.too_big = not self._read(source, files, size)
        if self.too_big:
            self.folders, self.links, self.files = [], [], []

    def _read(self, source: str, files: int, size: int) -> bool:
        waiting = [""]
        while waiting:
            folder = waiting.pop()
            with os.scandir(os.path.join(source, folder)) as entries:
                for entry in sorted(entries, key=lambda each: each.name):
                    name = os.path.join(folder, entry.name)
                    status = entry.stat(follow_symlinks=False)
                    files -= 1
                    if stat.S_ISLNK(status.st_mode):
                        self.links.append((name, os.readlink(entry.path)))
                    elif stat.S_ISDIR(status.st_mode) and entry.name not in LEFT_OUT:
                        self.folders.append(name)
                        waiting.append(name)
                    elif stat.S_ISREG(status.st_mode):
                        size -= status.st_size
                        if size >= 0:
                            self.files.append((name, status.st_mode & 0o777, _content(entry.path)))
                    if files < 0 or size < 0:
                        return False
        return True

    def write(self, target: str) -> None:
        """Write everything below `target`, which is made."""
        os.makedirs(target, exist_ok=True)
        for name in self.folders:
            os.makedirs(os.path.join(target, name), exist_ok=True)
        for name, mode, content in self.files:
            out = os.open(os.path.join(target, name), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode | 0o600)
            try:
                _write_all(out, content)
            finally:
                os.close(out)
        for name, to in self.links:
            os.symlink(to, os.path.join(target, name))


def _content(path: str) -> bytes:
    parts: list[bytes] = []
    source = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    try:
        while True:
            part = os.read(source, CHUNK)
            if not part:
                return b"".join(parts)
            parts.append(part)
    finally:
        os.close(source)


def _write_all(out: int, content: bytes) -> None:
    view = memoryview(content)
    while view:
        view = view[os.write(out, view) :]


def mount_points() -> set[str]:
    """Where something is mounted; these and the way to them are never removed."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as lines:
            return {OCTAL.sub(lambda found: chr(int(found[1], 8)), line.split(" ")[4]) for line in lines}
    except OSError:
        return set()


def empty(folder: str, mounts: set[str]) -> bool:
    """Remove all that `folder` holds, however deep or unreadable it was made; mount points stay. True when it is."""
    within = folder + "/"
    kept = {mount[len(within) :].split("/", 1)[0] for mount in mounts if mount.startswith(within)}
    try:
        names = os.listdir(folder)
    except OSError:
        return False
    clean = True
    for name in names:
        path = os.path.join(folder, name)
        if name not in kept:
            remove(path)
        elif path not in mounts:
            clean = empty(path, mounts) and clean
    return clean and set(os.listdir(folder)) <= kept


def remove(path: str) -> None:
    """Remove a file or a whole folder without recursion, and never by a path longer than two levels below it."""
    if not _is_folder(path):
        _quietly_unlink(path)
        return
    parent, serial, prefix = os.path.dirname(path), 0, "." + os.urandom(8).hex()
    waiting = [path]
    while waiting:
        folder = waiting.pop()
        try:
            os.chmod(folder, 0o700)
            names = os.listdir(folder)
        except OSError:
            names = []
        for name in names:
            inner = os.path.join(folder, name)
            if not _is_folder(inner):
                _quietly_unlink(inner)
                continue
            serial += 1
            moved = os.path.join(parent, f"{prefix}.{serial}")
            try:
                os.chmod(inner, 0o700)
                os.rename(inner, moved)
                waiting.append(moved)
            except OSError:
                continue
        try:
            os.rmdir(folder)
        except OSError:
            continue


def _is_folder(path: str) -> bool:
    try:
        return stat.S_ISDIR(os.lstat(path).st_mode)
    except OSError:
        return False


def _quietly_unlink(path: str) -> None:
    try:
        os.unlink(path)
    except OSError:
        return
