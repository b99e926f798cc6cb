"""Git: read commits of a repository through a git folder of pqa's own, so that nothing the repository names can run.

Git runs programs that a repository's configuration names (fsmonitor, filters, textconv, external diffs, hooks) on
commands as harmless as `status`. So git never sees that configuration: it works in an empty folder that borrows the
repository's objects, and is given commits by their sha. Files are written blob by blob, without index, worktree,
attributes or filters; a `git worktree add` would need all four, and would leave traces in the repository.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO

from pqa.core.errors import InternalError, UsageError
from pqa.intake.repository import Repository
from pqa.intake.snapshot import Caps, Snapshot, Take, discard, keep

WALL_SECONDS = 120.0
CHUNK = 1 << 16
LONGEST_RECORD = 1 << 16
LISTED_FACTOR = 10
SUFFIX = re.compile(r"[~^0-9]{0,20}")
SWITCHES = {
    "core.hooksPath": os.devnull,
    "core.fsmonitor": "false",
    "core.attributesFile": os.devnull,
    "core.excludesFile": os.devnull,
    "core.commitGraph": "false",
    "core.multiPackIndex": "false",
    "core.bigFileThreshold": "8m",
    "diff.external": "",
    "gc.auto": "0",
    "maintenance.auto": "false",
    "protocol.allow": "never",
}
KINDS = {"120000": "a symbolic link", "160000": "a submodule"}
FILES = ("100644", "100664", "100755")


class GitStore:
    """A git folder of pqa's own inside `into` that borrows the objects of `repository`; gone when left."""

    def __init__(self, repository: Repository, into: Path, *, sha256: bool = False) -> None:
        self.repository = repository
        self._program = _program()
        into.mkdir(parents=True, exist_ok=True)
        self.folder = Path(tempfile.mkdtemp(prefix=".git-", dir=into)).absolute()
        (self.folder / "objects/info").mkdir(parents=True)
        (self.folder / "refs").mkdir()
        (self.folder / "HEAD").write_text("ref: refs/heads/none\n", "utf-8")
        format_lines = "\trepositoryformatversion = 1\n[extensions]\n\tobjectFormat = sha256\n"
        plain_line = "\trepositoryformatversion = 0\n"
        config = "[core]\n\tbare = true\n" + (format_lines if sha256 else plain_line)
        (self.folder / "config").write_text(config, "utf-8")
        objects = os.path.realpath(repository.objects)
        (self.folder / "objects/info/alternates").write_bytes(_quoted(os.fsencode(objects)) + b"\n")

    def __enter__(self) -> GitStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        discard(self.folder)

    def commit(self, sha: str, suffix: str = "") -> str | None:
        """The whole sha of the commit that a sha or its beginning, and a suffix such as "~2", name."""
        if not re.fullmatch(r"[0-9a-f]{4,64}", sha) or not SUFFIX.fullmatch(suffix):
            return None
        return self._line("rev-parse", "--verify", "--quiet", f"{sha}{suffix}^{{commit}}")

    def common_ancestor(self, commits: Sequence[str]) -> str | None:
        """The last commit that all of these come from."""
        return self._line("merge-base", "--octopus", *commits) if commits else None

    def take(self, commit: str, label: str, into: Path, caps: Caps | None = None) -> Snapshot:
        """A snapshot of the commit's files; `label` is what messages call it."""
        tree = _Tree(label, caps or Caps())
        return keep(tree, lambda target: tree.fill(self, commit, target), into)

    def _line(self, *arguments: str) -> str | None:
        with self.talk(*arguments) as process:
            line = _output(process).read(CHUNK).decode("ascii", "replace").strip()
            return line if process.wait() == 0 and line else None

    @contextlib.contextmanager
    def talk(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        """Git at work: its own environment and folder, no terminal, killed after a while and at the end."""
        process = subprocess.Popen(
            [self._program, f"--git-dir={self.folder}", "--no-replace-objects", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            env=self._environment(),
            start_new_session=True,
        )
        timer = threading.Timer(WALL_SECONDS, process.kill)
        timer.daemon = True
        timer.start()
        try:
            yield process
        finally:
            timer.cancel()
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    _existing(pipe).close()
            process.wait()

    def _environment(self) -> dict[str, str]:
        pairs = list(SWITCHES.items())
        return {
            "PATH": _search_path(),
            "HOME": str(self.folder),
            "LC_ALL": "C",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_SYSTEM": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_ATTR_NOSYSTEM": "1",
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_NO_REPLACE_OBJECTS": "1",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_CONFIG_COUNT": str(len(pairs)),
            **{f"GIT_CONFIG_KEY_{number}": key for number, (key, _) in enumerate(pairs)},
            **{f"GIT_CONFIG_VALUE_{number}": value for number, (_, value) in enumerate(pairs)},
        }


@dataclass(slots=True)
class _Tree(Take):
    """The copy of a commit's tree, whose names are as hostile as the commit's author likes."""

    told: set[str] = field(default_factory=set)

    def fill(self, store: GitStore, commit: str, target: Path) -> None:
        with store.talk("ls-tree", "-r", "-z", "--full-tree", commit) as process:
            wanted = list(self._wanted(_output(process)))
            if process.wait() != 0:
                raise self._broken("its tree cannot be read")
        with store.talk("cat-file", "--batch") as process:
            for mode, sha, path in wanted:
                self._write(process, mode, sha, path, target)

    def _wanted(self, listing: IO[bytes]) -> Iterator[tuple[str, str, str]]:
        folders: set[str] = set()
        for number, record in enumerate(self._records(listing)):
            if number >= LISTED_FACTOR * self.caps.entries:
                self.too_much(f"lists more than {LISTED_FACTOR * self.caps.entries:,} files", "")
            head, _, raw = record.partition(b"\t")
            mode, _, sha = head.decode("ascii").split(" ")
            path = os.fsdecode(raw)
            if self._is_left_out(path):
                continue
            new = {str(parent) for parent in _folders(path)} - folders
            folders |= new
            self.count(1 + len(new), path.rpartition("/")[0])
            self.check_path(path)
            self.check_depth(path.count("/") + 1, path.rpartition("/")[0])
            if mode in FILES:
                yield mode, sha, path
            else:
                self.left.append(f"{path}: {KINDS.get(mode, 'not a regular file')}, not followed")

    def _is_left_out(self, path: str) -> bool:
        """Whether the name of the file or of a folder above it is left out, or leads elsewhere; each is told once."""
        parts = path.split("/")
        if not {"", ".", ".."}.isdisjoint(parts):
            self.left.append(f"{path.encode('utf-8', 'backslashreplace').decode()}: no path inside the tree")
            return True
        for place, name in enumerate(parts):
            above = "/".join(parts[: place + 1])
            if above in self.told or self.left_out(name, above):
                self.told.add(above)
                return True
        return False

    def _records(self, listing: IO[bytes]) -> Iterator[bytes]:
        rest = b""
        while chunk := listing.read(CHUNK):
            *records, rest = (rest + chunk).split(b"\0")
            yield from records
            if len(rest) > LONGEST_RECORD:
                self.too_much(f"holds a path longer than {self.caps.path_bytes} bytes", "")

    def _write(self, process: subprocess.Popen[bytes], mode: str, sha: str, path: str, target: Path) -> None:
        size = self._announced(process, sha, path)
        chunks = _exactly(_output(process), size)
        before = self.size
        try:
            (target / path).parent.mkdir(parents=True, exist_ok=True)
            self.content(chunks, target / path, path, 0o111 if mode == "100755" else 0)
            read = self.size - before
        except (FileExistsError, NotADirectoryError):
            self.left.append(f"{path}: its name is taken by another entry")
            read = sum(len(chunk) for chunk in chunks)
        if read != size or _output(process).read(1) != b"\n":
            raise self._broken(f"git stopped at '{path}'")

    def _announced(self, process: subprocess.Popen[bytes], sha: str, path: str) -> int:
        """The size of the blob that comes next; one that is too large is refused before git sends it."""
        try:
            _existing(process.stdin).write(f"{sha}\n".encode())
            _existing(process.stdin).flush()
        except OSError as error:
            raise self._broken("git stopped") from error
        words = _output(process).readline(256).decode("ascii", "replace").split()
        if len(words) != 3 or words[1] != "blob" or not words[2].isdecimal():
            raise self._broken(f"'{path}' is not among the objects of the repository")
        self.check_size(int(words[2]), path)
        return int(words[2])

    def _broken(self, what: str) -> UsageError:
        return UsageError(f"'{self.source}' cannot be read: {what}", "run 'git fsck' there, or name a directory")


def _exactly(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (chunk := stream.read(min(CHUNK, size))):
        size -= len(chunk)
        yield chunk


def _folders(path: str) -> Iterator[str]:
    place = path.find("/")
    while place >= 0:
        yield path[:place]
        place = path.find("/", place + 1)


def _program() -> str:
    found = shutil.which("git", path=_search_path())
    if found is None:
        raise UsageError("git was not found, so no ref can be read", "install git, or name directories")
    return found


def _search_path() -> str:
    parts = os.environ.get("PATH", os.defpath).split(os.pathsep)
    return os.pathsep.join(part for part in parts if Path(part).is_absolute())


def _quoted(path: bytes) -> bytes:
    """The path as git quotes it in `alternates`."""
    safe = b"/._-+=@%, "
    letters = (
        bytes([byte]) if chr(byte).isascii() and (chr(byte).isalnum() or byte in safe) else b"\\%03o" % byte
        for byte in path
    )
    return b'"' + b"".join(letters) + b'"'


def _output(process: subprocess.Popen[bytes]) -> IO[bytes]:
    return _existing(process.stdout)


def _existing(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise InternalError("git was started without its pipes")
    return pipe
