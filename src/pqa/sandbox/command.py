"""Command: attend one command line in its sandbox: bounded output, a deadline, and what really became of it."""

from __future__ import annotations

import contextlib
import json
import os
import select
import subprocess
import time
from collections.abc import Mapping

from pqa.core.job import CommandResult, Limits
from pqa.core.trigger import Json
from pqa.sandbox import processes
from pqa.sandbox.cgroup import Cgroup
from pqa.sandbox.watchdog import WATCHDOG

CHUNK = 1 << 16


class Output:
    """The first and the last part of what a command prints; the rest is counted and dropped."""

    def __init__(self, limit: int) -> None:
        self._half, self._head, self._tail, self.dropped = max(1, limit // 2), bytearray(), bytearray(), 0

    def add(self, part: bytes) -> None:
        """Take the next bytes."""
        room = self._half - len(self._head)
        self._head += part[:room]
        self._tail += part[room:]
        excess = max(0, len(self._tail) - self._half)
        self.dropped += excess
        del self._tail[:excess]

    def text(self) -> str:
        """Both parts as text."""
        between = f"\n[... {self.dropped} bytes left out ...]\n".encode() if self.dropped else b""
        return (bytes(self._head) + between + bytes(self._tail)).decode("utf-8", "backslashreplace")


def attend(
    process: subprocess.Popen[bytes],
    options: Mapping[str, Json],
    status: int,
    limits: Limits,
    seconds: float,
    group: Cgroup | None,
) -> CommandResult:
    """Give the jail its options, then read until the command ends or its time is up; always leaves nothing behind."""
    watch = WATCHDOG.add(process, limits)
    output = Output(limits.output_bytes)
    try:
        if group is not None and not (group.add([process.pid]) and group.add(processes.descendants(process.pid))):
            return CommandResult(None, "", lost="the kernel refused the control group of the sandbox")
        _send(process, options)
        timed_out = not _read_until_end(process, output, time.monotonic() + seconds)
    finally:
        if process.poll() is None:
            processes.kill_tree(process)
        WATCHDOG.remove(process)
        for stream in (process.stdin, process.stdout):
            if stream is not None:
                stream.close()
    told = _read_all(status)
    code = process.returncode
    lost = watch.reason
    if not lost and not timed_out and told != "ok ":
        lost = f"it could not be started: {told.removeprefix('ok ').strip() or output.text().strip() or code}"
    exit_code = None if timed_out or lost or code < 0 else code
    return CommandResult(exit_code, output.text(), timed_out=timed_out, truncated=output.dropped > 0, lost=lost)


def _send(process: subprocess.Popen[bytes], options: Mapping[str, Json]) -> None:
    pipe = processes.opened(process.stdin)
    view = memoryview(json.dumps(options).encode() + b"\n")
    with contextlib.suppress(OSError):
        while view:
            view = view[pipe.write(view) or 0 :]


def _read_until_end(process: subprocess.Popen[bytes], output: Output, deadline: float) -> bool:
    """Drain the output; True when it came to its end in time."""
    handle = processes.opened(process.stdout).fileno()
    while (left := deadline - time.monotonic()) > 0:
        if not select.select([handle], [], [], min(left, 1.0))[0]:
            if process.poll() is not None:
                return True
            continue
        part = os.read(handle, CHUNK)
        if not part:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            return process.poll() is not None
        output.add(part)
    return False


def _read_all(handle: int) -> str:
    """What the jail said about the start; all writers are dead by now."""
    parts = []
    while select.select([handle], [], [], 0)[0] and (part := os.read(handle, CHUNK)):
        parts.append(part)
    return b"".join(parts).decode("utf-8", "replace")
