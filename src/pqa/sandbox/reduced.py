"""Reduced, tier "reduced": no namespaces, but Landlock, a filter without sockets, limits, and a watchdog over memory and disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from pqa.core.errors import GuestLost
from pqa.core.job import CommandResult, Guest, Limits, ProbeCheck
from pqa.core.trigger import Json
from pqa.sandbox import cgroup, command, doctor, folders, layout
from pqa.sandbox.processes import STARTER, tasks_of
from pqa.sandbox.zygote import HostZygote

DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")
"""No terminal: without a namespace it would be the user's own."""
SYSTEM = (
    *("/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/bin", "/usr/sbin", "/usr/include", "/usr/share"),
    *("/usr/local/lib", "/usr/local/bin", "/usr/local/share", "/lib", "/lib32", "/lib64", "/bin", "/sbin"),
    *("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types"),
    *("/proc/self", "/proc/cpuinfo", "/proc/meminfo", "/proc/filesystems", "/sys/devices/system/cpu"),
)
NAMES = ("USER", "LOGNAME")
SPARE_PROCESSES = 2
"""How far above the guest's own share the kernel's count of the user's processes stands; the watchdog is exact."""


class ReducedSandbox:
    """Starts guests as processes of the user that can write and reach nothing but their own folders."""

    tier = "reduced"

    def __init__(self) -> None:
        self._open: dict[HostZygote, Path] = {}
        self._lock = threading.Lock()
        self._checks: tuple[ProbeCheck, ...] | None = None

    def probe(self) -> Sequence[ProbeCheck]:
        """Try decoy attacks inside and, as positive controls, outside; once per object."""
        if self._checks is None:
            self._checks = tuple(doctor.examine(self, doctor.HOME_ROOMS))
        return self._checks

    def open(self, guest: Guest, *, harness: tuple[str, ...] = ()) -> HostZygote:
        """Start a zygote for `guest` that locks each child into a folder of its own."""
        folder = _folder()
        group = _group(guest.limits)
        try:
            guest = folders.with_own_packages(guest, folder)
            config = layout.zygote_options(guest, harness=harness, **_confinement(guest, folder, group))
            inner = [guest.interpreter.executable, "-s", "-B", str(folder / "run" / "zygote.py")]
            process = _start(guest, folder, inner)
            done = self._forget
            zygote = HostZygote(process, config, guest.limits, group=group, on_close=done, rooms=_rooms(folder))
        except BaseException:
            if group is not None:
                group.remove()
            folders.remove_folder(folder)
            raise
        with self._lock:
            self._open[zygote] = folder
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
        """Run one command in a copy of the snapshot in a folder of its own; without a network namespace, one that needs
        the network cannot be run here."""
        if network:
            return CommandResult(None, "", lost="the tier 'reduced' gives no program the network")
        folder = _folder()
        group = _group(guest.limits)
        options = {
            **_confinement(guest, folder, group),
            "work": str(folder / "work" / "tree"),
            "writable": list(_rooms(folder)),
            "argv": list(argv),
            "input": stdin is not None,
            "env": {**_environment(guest, folder), **env},
        }
        status, told = os.pipe()
        inner = [guest.interpreter.executable, "-s", "-B", str(folder / "run" / "jail.py"), str(told)]
        try:
            try:
                process = _start(guest, folder, inner, keep=(told,), merged=stdin is None)
            finally:
                os.close(told)
            return command.attend(process, options, status, guest.limits, seconds, group, stdin, _rooms(folder))
        except GuestLost as lost:
            return CommandResult(exit_code=None, output="", lost=str(lost))
        finally:
            os.close(status)
            if group is not None:
                group.remove()
            folders.remove_folder(folder)

    def close(self) -> None:
        """Kill every process tree that this object started and remove its folders."""
        with self._lock:
            zygotes = list(self._open)
        for zygote in zygotes:
            zygote.close()

    def _forget(self, zygote: HostZygote) -> None:
        with self._lock:
            folder = self._open.pop(zygote, None)
        if folder is not None:
            folders.remove_folder(folder)


def _folder() -> Path:
    """The guest's rooms, and the harness under a path that names nobody."""
    folder = folders.make_folder()
    shutil.copytree(layout.HARNESS_FOLDER, folder / "run", ignore=shutil.ignore_patterns("__pycache__", ".*"))
    return folder


def _rooms(folder: Path) -> tuple[str, ...]:
    return tuple(str(folder / name) for name in folders.ROOMS)


def _group(limits: Limits) -> cgroup.Cgroup | None:
    return cgroup.create(limits.memory_bytes, limits.processes + layout.TRUSTED_PROCESSES)


def _environment(guest: Guest, folder: Path) -> dict[str, str]:
    return {**folders.environment(guest, folder), **dict.fromkeys(NAMES, "user")}


def _confinement(guest: Guest, folder: Path, group: cgroup.Cgroup | None) -> dict[str, Json]:
    held = group is not None and group.holds_memory
    limits = layout.resource_limits(guest.limits, memory_is_held=held, own_user_count=False)
    share = SPARE_PROCESSES * guest.limits.processes + layout.TRUSTED_PROCESSES
    limits["processes"] = tasks_of(os.getuid()) + share
    sources = [mount.source for mount in guest.mounts]
    readable = [*SYSTEM, *guest.interpreter.prefixes, *guest.interpreter.extra_paths, guest.snapshot, *sources]
    return {
        "source": guest.snapshot,
        "work": str(folder / "work"),
        "scratch": [str(folder / "tmp"), str(folder / "home")],
        "alone": False,
        "bare": True,
        "host_namespace": "",
        "landlock": True,
        "seccomp": True,
        "hidden_memory": held,
        "readable": readable,
        "devices": list(DEVICES),
        "places": folders.places(guest),
        "room": guest.limits.disk_bytes,
        "limits": limits,
    }


def _start(
    guest: Guest, folder: Path, inner: Sequence[str], *, keep: tuple[int, ...] = (), merged: bool = False
) -> subprocess.Popen[bytes]:
    errors = subprocess.STDOUT if merged else subprocess.PIPE
    try:
        return STARTER.start(inner, env=_environment(guest, folder), cwd=str(folder), stderr=errors, keep=keep)
    except OSError as error:
        raise GuestLost(f"cannot start {guest.interpreter.executable!r}: {error}") from error
