"""Watchdog: one thread sums memory and counts processes of every busy sandbox, and kills what is over its limits."""

from __future__ import annotations

import os
import subprocess
import threading
from dataclasses import dataclass

from pqa.core.job import Limits
from pqa.sandbox import processes
from pqa.sandbox.folders import held_bytes

INTERVAL = 0.1
PATIENCE = 20
COUNT_EVERY = 3


@dataclass(slots=True)
class Watch:
    """One process tree: its root, the trusted processes in it, and what was seen."""

    process: subprocess.Popen[bytes]
    limits: Limits
    spared: frozenset[int]
    rooms: tuple[str, ...] = ()
    over: int = 0
    looks: int = 0
    free: int = 0
    reason: str = ""


class Watchdog:
    """Started with the first watch; sleeps while there is none."""

    def __init__(self) -> None:
        self._clear()
        os.register_at_fork(after_in_child=self._clear)

    def _clear(self) -> None:
        self._watches: dict[int, Watch] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None

    def add(
        self,
        process: subprocess.Popen[bytes],
        limits: Limits,
        spared: frozenset[int] = frozenset(),
        rooms: tuple[str, ...] = (),
    ) -> Watch:
        """Watch the tree of `process`, and what it writes into `rooms`; the `spared` are killed last."""
        watch = Watch(process, limits, spared, rooms, free=free_bytes(rooms))
        with self._changed:
            self._watches[process.pid] = watch
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="pqa-watchdog", daemon=True)
                self._thread.start()
            self._changed.notify()
        return watch

    def remove(self, process: subprocess.Popen[bytes]) -> None:
        """Stop watching."""
        with self._changed:
            self._watches.pop(process.pid, None)

    def _run(self) -> None:
        pause = threading.Event()
        while True:
            with self._changed:
                while not self._watches:
                    self._changed.wait()
                watches = list(self._watches.values())
            for watch in watches:
                inspect(watch)
            pause.wait(INTERVAL)


def inspect(watch: Watch) -> None:
    """Measure one tree and kill what is over; a tree that stays over goes as a whole."""
    if watch.process.returncode is not None:
        return  # its number may be another's by now
    below = processes.descendants(watch.process.pid)
    foreign = [pid for pid in below if pid not in watch.spared]
    base = max((processes.resident_bytes(pid) for pid in watch.spared), default=0)
    used = sum(max(0, processes.resident_bytes(pid) - base) for pid in foreign)
    if len(foreign) > watch.limits.processes + 8:
        watch.reason = "it started more processes than allowed"
    elif used > watch.limits.memory_bytes:
        watch.reason = "it used more memory than allowed"
    elif holds_too_much(watch):
        watch.reason = "it wrote more to the disk than allowed"
    else:
        watch.over = 0
        return
    watch.over += 1
    processes.kill(foreign)
    if not watch.spared or watch.over > PATIENCE:
        processes.kill([*below, watch.process.pid])


def holds_too_much(watch: Watch) -> bool:
    """Whether the rooms hold more than allowed; counted when the disk lost much since the last look, and now and then."""
    if not watch.rooms:
        return False
    lost = watch.free - free_bytes(watch.rooms)
    watch.free += max(0, -lost)
    watch.looks += 1
    if lost < watch.limits.disk_bytes // 2 and watch.looks % COUNT_EVERY:
        return False
    held = held_bytes(watch.rooms)
    return (lost if held is None else held) > watch.limits.disk_bytes


def free_bytes(rooms: tuple[str, ...]) -> int:
    """What is free where the rooms lie; 0 where there are none."""
    try:
        state = os.statvfs(rooms[0]) if rooms else None
    except OSError:
        return 0
    return state.f_bavail * state.f_frsize if state else 0


WATCHDOG = Watchdog()
