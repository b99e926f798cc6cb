"""Control groups: where the kernel lets pqa write one, it bounds memory and processes of a whole sandbox exactly."""

from __future__ import annotations

import contextlib
import os
import secrets
import time
from collections.abc import Iterable
from pathlib import Path

from pqa.sandbox import processes

REMOVE_SECONDS = 3.0
ORPHAN_SECONDS = 60.0
FILES = {
    1: {"memory": "memory.limit_in_bytes", "pids": "pids.max"},
    2: {"memory": "memory.max", "pids": "pids.max"},
}

_SWEPT: set[tuple[int, Path]] = set()


class Cgroup:
    """One group per sandbox: up to two folders in version 1, one in version 2."""

    def __init__(self, memory: Path | None, pids: Path | None) -> None:
        self.holds_memory, self.holds_processes = memory is not None, pids is not None
        self._folders = {folder for folder in (memory, pids) if folder is not None}

    def add(self, pids: Iterable[int]) -> bool:
        """Move processes in; False when the kernel refuses."""
        try:
            for pid in pids:
                for folder in self._folders:
                    (folder / "cgroup.procs").write_text(str(pid), encoding="ascii")
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return True

    def members(self) -> set[int]:
        """The processes that are in it now."""
        found: set[int] = set()
        for folder in self._folders:
            with contextlib.suppress(OSError):
                found.update(int(each) for each in (folder / "cgroup.procs").read_text(encoding="ascii").split())
        return found

    def remove(self) -> None:
        """Kill what is left inside and remove the folders."""
        limit = time.monotonic() + REMOVE_SECONDS
        while self._folders and time.monotonic() < limit:
            processes.kill(self.members())
            for folder in tuple(self._folders):
                try:
                    folder.rmdir()
                except FileNotFoundError:
                    self._folders.discard(folder)
                except OSError:
                    time.sleep(0.002)
                else:
                    self._folders.discard(folder)


def create(memory_bytes: int, process_count: int) -> Cgroup | None:
    """A new group with these limits, or None where the kernel gives none."""
    name = f"guest-{os.getpid()}-{secrets.token_hex(6)}"
    limits = {"memory": memory_bytes, "pids": process_count}
    made: dict[str, Path] = {}
    for controller, (version, parent) in _parents().items():
        _remove_orphans(parent)
        folder = parent / name
        try:
            folder.mkdir(exist_ok=version == 2)
        except OSError:
            continue
        try:
            (folder / FILES[version][controller]).write_text(str(limits[controller]), encoding="ascii")
        except OSError:
            if folder not in made.values():
                with contextlib.suppress(OSError):
                    folder.rmdir()
            continue
        made[controller] = folder
    return Cgroup(made.get("memory"), made.get("pids")) if made else None


def _remove_orphans(parent: Path) -> None:
    """Groups of a pqa that was killed before it could remove them; done once in each process."""
    if (os.getpid(), parent) in _SWEPT:
        return
    _SWEPT.add((os.getpid(), parent))
    for folder in parent.glob("guest-*-*"):
        maker = folder.name.split("-")[1]
        with contextlib.suppress(OSError):
            old = time.time() - folder.stat().st_mtime > ORPHAN_SECONDS
            if old and maker.isdecimal() and processes.is_dead(int(maker)):
                folder.rmdir()


def _parents() -> dict[str, tuple[int, Path]]:
    """For each controller the folder of this process's own group and the version of its tree."""
    try:
        own = [line.split(":", 2) for line in Path("/proc/self/cgroup").read_text(encoding="utf-8").splitlines()]
        mounts = [line.split(" ") for line in Path("/proc/self/mountinfo").read_text(encoding="utf-8").splitlines()]
    except OSError:
        return {}
    found: dict[str, tuple[int, Path]] = {}
    for fields in mounts:
        kind, options = fields[fields.index("-") + 1], fields[-1].split(",")
        for _, controllers, path in own:
            place = Path(fields[4]) / os.path.relpath(path, fields[3])
            if kind == "cgroup":
                for controller in {"memory", "pids"} & set(options) & set(controllers.split(",")):
                    found[controller] = (1, place)
            elif kind == "cgroup2" and not controllers:
                for controller in _delegated(place):
                    found.setdefault(controller, (2, place))
    return found


def _delegated(place: Path) -> list[str]:
    """Controllers that a new group below `place` would have."""
    try:
        given = (place / "cgroup.subtree_control").read_text(encoding="ascii").split()
    except OSError:
        return []
    return [name for name in ("memory", "pids") if name in given]
