"""No sandbox, tier "none": the same fork server with limits only; reachable by `--unsafe-no-sandbox` alone."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from pqa.core.errors import GuestLost
from pqa.core.job import CommandResult, Guest, ProbeCheck
from pqa.core.trigger import Json
from pqa.sandbox import command, folders, layout
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
        """Start a zygote for `guest`; its mounts are looked up on the host, since there is no other root."""
        folder = folders.make_folder()
        guest = folders.with_own_packages(guest, folder)
        config = layout.zygote_options(guest, harness=harness, **_confinement(guest, folder))
        try:
            inner = [guest.interpreter.executable, "-s", "-B", str(layout.harness_folder() / "zygote.py")]
            process = _start(guest, folder, inner)
            zygote = HostZygote(process, config, guest.limits, on_close=self._forget)
        except BaseException:
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
        """Run one command in a copy of the snapshot in a temporary folder; the network is the user's in any case."""
        folder = folders.make_folder()
        options = {
            **_confinement(guest, folder),
            "work": str(folder / "work" / "tree"),
            "writable": [],
            "argv": list(argv),
            "input": stdin is not None,
            "env": {**folders.environment(guest, folder), **env},
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
        "places": folders.places(guest),
        "room": guest.limits.disk_bytes,
        "limits": layout.resource_limits(guest.limits, memory_is_held=False, own_user_count=False),
    }


def _start(
    guest: Guest, folder: Path, inner: Sequence[str], *, keep: tuple[int, ...] = (), merged: bool = False
) -> subprocess.Popen[bytes]:
    errors = subprocess.STDOUT if merged else subprocess.PIPE
    try:
        return STARTER.start(inner, env=folders.environment(guest, folder), cwd=str(folder), stderr=errors, keep=keep)
    except OSError as error:
        raise GuestLost(f"cannot start {guest.interpreter.executable!r}: {error}") from error
