"""Decoys: harmless attacks on prepared targets; run inside a sandbox each must fail, run outside it must succeed."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import signal
import socket
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

SECONDS = 1.0
NEW_USER_NAMESPACE = 0x10000000
UNSHARE = {"x86_64": 272, "aarch64": 97}
MIB = 1 << 20


def write(path: str) -> str:
    """Overwrite a file, making its folder if need be."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="ascii") as out:
        out.write("overwritten")
    return "written"


def read(path: str) -> str:
    """Read a secret."""
    with open(path, encoding="ascii") as text:
        return text.read()


def connect(port: int) -> str:
    """Speak to a listener on the host's loopback."""
    with socket.create_connection(("127.0.0.1", port), SECONDS) as line:
        line.sendall(b"x")
    return "connected"


def send_signal(pid: int) -> str:
    """Kill a process."""
    os.kill(pid, signal.SIGKILL)
    return "sent"


def nest(_: object) -> str:
    """Make a user namespace of its own."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.syscall(UNSHARE.get(os.uname().machine, 272), NEW_USER_NAMESPACE):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return "made"


def fill(folders: Mapping[str, int]) -> str:
    """Write twice what each folder may hold, in many small files, and leave none of them."""
    over: list[str] = []
    made: list[str] = []
    for folder, size in folders.items():
        written = 0
        place = os.path.expandvars(folder)
        try:
            for number in range(2 * size // MIB):
                made.append(f"{place}/fill-{os.getpid()}-{number}")
                with open(made[-1], "wb", buffering=0) as out:
                    written += out.write(bytes(MIB))
        except OSError:
            continue
        over.append(folder)
    if over:
        time.sleep(2 * SECONDS)  # long enough for a watchdog to see it
    for path in made:
        with contextlib.suppress(OSError):
            os.unlink(path)
    if over:
        return f"no limit in {' '.join(over)}"
    raise OSError("every folder was full in time")


def multiply(most: int) -> str:
    """Start more processes than allowed, and stay long enough for a watchdog to see it."""
    for number in range(most):
        try:
            pid = os.fork()
        except OSError as error:
            raise OSError(f"{number} processes, then: {error.strerror}") from error
        if pid == 0:
            time.sleep(SECONDS)
            os._exit(0)
    time.sleep(SECONDS)
    return f"{most} processes"


DECOYS: dict[str, Callable[[Any], str]] = {
    "write": write,
    "read": read,
    "connect": connect,
    "signal": send_signal,
    "nest": nest,
    "disk": fill,
    "processes": multiply,
}


def run(job: Mapping[str, Any], emit: Callable[[dict[str, Any]], None], context: object) -> None:
    """job: {DECOY: its target}; one record a decoy, in the order of `DECOYS`."""
    for name, decoy in DECOYS.items():
        if name not in job:
            continue
        try:
            emit({"decoy": name, "did": True, "answer": decoy(job[name])})
        except OSError as error:
            emit({"decoy": name, "did": False, "answer": str(error)})


if __name__ == "__main__":
    run(json.loads(sys.argv[1]), lambda record: print(json.dumps(record), flush=True), None)
