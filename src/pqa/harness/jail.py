"""Jail: limits, system call filter and Landlock for one process tree; run by path it becomes a command in it."""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import signal
import struct
import sys
import time
from collections.abc import Iterable, Mapping, Sequence

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
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, PR_CAPBSET_DROP = 1, 36, 24
CAPABILITIES, CAPSET = 64, {"x86_64": 126, "aarch64": 91}
CAPABILITY_VERSION = 0x20080522


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
    devices: Iterable[str] = DEVICES,
    filter_calls: bool = False,
    hidden_memory: bool = True,
    bare: bool = False,
) -> list[str]:
    """Confine this process for good; answers what the kernel did not give, which is fatal where nothing else stands."""
    offer_to_die_first()
    limit_resources(limits)
    missing = []
    if fence is not None:
        missing.append(fence.missing())
        if fence.version >= 1:
            fence.enter(readable, [*writable, *devices])
    if filter_calls or bare:
        missing.append(seccomp.restrict_system_calls(hidden_memory=hidden_memory, bare=bare))
    lacking = [reason for reason in missing if reason]
    if bare and (lacking or fence is None):
        raise OSError(errno.EPERM, "; ".join(lacking) or "no landlock")
    return lacking


def give_up_capabilities() -> None:
    """For root: keep the user, lose its powers, for this process and all that it starts."""
    libc = ctypes.CDLL(None, use_errno=True)
    for number in range(CAPABILITIES):
        libc.prctl(PR_CAPBSET_DROP, number, 0, 0, 0)
    head, none = struct.pack("=Ii", CAPABILITY_VERSION, 0), bytes(24)
    if libc.syscall(CAPSET.get(os.uname().machine, -1), head, none) and os.geteuid() == 0:
        raise OSError(ctypes.get_errno(), "capabilities could not be given up")


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
        readable=as_names(options.get("readable"), ("/",)),
        devices=as_names(options.get("devices"), DEVICES),
        filter_calls=bool(options["seccomp"]),
        hidden_memory=bool(options["hidden_memory"]),
        bare=bool(options.get("bare")),
    )
    for ignored in IGNORED_BY_PYTHON:
        signal.signal(ignored, signal.SIG_DFL)
    os.write(status, b"ok ")
    os.execvpe(str(argv[0]), [str(each) for each in argv], os.environ)


def as_names(value: object, otherwise: Sequence[str]) -> list[str]:
    """A list of names from the options."""
    return [str(each) for each in value] if isinstance(value, list) else list(otherwise)


def stand_guard() -> None:
    """Without a process namespace: become the parent of all that the command leaves, and end with it; the command itself
    goes on in a child."""
    libc = ctypes.CDLL(None)
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    child = os.fork()
    if child == 0:
        os.setsid()
        return
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM, 0, 0, 0)
    status, pid = 0, 0
    try:
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
        for handle in (0, 1, 2):
            os.close(handle)
        while pid != child:
            pid, status = os.wait()
    finally:
        sweep()
    if os.WIFSIGNALED(status):
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        if os.WTERMSIG(status) != signal.SIGKILL:
            signal.signal(os.WTERMSIG(status), signal.SIG_DFL)
        os.kill(os.getpid(), os.WTERMSIG(status))
    os._exit(os.WEXITSTATUS(status))


def descendants(root: int) -> list[int]:
    """All processes below `root`, nearest first."""
    found, waiting = [], [root]
    while waiting:
        pid = waiting.pop()
        try:
            threads = os.listdir(f"/proc/{pid}/task")
        except OSError:
            continue
        for thread in threads:
            try:
                with open(f"/proc/{pid}/task/{thread}/children", encoding="ascii") as text:
                    children = [int(each) for each in text.read().split()]
            except OSError:
                continue
            found += children
            waiting += children
    return found


def sweep(seconds: float = 5.0) -> None:
    """Kill and reap all that descends from this process."""
    limit = time.monotonic() + seconds
    while time.monotonic() < limit:
        for pid in descendants(os.getpid()):
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                time.sleep(0.001)
        except ChildProcessError:
            return


def main() -> None:
    """`jail.py STATUS-FD`, options as one JSON line on standard input; with "input" the rest of it is the command's."""
    status = int(sys.argv[1])
    os.set_inheritable(status, False)
    options = json.loads(read_line(0))
    if options.get("bare"):
        give_up_capabilities()
        stand_guard()
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
