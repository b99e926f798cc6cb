"""Fork server: preloads the standard library and the harness, never branch code; forks one locked-down child a job."""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import secrets
import sys
import time
import traceback
from collections.abc import Mapping
from types import ModuleType
from typing import Any

import child
import jail
import seccomp
import tree
import trial
import warm

STANDARD = (
    *("abc", "ast", "base64", "bisect", "calendar", "collections.abc", "contextlib", "contextvars", "copy", "csv"),
    *("dataclasses", "datetime", "decimal", "difflib", "dis", "enum", "fractions", "functools", "hashlib", "heapq"),
    *("inspect", "io", "itertools", "logging", "math", "numbers", "operator", "pathlib", "pickle", "pprint", "queue"),
    *("random", "re", "shutil", "statistics", "string", "struct", "subprocess", "tempfile", "textwrap", "threading"),
    *("time", "tokenize", "typing", "unittest", "unittest.mock", "uuid", "warnings", "weakref", "zoneinfo"),
)
PR_SET_DUMPABLE, PR_SET_CHILD_SUBREAPER = 4, 36
SWEEP_SECONDS = 5.0
CHUNK = 1 << 16


class Zygote:
    """Reads requests, runs one job at a time, answers in JSON lines."""

    def __init__(self, config: Mapping[str, Any], host_in: int, host_out: int) -> None:
        self.host_in, self.host_out = host_in, host_out
        self.unread = bytearray()
        self.alone: bool = config["alone"]
        self.current: trial.Trial | None = None
        self.modules: dict[str, ModuleType] = {}
        self.broken: dict[str, str] = {}
        self.preload(config)
        self.setting = child.Setting(config)
        child.forget_checkouts(self.setting)
        self.mounts = tree.mount_points()
        self.missing = protect(config)
        if self.setting.fence is not None:
            self.missing.append(self.setting.fence.missing())
        if self.setting.bare and any(self.missing):
            sys.exit(
                "this tier has nothing else to stand on: " + "; ".join(reason for reason in self.missing if reason)
            )
        gc.collect()
        gc.freeze()

    def preload(self, config: Mapping[str, Any]) -> None:
        """Import what children will need; afterwards harness modules are out of reach by name."""
        sys.path.extend(config["extra_paths"])
        for name in (*STANDARD, *config["preload"]):
            try:
                warm.load(name)
            except ImportError:
                continue
        folders = [os.path.dirname(os.path.abspath(__file__)), *config["harness"]]
        for folder in folders:
            sys.path.insert(0, folder)
            for name in sorted(each[:-3] for each in os.listdir(folder) if each.endswith(".py")):
                if name not in ("__init__", "zygote"):
                    self.preload_job(name)
        sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) not in folders]
        own = tuple(folder + os.sep for folder in folders)
        for name, module in list(sys.modules.items()):
            if (getattr(module, "__file__", None) or "").startswith(own) and name != "__main__":
                del sys.modules[name]

    def preload_job(self, name: str) -> None:
        """Keep one harness module under its file name; a broken one is reported by the job that asks for it."""
        try:
            self.modules[name] = importlib.import_module(name)
        except BaseException:
            self.broken[name] = traceback.format_exc()

    def send(self, messages: list[Any]) -> None:
        """Write messages to the host; it always reads."""
        view = memoryview(b"".join(json.dumps(message).encode() + b"\n" for message in messages))
        while view:
            view = view[os.write(self.host_out, view) :]

    def serve(self) -> None:
        """Answer requests until the host is gone."""
        self.send([{"ready": True, "jail": [reason for reason in self.missing if reason]}])
        while True:
            request = self.next_message()
            if "kind" in request:
                self.carry_out(request)

    def next_message(self) -> dict[str, Any]:
        """The next line of the host; its end is the end of everything."""
        while b"\n" not in self.unread:
            self.receive()
        line, _, rest = self.unread.partition(b"\n")
        self.unread = rest
        message: dict[str, Any] = json.loads(line)
        return message

    def receive(self) -> None:
        """Take what the host wrote, or leave with everything when it is gone."""
        part = os.read(self.host_in, CHUNK)
        if not part:
            self.sweep()
            os._exit(0)
        self.unread += part

    def hear(self) -> None:
        """While a job runs: take what the host says."""
        self.receive()
        self.pass_on()

    def pass_on(self) -> None:
        """Words for the running job go to it, what was meant for an earlier one is dropped."""
        while b"\n" in self.unread and self.current is not None:
            message = self.next_message()
            if message.get("id") != self.current.number:
                continue
            if message.get("hang_up"):
                self.current.hang_up()
            elif "say" in message:
                self.current.say(json.dumps(message["say"]).encode() + b"\n")

    def carry_out(self, request: Mapping[str, Any]) -> None:
        """One job from fork to clean folders."""
        number, kind = request["id"], request["kind"]
        module = self.modules.get(kind)
        if module is None or not hasattr(module, "run"):
            why = self.broken.get(kind, f"the harness has no job {kind!r}")
            end = {"exit_code": 1, "signal": None, "timed_out": False, "truncated": False, "output": why}
            self.send([{"id": number, "end": {**end, "cpu_seconds": 0.0}}])
            return
        token = secrets.token_hex(8)
        self.send([{"id": number, "token": token}])
        self.current = run = trial.Trial(number, float(request["seconds"]), self.setting.limits, self.send)
        pid = os.fork()
        if pid == 0:
            words = run.words_in if request.get("conversation") else None
            pipes = (run.output_out, run.records_out, words)
            child.become(self.setting, module, request["job"], token, pipes)
        run.started(pid)
        self.pass_on()
        run.wait(self.host_in, self.hear)
        self.sweep()
        run.drain()
        self.current = None
        self.clean()
        self.send([{"id": number, "end": run.result()}])

    def sweep(self) -> None:
        """Kill and reap whatever jobs left running, the job's own process included."""
        run = self.current
        if not self.alone and run is not None:
            killed_group(run.pid)
        limit = time.monotonic() + SWEEP_SECONDS
        while time.monotonic() < limit:
            if self.alone:
                trial.kill_quietly(-1)
            else:
                for pid in jail.descendants(os.getpid()):
                    trial.kill_quietly(pid)
            try:
                pid, status, usage = os.wait4(-1, 0 if self.alone else os.WNOHANG)
            except ChildProcessError:
                return
            if pid == 0:
                time.sleep(0.001)
            elif run is not None and pid == run.pid:
                run.note_death(status, usage)
            elif run is not None:
                run.cpu_seconds += usage.ru_utime + usage.ru_stime

    def clean(self) -> None:
        """Leave nothing of a job to the next one; where that fails there is no next one."""
        for folder in (self.setting.work, *self.setting.scratch):
            if not tree.empty(folder, self.mounts):
                sys.exit(f"what a job left in {folder} could not be removed")


def killed_group(pid: int) -> None:
    """SIGKILL to the process group that the child leads."""
    try:
        os.killpg(pid, 9)
    except OSError:
        trial.kill_quietly(pid)


def protect(config: Mapping[str, Any]) -> list[str]:
    """Make this process unreadable to its children, the parent of their orphans, and filter system calls for all."""
    if config.get("bare"):
        jail.give_up_capabilities()
    if sys.platform == "linux":
        libc = ctypes.CDLL(None, use_errno=True)
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)
    if config["seccomp"]:
        return [seccomp.restrict_system_calls(hidden_memory=config["hidden_memory"])]
    return []


def really_alone(host_namespace: str) -> bool:
    """Whether this is another process namespace than the host's: only then may everything in it be killed."""
    try:
        return bool(host_namespace) and os.readlink("/proc/self/ns/pid") != host_namespace and os.getpid() < 100
    except OSError:
        return False


def main() -> None:
    """Take the configuration from the first line, keep the two pipes to the host out of everybody's way."""
    config = json.loads(jail.read_line(0))
    host_in, host_out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    if config["alone"] and not really_alone(config["host_namespace"]):
        sys.exit("the fork server shares the host's process namespace")
    Zygote(config, host_in, host_out).serve()


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    main()
