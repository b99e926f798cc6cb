"""Mutant fork: a child process that tells what it finds line by line, and is ended when it falls silent for too long."""

from __future__ import annotations

import fcntl
import json
import os
import resource
import select
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from typing import Any

LINE = 8 << 20
HIGH = 700


class Child:
    """The parent's side: `lines` gives what the child says; a line {"wall": seconds} sets how long it may be silent."""

    def __init__(self, work: Callable[[Callable[..., None]], None], wall: float) -> None:
        self.wall = wall
        self.ended: Any = None
        reading, writing = os.pipe()
        self.pid = _fork()
        if self.pid == 0:
            os.close(reading)
            _become(work, writing)
        os.close(writing)
        self.reading = reading

    def lines(self) -> Iterator[Any]:
        """All lines; afterwards `ended` is the exit status, or words: "silent", "signal N"."""
        unread = bytearray()
        while True:
            ready = select.select([self.reading], [], [], self.wall)[0]
            part = os.read(self.reading, 1 << 16) if ready else None
            if not part:
                break
            unread += part
            if len(unread) > LINE:
                part = None
                break
            *whole, rest = bytes(unread).split(b"\n")
            unread = bytearray(rest)
            for text in whole:
                line = json.loads(text)
                self.wall = float(line.get("wall", self.wall))
                yield line
        self.end(silent=part is None)

    def end(self, *, silent: bool) -> None:
        """Reap the child, and kill what it left."""
        os.close(self.reading)
        if silent:
            _kill(self.pid)
            os.kill(self.pid, signal.SIGKILL)  # it may not have made its group yet
        status = os.waitpid(self.pid, 0)[1]
        _kill(self.pid)
        self.ended = "signal " + str(os.WTERMSIG(status)) if os.WIFSIGNALED(status) else os.WEXITSTATUS(status)
        if silent:
            self.ended = "silent"


def _kill(pid: int) -> None:
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        return


def _fork() -> int:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for stream in (sys.stdout, sys.stderr):
            try:
                stream.flush()
            except Exception:
                continue
        return os.fork()


def _become(work: Callable[[Callable[..., None]], None], writing: int) -> None:
    """In the child: do the work and leave; never returns."""
    code = 1
    try:
        os.setpgid(0, 0)
        high = fcntl.fcntl(writing, fcntl.F_DUPFD_CLOEXEC, min(HIGH, os.sysconf("SC_OPEN_MAX") - 40))
        os.close(writing)
        signal.signal(signal.SIGPROF, signal.SIG_DFL)

        def say(*records: Any, dumps: Any = json.dumps, write: Any = os.write) -> None:
            view = memoryview(b"".join(dumps(record).encode() + b"\n" for record in records))
            while view:
                view = view[write(high, view) :]

        work(say)
        code = 0
    except BaseException as error:
        if not isinstance(error, SystemExit):
            import traceback

            traceback.print_exc()
    finally:
        os._exit(code)


def limit_cpu(seconds: float) -> None:
    """From now on the process dies when it has used this much processor time; 0 lifts the limit."""
    signal.setitimer(signal.ITIMER_PROF, seconds)


def used_here() -> float:
    """Processor time of this process; `time.process_time` counts by ticks where processor time is limited."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def used() -> float:
    """Processor time of this process and of all its children that have ended."""
    usages = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)
