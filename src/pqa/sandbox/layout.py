"""Layout: the paths, environment and options that a guest sees; none of them names pqa."""

from __future__ import annotations

import compileall
import functools
import os
from collections.abc import Mapping
from pathlib import Path

from pqa.core.job import MIB, Guest, Limits
from pqa.core.trigger import Json

SOURCE, WORK, TREE, HOME = "/src", "/work", "/work/tree", "/home"
HARNESS, SITE = "/opt/harness", "/opt/site"
NOT_LIBRARIES = ("/usr/src", "/usr/local/src")
"""Below /usr, yet where people keep projects: hidden."""
SCRATCH = ("/tmp", "/home", "/dev/shm")
SCRATCH_BYTES = 32 * MIB
HARNESS_FOLDER = Path(__file__).parent.parent / "harness"
LOOSE_ADDRESS_SPACE = 4
TRUSTED_PROCESSES = 3
"""What a sandbox runs besides the job: the first process of the namespace, the fork server, one being reaped."""


@functools.cache
def harness_folder() -> Path:
    """Where the harness lies on the host, compiled once: a fork server that has to compile it costs a third more.

    What is compiled serves an interpreter of the same version; any other one, and one where this folder may not be
    written to, reads the sources.
    """
    compileall.compile_dir(HARNESS_FOLDER, quiet=2, ddir=HARNESS)
    return HARNESS_FOLDER


def source_of(guest: Guest) -> str:
    """Where the guest sees its snapshot: `/src`, unless the interpreter itself lives there."""
    taken = any(Path(prefix).is_relative_to(SOURCE) for prefix in guest.interpreter.prefixes)
    return "/snapshot" if taken else SOURCE


def environment(guest: Guest, *, home: str = HOME) -> dict[str, str]:
    """The whole environment of a guest; nothing of the host's is passed on."""
    return {
        "HOME": home,
        "PATH": os.pathsep.join(dict.fromkeys([os.path.dirname(guest.interpreter.executable), "/usr/bin", "/bin"])),
        "LANG": "C.UTF-8",
        "TZ": "UTC",
        "PYTHONHASHSEED": str(guest.hash_seed),
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYTHONNOUSERSITE": "1",
        "OMP_NUM_THREADS": "1",
    }


def resource_limits(limits: Limits, *, memory_is_held: bool, own_user_count: bool) -> dict[str, int]:
    """Per-process limits. `own_user_count`: whether the kernel counts only this sandbox's processes."""
    bounds = {
        "address_bytes": limits.memory_bytes * (LOOSE_ADDRESS_SPACE if memory_is_held else 1),
        "cpu_seconds": limits.cpu_seconds,
        "file_bytes": limits.file_bytes,
        "open_files": limits.open_files,
        "output_bytes": limits.output_bytes,
        "record_bytes": limits.record_bytes,
        "record_line_bytes": limits.record_line_bytes,
    }
    if own_user_count:
        bounds["processes"] = limits.processes + TRUSTED_PROCESSES
    return bounds


def zygote_options(guest: Guest, *, harness: tuple[str, ...] = (), **more: Json) -> Mapping[str, Json]:
    """The configuration line of the fork server; `more` is what the tiers differ in."""
    return {
        "import_roots": list(guest.import_roots),
        "extra_paths": list(guest.interpreter.extra_paths),
        "prefixes": list(guest.interpreter.prefixes),
        "preload": list(guest.preload),
        "harness": list(harness),
        **more,
    }
