"""Command: attend one command line in its sandbox: bounded output, a deadline, and what really became of it."""

from __future__ import annotations

import contextlib
import fcntl
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
KEPT_ERRORS = 1 << 14


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


class Feed:
    """What a command is still to be given; written as it takes it, so that one that never reads cannot hold pqa up."""

    def __init__(self, process: subprocess.Popen[bytes], content: bytes | None) -> None:
        self._pipe, self._left = processes.opened(process.stdin), memoryview(content or b"")
        if content is not None:
            handle = self._pipe.fileno()
            fcntl.fcntl(handle, fcntl.F_SETFL, fcntl.fcntl(handle, fcntl.F_GETFL) | os.O_NONBLOCK)
            self._end_if_done()

    @property
    def waiting(self) -> list[int]:
        """The handle to wait for, while there is something to write."""
        return [self._pipe.fileno()] if self._left and not self._pipe.closed else []

    def write(self) -> None:
        """Write what fits; a command that closed its input is given no more."""
        try:
            self._left = self._left[os.write(self._pipe.fileno(), self._left[:CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            self._left = memoryview(b"")
        self._end_if_done()

    def _end_if_done(self) -> None:
        if not self._left:
            with contextlib.suppress(OSError):
                self._pipe.close()


def attend(
    process: subprocess.Popen[bytes],
    options: Mapping[str, Json],
    status: int,
    limits: Limits,
    seconds: float,
    group: Cgroup | None,
    stdin: bytes | None = None,
    rooms: tuple[str, ...] = (),
) -> CommandResult:
    """Give the jail its options, then read until the command ends or its time is up; always leaves nothing behind."""
    watch = WATCHDOG.add(process, limits, rooms=rooms)
    output, errors = Output(limits.output_bytes), Output(KEPT_ERRORS)
    sinks = {processes.opened(process.stdout).fileno(): output}
    if process.stderr is not None:
        sinks[process.stderr.fileno()] = errors
    try:
        if group is not None and not (group.add([process.pid]) and group.add(processes.descendants(process.pid))):
            return CommandResult(None, "", lost="the kernel refused the control group of the sandbox")
        _send(process, options)
        timed_out = not _read_until_end(process, sinks, Feed(process, stdin), time.monotonic() + seconds)
    finally:
        if process.poll() is None:
            processes.kill_tree(process)
        WATCHDOG.remove(process)
        for stream in (process.stdin, process.stdout, process.stderr):
            if stream is not None:
                stream.close()
    told = _read_all(status)
    code = process.returncode
    lost = watch.reason
    if not lost and not timed_out and told != "ok ":
        said = told.removeprefix("ok ").strip() or output.text().strip() or errors.text().strip()
        lost = f"it could not be started: {said or code}"
    exit_code = None if timed_out or lost or code < 0 else code
    cut = output.dropped > 0
    return CommandResult(exit_code, output.text(), timed_out=timed_out, truncated=cut, lost=lost, errors=errors.text())


def _send(process: subprocess.Popen[bytes], options: Mapping[str, Json]) -> None:
    pipe = processes.opened(process.stdin)
    view = memoryview(json.dumps(options).encode() + b"\n")
    with contextlib.suppress(OSError):
        while view:
            view = view[pipe.write(view) or 0 :]


def _read_until_end(process: subprocess.Popen[bytes], sinks: dict[int, Output], feed: Feed, deadline: float) -> bool:
    """Drain what it writes and give it its input; True when it came to its end in time."""
    open_handles = set(sinks)
    while (left := deadline - time.monotonic()) > 0:
        ready, takes, _ = select.select(list(open_handles), feed.waiting, [], min(left, 1.0))
        if takes:
            feed.write()
        for handle in ready:
            part = os.read(handle, CHUNK)
            sinks[handle].add(part)
            if not part:
                open_handles.discard(handle)
        if not open_handles:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            return process.poll() is not None
        if not ready and not takes and process.poll() is not None:
            return True
    return False


def _read_all(handle: int) -> str:
    """What the jail said about the start; all writers are dead by now."""
    parts = []
    while select.select([handle], [], [], 0)[0] and (part := os.read(handle, CHUNK)):
        parts.append(part)
    return b"".join(parts).decode("utf-8", "replace")
