"""Doctor: decoy attacks tried in the very sandbox and, as positive controls, outside: a check must be able to fail."""

from __future__ import annotations

import contextlib
import json
import secrets
import select
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from pqa.core.errors import GuestLost
from pqa.core.job import MIB, Guest, JobResult, Limits, ProbeCheck
from pqa.core.trigger import Json
from pqa.sandbox import layout
from pqa.sandbox.fixes import fix_for
from pqa.sandbox.interpreter import own_interpreter
from pqa.sandbox.zygote import HostZygote

SECONDS = 10.0
PROBE_LIMITS = Limits(processes=16, disk_bytes=2 * MIB)
TOO_MANY = 40
WITH_CONTROL = {
    "write": "overwrite a file of the host",
    "read": "read a secret file of the host",
    "connect": "connect to a listener on the host's loopback",
    "signal": "kill a process of the host",
}
WITHOUT_CONTROL = {
    "nest": "make a user namespace of its own",
    "disk": "fill every folder that it can write beyond its size",
    "processes": f"start {TOO_MANY} processes where {PROBE_LIMITS.processes} are allowed",
}
ROOMS = (layout.WORK, *layout.SCRATCH)
HOME_ROOMS = (".", "$TMPDIR", "$HOME")
"""The same for a guest without a root of its own: its folders as it knows them."""
REPORT = "this sandbox does not contain branch code: please report it with the output of pqa doctor"
ENDING = ("", "disk", "processes")
"""Which decoy a job of `_attack_inside` may be ended for."""
BLIND = "the same attack failed outside the sandbox too, so this check shows nothing here"


@dataclass(slots=True)
class Targets:
    """One set of decoys that the host owns and looks after."""

    folder: Path
    secret: str
    listener: socket.socket
    process: subprocess.Popen[bytes]

    def job(self) -> dict[str, Json]:
        """Where the decoys are."""
        return {
            "write": str(self.folder / "target"),
            "read": str(self.folder / "secret"),
            "connect": self.listener.getsockname()[1],
            "signal": self.process.pid,
        }

    def hit(self, name: str, said: str) -> bool:
        """Whether the attack succeeded, as the host sees it."""
        if name == "write":
            return (self.folder / "target").read_text(encoding="ascii") != "untouched"
        if name == "read":
            return self.secret in said
        if name == "connect":
            return bool(select.select([self.listener], [], [], 0)[0])
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.process.wait(0.02)
        return self.process.poll() is not None


@contextlib.contextmanager
def set_up(folder: Path) -> Iterator[Targets]:
    """A fresh set of decoys below `folder`, gone afterwards."""
    folder.mkdir()
    (folder / "target").write_text("untouched", encoding="ascii")
    secret = secrets.token_hex(16)
    (folder / "secret").write_text(secret, encoding="ascii")
    sleeper = [shutil.which("sleep", path="/usr/bin:/bin") or "sleep", "60"]
    with socket.create_server(("127.0.0.1", 0)) as listener, subprocess.Popen(sleeper, env={}) as process:
        try:
            yield Targets(folder, secret, listener, process)
        finally:
            process.kill()


class Probed(Protocol):
    """A sandbox whose zygotes say what their kernel lacks."""

    def open(self, guest: Guest) -> HostZygote:
        """See `core.ports.Sandbox`."""


def examine(sandbox: Probed, rooms: Sequence[str] = ROOMS) -> list[ProbeCheck]:
    """All checks, from one spawn inside and one outside, side by side; `rooms` are the folders that can be written."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="decoys-", ignore_cleanup_errors=True)))
        inside, outside = (stack.enter_context(set_up(folder / name)) for name in ("inside", "outside"))
        control = _start_outside(outside)
        try:
            results, missing = _attack_inside(sandbox, folder, inside, rooms)
        except GuestLost as lost:
            return [ProbeCheck("start", False, "start a sandbox", str(lost), fix_for(str(lost)))]
        finally:
            answers = _answers_outside(control)
        controls = {name: outside.hit(name, answers.get(name, "")) for name in WITH_CONTROL}
        return _judge(results, missing, inside, controls)


def _attack_inside(
    sandbox: Probed, folder: Path, targets: Targets, rooms: Sequence[str]
) -> tuple[list[JobResult], Sequence[str]]:
    """One job for each decoy that may end its job."""
    empty = folder / "empty"
    empty.mkdir()
    jobs: list[Mapping[str, Json]] = [
        {**targets.job(), "nest": True},
        {"disk": dict.fromkeys(rooms, PROBE_LIMITS.disk_bytes)},
        {"processes": TOO_MANY},
    ]
    with sandbox.open(Guest(str(empty), own_interpreter(), limits=PROBE_LIMITS)) as zygote:
        return [zygote.run("decoys", job, seconds=SECONDS) for job in jobs], zygote.jail


def _judge(
    results: Sequence[JobResult], missing: Sequence[str], inside: Targets, controls: Mapping[str, bool]
) -> list[ProbeCheck]:
    result = results[0]
    said = {record.get("decoy"): record for one in results for record in one.records}
    if not result.records:
        return [ProbeCheck("start", False, "run decoys in a sandbox", result.trouble, fix_for(result.output))]
    runs = "; ".join(["it runs", *(f"second line of defence: {reason}" for reason in missing)])
    checks = [ProbeCheck("start", True, "start a sandbox", runs)]
    for name, tried in WITH_CONTROL.items():
        answer = str(said.get(name, {}).get("answer", result.trouble))
        if inside.hit(name, answer):
            checks.append(ProbeCheck(name, False, tried, "it succeeded", REPORT))
        elif not controls[name]:
            checks.append(ProbeCheck(name, False, tried, answer, BLIND))
        else:
            answer = "it reached nothing outside" if said.get(name, {}).get("did") else answer
            checks.append(ProbeCheck(name, name in said, tried, answer))
    for name, tried in WITHOUT_CONTROL.items():
        record = said.get(name)
        if record is not None:
            fix = REPORT if record.get("did") else ""
            checks.append(ProbeCheck(name, not record.get("did"), tried, str(record.get("answer")), fix))
        else:
            ended = results[ENDING.index(name)] if name in ENDING[: len(results)] else result
            stopped = ended is not result and ended.signal is not None and not ended.timed_out
            checks.append(ProbeCheck(name, stopped, tried, ended.trouble, "" if stopped else REPORT))
    return checks


def _start_outside(targets: Targets) -> subprocess.Popen[str]:
    argv = [sys.executable, "-I", "-S", str(layout.HARNESS_FOLDER / "decoys.py"), json.dumps(targets.job())]
    return subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)


def _answers_outside(control: subprocess.Popen[str]) -> dict[str, str]:
    try:
        text, _ = control.communicate(timeout=SECONDS)
        records = [json.loads(line) for line in text.splitlines()]
    except (subprocess.TimeoutExpired, ValueError):
        control.kill()
        control.wait()
        return {}
    return {record["decoy"]: record["answer"] for record in records}
