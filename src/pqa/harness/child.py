"""Child: what happens after the fork: cut off from the fork server, given a fresh tree, locked down, then the job."""

from __future__ import annotations

import ctypes
import fcntl
import json
import os
import re
import resource
import signal
import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any

import jail
import landlock
import tree

EDITABLE = re.compile("editable", re.IGNORECASE)
SYSTEM_LIBRARIES = ("/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64", "/usr/share")
PR_SET_PDEATHSIG, PR_SET_DUMPABLE = 1, 4
HIGHEST_DESCRIPTOR = 900
_write, _dumps = os.write, json.dumps
_libc = ctypes.CDLL(None)


class Context:
    """What a job module is given besides its job; `copied`: the tree is this job's own, and may be changed."""

    def __init__(
        self,
        source: str,
        import_roots: Sequence[str],
        words: int | None,
        *,
        places: Mapping[str, str] | None = None,
        bare: bool = False,
        copied: bool = False,
    ) -> None:
        self.source, self.copied = source, copied
        self.import_roots = tuple(import_roots)
        self.bare = bare
        self._places = places or {}
        self._words = words
        self._unread = bytearray()

    def place(self, path: str) -> str:
        """Where a mounted path really lies; without a mount namespace that is its place on the host."""
        for target, source in self._places.items():
            if path == target or path.startswith(target + "/"):
                return source + path[len(target) :]
        return path

    def listen(self) -> Any:
        """The next message of the conversation; None when it is over or was none."""
        while self._words is not None:
            line, end, rest = self._unread.partition(b"\n")
            if end:
                self._unread = rest
                return json.loads(line)
            part = os.read(self._words, 1 << 16)
            if not part:
                return None
            self._unread += part
        return None


class Emitter:
    """Writes one record a line to the fork server."""

    def __init__(self, records: int) -> None:
        self._records = records
        self._lock = threading.Lock()

    def __call__(self, record: Mapping[str, Any]) -> None:
        view = memoryview(_dumps(record).encode() + b"\n")
        with self._lock:
            while view:
                view = view[_write(self._records, view) :]


class Setting:
    """What all children of one fork server share; made before the first fork."""

    def __init__(self, config: Mapping[str, Any]) -> None:
        self.source: str = config["source"]
        self.work: str = config["work"]
        self.roots: list[str] = config["import_roots"]
        self.extra_paths: list[str] = config["extra_paths"]
        self.prefixes: list[str] = config["prefixes"]
        self.limits: dict[str, int] = config["limits"]
        self.scratch: list[str] = config["scratch"]
        self.fence = landlock.Landlock() if config["landlock"] else None
        self.bare: bool = bool(config.get("bare"))
        self.places: dict[str, str] = config.get("places", {})
        self.readable = jail.as_names(config.get("readable"), ("/",))
        self.devices = jail.as_names(config.get("devices"), jail.DEVICES)
        self.hidden_memory: bool = config["hidden_memory"]
        self.content = tree.Tree(self.source)

    def place(self) -> str:
        """The tree to work on: a fresh copy, or the read-only source where that is too big."""
        if self.content.too_big:
            return self.source
        copy = os.path.join(self.work, "tree")
        self.content.write(copy)
        return copy


def become(
    setting: Setting, module: ModuleType, job: Mapping[str, Any], token: str, pipes: Sequence[int | None]
) -> None:
    """Run the job and leave the process; never returns."""
    code = 1
    try:
        emit, words = cut_off(pipes)
        source = setting.place()
        os.chdir(source)
        roots = [os.path.normpath(os.path.join(source, root)) for root in setting.roots]
        take_place(roots, setting)
        if setting.bare:
            _libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)  # no namespace ends it with the fork server
        writable = [setting.work, *setting.scratch]
        jail.lock_down(
            setting.limits,
            fence=setting.fence,
            writable=writable,
            readable=setting.readable,
            devices=setting.devices,
            hidden_memory=setting.hidden_memory,
            bare=setting.bare,
        )
        emit({"start": token})
        copied = source != setting.source
        context = Context(source, roots, words, places=setting.places, bare=setting.bare, copied=copied)
        code = module.run(job, emit, context) or 0
        emit({"end": token})
    except BaseException:
        traceback.print_exc()
    finally:
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except BaseException:
                continue
        os._exit(code)


def cut_off(pipes: Sequence[int | None]) -> tuple[Emitter, int | None]:
    """Keep nothing of the fork server but the pipes (output, records, words), the last two at high numbers."""
    os.setsid()
    output, records, words = pipes
    assert output is not None and records is not None
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)
    highest = high_number()
    kept_records = fcntl.fcntl(records, fcntl.F_DUPFD_CLOEXEC, highest)
    kept_words = None if words is None else fcntl.fcntl(words, fcntl.F_DUPFD_CLOEXEC, highest)
    last = 2
    for keep in sorted(number for number in (kept_records, kept_words) if number is not None):
        os.closerange(last + 1, keep)
        last = keep
    os.closerange(last + 1, highest + 64)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL if number != signal.SIGINT else signal.default_int_handler)
    make_ordinary()
    return Emitter(kept_records), kept_words


def high_number() -> int:
    """A descriptor number that loops over the first few hundred do not meet."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return HIGHEST_DESCRIPTOR if soft < 0 else max(10, min(HIGHEST_DESCRIPTOR, soft - 70))


def make_ordinary() -> None:
    """Undo the fork server's own protection, so that /proc/self belongs to the child's user again."""
    if sys.platform == "linux":
        _libc.prctl(PR_SET_DUMPABLE, 1, 0, 0, 0)


def forget_checkouts(setting: Setting) -> None:
    """In the fork server, before any job: no way to other checkouts, by editable installation or path."""
    sys.meta_path[:] = [finder for finder in sys.meta_path if not is_editable(finder)]
    sys.path_hooks[:] = [hook for hook in sys.path_hooks if not is_editable(hook)]
    own = tuple(os.path.join(prefix, "") for prefix in (*setting.prefixes, *SYSTEM_LIBRARIES))
    sys.path[:] = [
        entry
        for entry in sys.path
        if entry.startswith(own) and not EDITABLE.search(os.path.basename(entry)) and entry not in setting.extra_paths
    ]
    sys.path_importer_cache.clear()
    for name in [name for name in sys.modules if EDITABLE.search(name)]:
        del sys.modules[name]


def take_place(roots: Sequence[str], setting: Setting) -> None:
    """In the child: import roots first, and nothing of the fork server by name."""
    extra = [entry for entry in setting.extra_paths if entry not in roots]
    sys.path[:] = [*roots, *sys.path, *extra]
    os.environ["PYTHONPATH"] = os.pathsep.join([*roots, *extra])
    os.environ["PWD"] = os.getcwd()
    sys.argv = [""]
    if hasattr(sys, "orig_argv"):
        sys.orig_argv[:] = [sys.executable]
    retired.append(sys.modules["__main__"])
    sys.modules["__main__"] = ModuleType("__main__")


def is_editable(finder: object) -> bool:
    """Whether a finder or path hook belongs to an editable installation."""
    kind = finder if isinstance(finder, type) else type(finder)
    owner = getattr(finder, "__self__", None)
    names = [kind.__module__, kind.__qualname__, getattr(finder, "__module__", "") or ""]
    if owner is not None:
        names += [getattr(owner, "__module__", "") or "", getattr(owner, "__qualname__", "")]
    return any(EDITABLE.search(str(name)) for name in names)


retired: list[ModuleType] = []
