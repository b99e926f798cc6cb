"""No sandbox, tier "none": the same fork server with limits only; reachable by `--unsafe-no-sandbox` alone."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pqa.core.errors import GuestLost
from pqa.core.job import CommandResult, Guest, ProbeCheck
from pqa.core.trigger import Json
from pqa.sandbox import command, layout
from pqa.sandbox.processes import STARTER
from pqa.sandbox.zygote import HostZygote


class UnsandboxedSandbox:
    """Runs guests as the user, with the user's rights; only time, memory and output are bounded."""

    tier = "none"

    def __init__(self) -> None:
        self._open: dict[HostZygote, Path] = {}
        self._lock = threading.Lock()

    def probe(self) -> Sequence[ProbeCheck]:
        """Nothing holds, and it says so."""
        return (
            ProbeCheck(
                name="sandbox",
                holds=False,
                tried="nothing: --unsafe-no-sandbox was given",
                answer="branch code runs with your own rights",
                fix="leave out --unsafe-no-sandbox",
            ),
        )

    def open(self, guest: Guest, *, harness: tuple[str, ...] = ()) -> HostZygote:
        """Start a zygote for `guest`; mounts other than pqa's own packages do not exist in this tier."""
        folder = _work_folder()
        guest = _with_own_packages(guest, folder)
        config = layout.zygote_options(guest, harness=harness, **_confinement(guest, folder))
        try:
            inner = [guest.interpreter.executable, "-s", "-B", str(layout.HARNESS_FOLDER / "zygote.py")]
            process = _start(guest, folder, inner)
            zygote = HostZygote(process, config, guest.limits, on_close=self._forget)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
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
        """Run one command in a copy of the snapshot in a temporary folder; the network is the user's in any case."""
        folder = _work_folder()
        options = {
            **_confinement(guest, folder),
            "work": str(folder / "work" / "tree"),
            "writable": [],
            "argv": list(argv),
            "input": stdin is not None,
            "env": {**_environment(guest, folder), **env},
        }
        status, told = os.pipe()
        inner = [guest.interpreter.executable, "-s", "-B", str(layout.HARNESS_FOLDER / "jail.py"), str(told)]
        try:
            try:
                process = _start(guest, folder, inner, keep=(told,), merged=stdin is None)
            finally:
                os.close(told)
            return command.attend(process, options, status, guest.limits, seconds, None, stdin)
        except GuestLost as lost:
            return CommandResult(exit_code=None, output="", lost=str(lost))
        finally:
            os.close(status)
            shutil.rmtree(folder, ignore_errors=True)

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
            shutil.rmtree(folder, ignore_errors=True)


def _work_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="guest-"))
    for name in ("work", "tmp", "home"):
        (folder / name).mkdir()
    return folder


def _with_own_packages(guest: Guest, folder: Path) -> Guest:
    """Where the interpreter borrows packages, a folder of links stands in for the mounts."""
    site = folder / "site"
    site.mkdir()
    for mount in guest.mounts:
        if Path(mount.target).parent == Path(layout.SITE):
            (site / Path(mount.target).name).symlink_to(mount.source)
    extra = tuple(str(site) if path == layout.SITE else path for path in guest.interpreter.extra_paths)
    return replace(guest, interpreter=replace(guest.interpreter, extra_paths=extra))


def _environment(guest: Guest, folder: Path) -> dict[str, str]:
    return {**layout.environment(guest, home=str(folder / "home")), "TMPDIR": str(folder / "tmp")}


def _confinement(guest: Guest, folder: Path) -> dict[str, Json]:
    return {
        "source": guest.snapshot,
        "work": str(folder / "work"),
        "scratch": [str(folder / "tmp"), str(folder / "home")],
        "alone": False,
        "host_namespace": "",
        "landlock": False,
        "seccomp": False,
        "hidden_memory": True,
        "room": guest.limits.disk_bytes,
        "limits": layout.resource_limits(guest.limits, memory_is_held=False, own_user_count=False),
    }


def _start(
    guest: Guest, folder: Path, inner: Sequence[str], *, keep: tuple[int, ...] = (), merged: bool = False
) -> subprocess.Popen[bytes]:
    errors = subprocess.STDOUT if merged else subprocess.PIPE
    try:
        return STARTER.start(inner, env=_environment(guest, folder), cwd=str(folder), stderr=errors, keep=keep)
    except OSError as error:
        raise GuestLost(f"cannot start {guest.interpreter.executable!r}: {error}") from error
