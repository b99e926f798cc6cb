"""Processes: start them so that they die with pqa, find what descends from them, measure it, kill it."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import IO

PAGE = os.sysconf("SC_PAGE_SIZE")
KILL_SECONDS = 5.0


def opened(stream: IO[bytes] | None) -> IO[bytes]:
    """A pipe that the process was started with."""
    if stream is None:
        raise ValueError("the process was started without this pipe")
    return stream


class Starter:
    """Starts processes from one thread that lives as long as pqa: "die with the parent" means with that *thread*."""

    def __init__(self) -> None:
        self._thread: ThreadPoolExecutor | None = None
        os.register_at_fork(after_in_child=self._forget)

    def _forget(self) -> None:
        self._thread = None

    def start(
        self,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        cwd: str = "/",
        stdin: int = subprocess.PIPE,
        stderr: int = subprocess.PIPE,
        keep: Iterable[int] = (),
    ) -> subprocess.Popen[bytes]:
        """A process in its own session, with pipes; `keep` are further descriptors that it inherits."""
        if self._thread is None:
            self._thread = ThreadPoolExecutor(1, thread_name_prefix="pqa-starter")
        return self._thread.submit(
            subprocess.Popen,
            list(argv),
            bufsize=0,
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=stderr,
            env=dict(env),
            cwd=cwd,
            pass_fds=tuple(keep),
            start_new_session=True,
        ).result()


STARTER = Starter()


def descendants(root: int) -> list[int]:
    """All processes below `root`, nearest first; empty where /proc has none of it."""
    found: list[int] = []
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for thread in threads:
            with contextlib.suppress(OSError, ValueError), open(f"/proc/{pid}/task/{thread}/children", "rb") as text:
                children = [int(each) for each in text.read().split()]
                found += children
                waiting += children
    return found


def resident_bytes(pid: int) -> int:
    """The resident memory of one process; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/statm", "rb") as text:
            return int(text.read().split()[1]) * PAGE
    except (OSError, ValueError, IndexError):
        return 0


def tasks_of(user: int) -> int:
    """How many processes and threads the kernel counts for a user."""
    total = 0
    for name in os.listdir("/proc"):
        with contextlib.suppress(OSError):
            if name.isdecimal() and os.stat(f"/proc/{name}").st_uid == user:
                total += len(os.listdir(f"/proc/{name}/task"))
    return total


def kill(pids: Iterable[int]) -> None:
    """SIGKILL to each that still exists."""
    for pid in pids:
        with contextlib.suppress(OSError):
            os.kill(pid, signal.SIGKILL)


def kill_tree(process: subprocess.Popen[bytes], *, seconds: float = KILL_SECONDS) -> None:
    """Kill all that descends from `process`, then itself, and wait until every one is gone."""
    limit = time.monotonic() + seconds
    seen: set[int] = set()
    while process.poll() is None and time.monotonic() < limit:
        below = descendants(process.pid)
        seen.update(below)
        kill(below)
        if all(is_dead(pid) for pid in below):
            break
        time.sleep(0.002)
    if process.poll() is None:
        with contextlib.suppress(OSError):
            os.killpg(process.pid, signal.SIGKILL)
        process.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(max(0.1, limit - time.monotonic()))
    while not all(is_dead(pid) for pid in seen) and time.monotonic() < limit:
        time.sleep(0.002)


def is_dead(pid: int) -> bool:
    """Whether a process is gone or only waits to be reaped."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as text:
            return text.read().rpartition(b")")[2].split()[:1] in ([b"Z"], [b"X"])
    except OSError:
        return True
