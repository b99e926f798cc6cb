"""Jail: limits, system call filter and Landlock for one process tree; run by path it becomes a command in it."""

from __future__ import annotations

import errno
import json
import os
import resource
import signal
import sys
from collections.abc import Iterable, Mapping

import landlock
import seccomp
import tree

LIMITS = {
    "address_bytes": "RLIMIT_AS",
    "cpu_seconds": "RLIMIT_CPU",
    "file_bytes": "RLIMIT_FSIZE",
    "processes": "RLIMIT_NPROC",
    "open_files": "RLIMIT_NOFILE",
}
DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx", "/dev/pts")
IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
CHOSEN_TO_DIE_FIRST = b"500"


def limit_resources(limits: Mapping[str, int]) -> None:
    """Set hard limits; a hard limit that is lower already stays."""
    wanted = {LIMITS[name]: value for name, value in limits.items() if name in LIMITS}
    wanted["RLIMIT_CORE"] = 0
    for name, value in wanted.items():
        kind = getattr(resource, name, None)
        if kind is None:
            continue
        hard = resource.getrlimit(kind)[1]
        bound = value if hard == resource.RLIM_INFINITY else min(value, hard)
        top = bound + 1 if name == "RLIMIT_CPU" and hard == resource.RLIM_INFINITY else bound
        try:
            resource.setrlimit(kind, (bound, top))
        except (OSError, ValueError):
            continue  # macOS refuses some; the watchdog and the deadline stand behind


def offer_to_die_first() -> None:
    """When memory runs out the kernel is to take this process, not the fork server."""
    try:
        handle = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
    except OSError:
        return
    try:
        os.write(handle, CHOSEN_TO_DIE_FIRST)
    except OSError:
        pass
    finally:
        os.close(handle)


def lock_down(
    limits: Mapping[str, int],
    *,
    fence: landlock.Landlock | None,
    writable: Iterable[str],
    readable: Iterable[str],
    filter_calls: bool = False,
    hidden_memory: bool = True,
) -> list[str]:
    """Confine this process for good; answers what the kernel did not give."""
    offer_to_die_first()
    limit_resources(limits)
    missing = []
    if fence is not None:
        missing.append(fence.missing())
        if fence.version >= 1:
            fence.enter(readable, [*writable, *DEVICES])
    if filter_calls:
        missing.append(seccomp.restrict_system_calls(hidden_memory=hidden_memory))
    return [reason for reason in missing if reason]


def read_line(source: int) -> bytes:
    """One line, byte by byte, so that nothing after it is taken."""
    line = bytearray()
    while not line.endswith(b"\n"):
        part = os.read(source, 1)
        if not part:
            break
        line += part
    return bytes(line)


def run_command(options: Mapping[str, object], status: int) -> None:
    """Copy the tree, lock down and become the command; on `status` goes "ok", or why not."""
    work = str(options["work"])
    room = options["room"]
    assert isinstance(room, int)
    content = tree.Tree(str(options["source"]), files=100_000, size=room)
    if content.too_big:
        raise OSError(errno.ENOSPC, "the tree is too large to be copied", work)
    content.write(work)
    os.chdir(work)
    del content
    limits, writable = options["limits"], options["writable"]
    argv, environment = options["argv"], options["env"]
    assert isinstance(limits, dict) and isinstance(writable, list) and isinstance(argv, list)
    assert isinstance(environment, dict)
    os.environ.clear()
    os.environ.update(environment)
    fence = landlock.Landlock() if options["landlock"] else None
    lock_down(
        limits,
        fence=fence,
        writable=[*writable, work],
        readable=["/"],
        filter_calls=bool(options["seccomp"]),
        hidden_memory=bool(options["hidden_memory"]),
    )
    for ignored in IGNORED_BY_PYTHON:
        signal.signal(ignored, signal.SIG_DFL)
    os.write(status, b"ok ")
    os.execvpe(str(argv[0]), [str(each) for each in argv], os.environ)


def main() -> None:
    """`jail.py STATUS-FD`, options as one JSON line on standard input; with "input" the rest of it is the command's."""
    status = int(sys.argv[1])
    os.set_inheritable(status, False)
    options = json.loads(read_line(0))
    if not options.get("input"):
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.close(nothing)
    try:
        run_command(options, status)
    except OSError as error:
        os.write(status, f"{options['argv'][0]!r}: {error.strerror}".encode())
    os._exit(127)


if __name__ == "__main__":
    main()
