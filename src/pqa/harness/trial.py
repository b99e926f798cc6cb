"""Trial: the fork server's side of one job: relay its records, keep some of its output, end it in time, clean up."""

from __future__ import annotations

import os
import resource
import select
import signal
import time
from collections.abc import Callable
from typing import Any

import kept

CHUNK = 1 << 16
KEPT_OUTPUT = 1 << 16
GRACE_AFTER_HANG_UP = 0.5
PIPE_SIZE = 1 << 20
F_SETPIPE_SZ = 1031


class Trial:
    """One running child; `wait` returns when it is dead and everything it wrote is read."""

    def __init__(self, number: int, seconds: float, limits: dict[str, int], send: Callable[[list[Any]], None]) -> None:
        self.number = number
        self.deadline = time.monotonic() + seconds
        self.limits = limits
        self.send = send
        self.output = kept.Kept(min(KEPT_OUTPUT, limits["output_bytes"]))
        self.timed_out = self.truncated = False
        self.unread = bytearray()
        self.record_bytes = 0
        self.unsaid = bytearray()
        self.pid = -1
        self.status = 0
        self.ended = False
        self.cpu_seconds = 0.0
        self.records_in, self.records_out = os.pipe()
        self.output_in, self.output_out = os.pipe()
        self.words_in, self.words_out = os.pipe()

    def started(self, pid: int) -> None:
        """In the parent, after the fork: give up the child's ends."""
        self.pid = pid
        for end in (self.records_out, self.output_out, self.words_in):
            os.close(end)
        for end in (self.records_in, self.output_in, self.words_out):
            os.set_blocking(end, False)

    def say(self, message: bytes) -> None:
        """Pass one line of the conversation on, as soon as the child takes it."""
        self.unsaid += message

    def hang_up(self) -> None:
        """No more words; the child gets a moment to end by itself."""
        if self.words_out >= 0:
            os.close(self.words_out)
            self.words_out = -1
            self.unsaid.clear()
        self.deadline = min(self.deadline, time.monotonic() + GRACE_AFTER_HANG_UP)

    def wait(self, host: int, hear: Callable[[], None]) -> None:
        """Relay until the child ends, or must be ended."""
        watch = os.pidfd_open(self.pid) if hasattr(os, "pidfd_open") else -1
        readers = [host, self.records_in, self.output_in] + ([watch] if watch >= 0 else [])
        try:
            while not self.ended:
                left = self.deadline - time.monotonic()
                if left <= 0 or self.truncated:
                    self.timed_out = not self.truncated and self.words_out >= 0
                    return
                self._turn(readers, left if watch >= 0 else min(left, 0.01), host, watch, hear)
        finally:
            if watch >= 0:
                os.close(watch)

    def _turn(self, readers: list[int], left: float, host: int, watch: int, hear: Callable[[], None]) -> None:
        writers = [self.words_out] if self.unsaid and self.words_out >= 0 else []
        ready, takes, _ = select.select(readers, writers, [], left)
        if takes:
            self._speak()
        if self.records_in in ready and not self._read_records():
            readers.remove(self.records_in)
        if self.output_in in ready and not self._read_output():
            readers.remove(self.output_in)
        if host in ready:
            hear()
        if watch < 0 or watch in ready:
            self._look()

    def _look(self) -> None:
        pid, status, usage = os.wait4(self.pid, os.WNOHANG)
        if pid:
            self.note_death(status, usage)

    def note_death(self, status: int, usage: resource.struct_rusage) -> None:
        """Keep the child's wait status and what it used."""
        self.ended, self.status = True, status
        self.cpu_seconds += usage.ru_utime + usage.ru_stime

    def _speak(self) -> None:
        try:
            del self.unsaid[: os.write(self.words_out, self.unsaid[:CHUNK])]
        except BlockingIOError:
            return
        except OSError:
            self.unsaid.clear()

    def _read_output(self) -> bool:
        part = read_some(self.output_in)
        if part:
            self.output.add(part)
        return part != b""

    def _read_records(self) -> bool:
        part = read_some(self.records_in)
        if not part:
            return part is None
        self.record_bytes += len(part)
        self.unread += part
        *lines, rest = self.unread.split(b"\n")
        self.unread = bytearray(rest)
        longest = max((len(line) for line in (*lines, rest)), default=0)
        if longest > self.limits["record_line_bytes"] or self.record_bytes > self.limits["record_bytes"]:
            self.truncated = True
            return True
        self.send([{"id": self.number, "line": line.decode("utf-8", "backslashreplace")} for line in lines])
        return True

    def drain(self) -> None:
        """When all writers are dead: the rest of what they wrote."""
        while not self.truncated and self._rest(self._read_records, self.records_in):
            continue
        if self.unread and not self.truncated:
            self.send([{"id": self.number, "line": self.unread.decode("utf-8", "backslashreplace")}])
        while self._rest(self._read_output, self.output_in):
            continue
        for end in (self.records_in, self.output_in, self.words_out):
            if end >= 0:
                os.close(end)

    def _rest(self, read: Callable[[], bool], source: int) -> bool:
        return bool(select.select([source], [], [], 0)[0]) and read()

    def result(self) -> dict[str, Any]:
        """The facts of the end, as the host is told."""
        signalled = os.WIFSIGNALED(self.status)
        return {
            "exit_code": None if signalled else os.WEXITSTATUS(self.status),
            "signal": os.WTERMSIG(self.status) if signalled else None,
            "timed_out": self.timed_out,
            "truncated": self.truncated,
            "output": self.output.text(),
            "cpu_seconds": round(self.cpu_seconds, 6),
        }


def read_some(source: int) -> bytes | None:
    """Up to one chunk; b"" at the end, None when there is nothing yet."""
    try:
        return os.read(source, CHUNK)
    except BlockingIOError:
        return None


def kill_quietly(pid: int) -> None:
    """SIGKILL to one process that may be gone."""
    try:
        os.kill(pid, signal.SIGKILL)
    except OSError:
        return
