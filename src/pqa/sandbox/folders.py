"""Folders: what a guest that no mount namespace hides may write and see, made for it and removed with it."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import tempfile
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from pqa.core.job import Guest
from pqa.sandbox import layout

ROOMS = ("work", "tmp", "home")
BLOCK = 512
MOST_ENTRIES = 20_000


def make_folder() -> Path:
    """A fresh folder with a room for work, temporary files and the home folder."""
    folder = Path(tempfile.mkdtemp(prefix="guest-"))
    for name in ROOMS:
        (folder / name).mkdir()
    return folder


def remove_folder(folder: Path) -> None:
    """Remove it with all that guests left in it, however they closed their folders."""

    def unlock(function: object, path: str, _: object) -> None:
        for place in (os.path.dirname(path), path):
            if os.path.isdir(place) and not os.path.islink(place):
                os.chmod(place, stat.S_IRWXU)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path, ignore_errors=True)
        elif os.path.lexists(path):
            os.unlink(path)

    try:
        shutil.rmtree(folder, onerror=unlock)
    except (OSError, RecursionError):  # deeper than Python goes
        subprocess.run(["rm", "-rf", "--", str(folder)], check=False, env={"PATH": "/usr/bin:/bin"})


def with_own_packages(guest: Guest, folder: Path) -> Guest:
    """Where the interpreter borrows packages, a folder of links stands in for the mounts."""
    site = folder / "site"
    site.mkdir()
    for mount in guest.mounts:
        if Path(mount.target).parent == Path(layout.SITE):
            (site / Path(mount.target).name).symlink_to(mount.source)
    extra = tuple(str(site) if path == layout.SITE else path for path in guest.interpreter.extra_paths)
    return replace(guest, interpreter=replace(guest.interpreter, extra_paths=extra))


def environment(guest: Guest, folder: Path) -> dict[str, str]:
    """The environment of a guest that lives in `folder`."""
    return {**layout.environment(guest, home=str(folder / "home")), "TMPDIR": str(folder / "tmp")}


def places(guest: Guest) -> dict[str, str]:
    """Where each mount of the guest really lies."""
    return {mount.target: mount.source for mount in guest.mounts}


def held_bytes(folders: Iterable[str]) -> int | None:
    """What lies in `folders` on the disk; None when there is more than is worth counting."""
    total, entries, waiting = 0, 0, list(folders)
    while waiting:
        try:
            with os.scandir(waiting.pop()) as found:
                for entry in found:
                    entries += 1
                    status = entry.stat(follow_symlinks=False)
                    total += status.st_blocks * BLOCK
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(entry.path)
                    if entries > MOST_ENTRIES:
                        return None
        except OSError:
            continue
    return total
