"""Hollow: run a suite once for each of several hollowings of the code, each in a fork made after collection.

job: {"paths", "root", "copy", "code", "extra"} as for `suite`, {"tests": [files of the suite], "imports": [modules],
"limit": seconds a run, "runs": [{"way", "function", "select": [ids] or null, "stop": bool, "clears": bool, "values"}]}.
Ways are those of `hollow_parts`, and "clean" for no change at all; "watch" takes all functions. A run that "clears" its
function and turns red makes the later ones of that function needless. Records: {"missing": "pytest"}; those of `suite`
for collection; {"run": n}; of its process the tests' records, {"part": ...} a function, {"exit", "late", "spawned",
"reloaded", "copies"}; then {"ran": n, "ended", "seconds"}.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
import warnings
from collections.abc import Mapping
from typing import Any, Optional

import hollow_bodies
import hollow_parts
import naming
import reporter
import suite
import suite_options
import warm

SPAWNS = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "os.exec")
FAILED = 1
POLL = 0.001


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """Collect once, fork for each run; only the process that collected comes back from here."""
    root = suite.prepare_root(job, context)
    os.chdir(root)
    warm_up(context)
    pytest = suite.trusted("pytest", context)
    if pytest is None:
        emit({"missing": "pytest"})
        return
    fork = Fork(job, emit, context, root)
    arguments = suite_options.arguments(job, root, context, own=not job.get("copy"))
    plugins = [reporter.Reporter(emit).hooks(pytest), fork.hooks(pytest)]
    status = int(pytest.main([*job["paths"], *arguments], plugins=plugins))
    if fork.stage is not None:
        fork.stage.leave(status, emit)
    emit({"collected_with": status})


def warm_up(context: Any) -> None:
    """Import pytest with all that it imports later, from outside the branch, so that not every fork does it again."""
    before = list(sys.path)
    sys.path[:] = [entry for entry in before if entry not in context.import_roots]
    try:
        if "pytest" not in sys.modules:
            warm.load("pytest")
    except ImportError:
        pass
    finally:
        sys.path[:] = before


class Fork:
    """Takes the place of pytest's loop over the tests: runs it in forks, never in the process that collected."""

    def __init__(self, job: Mapping[str, Any], emit: Any, context: Any, root: str) -> None:
        self.job, self.emit, self.root = job, emit, root
        self.names = naming.Naming(context.source, job["code"])
        self.stage: Optional[Stage] = None

    def hooks(self, pytest: Any) -> Any:
        """The plug-in object."""
        fork = self

        class Hooks:
            """What pytest calls."""

            def pytest_runtestloop(self, session: Any) -> Any:
                return fork.loop(session)

            def pytest_runtest_logstart(self, nodeid: str) -> None:
                if fork.stage is not None:
                    fork.stage.test = nodeid

            def pytest_runtest_logfinish(self, nodeid: str) -> None:
                if fork.stage is not None:
                    fork.stage.finish(nodeid)

        pytest.hookimpl(tryfirst=True)(Hooks.pytest_runtestloop)
        return Hooks()

    def loop(self, session: Any) -> Any:
        """All runs; None in a fork, where pytest's own loop goes on."""
        if session.testsfailed:
            return None
        hollow_bodies.load(list(self.job.get("imports", ())))
        cleared: set[str] = set()
        for index, order in enumerate(self.job["runs"]):
            if order.get("function") in cleared:
                continue
            self.emit({"run": index})
            began = time.monotonic()
            pid = forked()
            if pid == 0:
                os.setpgid(0, 0)
                self.stage = Stage(self.job, order, self.names, self.root)
                self.stage.begin(session)
                return None
            ended = waited(pid, float(self.job["limit"]))
            self.emit({"ran": index, "ended": ended, "seconds": round(time.monotonic() - began, 3)})
            if order.get("clears") and ended == FAILED:
                cleared.add(order["function"])
        return True


class Stage:
    """One fork: the code is hollowed, the suite runs, what happened is told."""

    def __init__(self, job: Mapping[str, Any], order: Mapping[str, Any], names: naming.Naming, root: str) -> None:
        self.order, self.names = order, names
        self.bodies = hollow_bodies.Bodies(names)
        self.tests = {os.path.realpath(os.path.join(root, name)) for name in job.get("tests", ())}
        self.test = ""
        self.raised: list[hollow_parts.Hollowed] = []
        self.parts: list[hollow_parts.Part] = []
        self.codes: dict[str, Any] = {}
        self.places: dict[str, tuple[str, str]] = {}
        self.spawned = False
        self.reloaded: set[str] = set()
        self.loaded: set[str] = set()

    def begin(self, session: Any) -> None:
        """Choose the tests, then hollow."""
        chosen = self.order.get("select")
        if chosen is not None:
            wanted = set(chosen)
            session.items[:] = [item for item in session.items if item.nodeid in wanted]
        if self.order.get("stop"):
            session.config.option.maxfail = 1
        for item in session.items:
            name = getattr(item, "originalname", None) or item.name.partition("[")[0]
            self.places[item.nodeid] = (os.path.realpath(str(getattr(item, "path", None) or item.fspath)), name)
        self.loaded = {name for name, _ in self.names.modules()}
        self.hollow()
        sys.setrecursionlimit(sys.getrecursionlimit() * 3)
        if self.order.get("reseed"):
            random.seed()
        sys.addaudithook(self.audit)

    def hollow(self) -> None:
        """Put the stand-ins in place; a function that is not there gets no part."""
        way, name = self.order["way"], self.order.get("function")
        if way == "clean":
            return
        offered = self.bodies.offered() if way == "watch" else {}
        written = self.bodies.find(name) if name else None
        wanted = offered if way == "watch" else {name: written} if name and written is not None else {}
        for each, function in wanted.items():
            part = hollow_parts.Part(self, each, way, self.order.get("values"))
            code = function.__code__
            if self.bodies.swap(function, part.hook_for):
                self.codes[each] = code
                self.parts.append(part)

    def is_from_test(self, frame: Any) -> bool:
        """Whether a frame belongs to a test, directly or by way of a library."""
        return hollow_parts.is_from_test(frame, self.is_test_file, self.names)

    def is_test_file(self, path: str) -> bool:
        """Whether a path is one of the suite's files."""
        return path in self.tests or os.path.realpath(path) in self.tests

    def audit(self, event: str, args: Any) -> None:
        """Notice code of the tree that is run anew, and other processes: there nothing is hollowed."""
        if event == "exec" and self.test:
            name = self.names.relative(getattr(args[0], "co_filename", ""))
            if name is not None:
                self.reloaded.add(name)
        elif event in SPAWNS and self.test:
            self.spawned = True

    def finish(self, test: str) -> None:
        """Whether an exception of ours left the test function: then whoever calls it has seen that the test failed."""
        path, name = self.places.get(test, ("", ""))
        for error in self.raised:
            trace, codes = error.__traceback__, []
            while trace is not None:
                codes.append(trace.tb_frame.f_code)
                trace = trace.tb_next
            if any(code.co_name == name and os.path.realpath(code.co_filename) == path for code in codes[1:]):
                for part in self.parts:
                    part.escaped[test] = 1
        self.raised.clear()
        self.test = ""

    def leave(self, status: int, emit: Any) -> None:
        """Tell what happened and end the process; never returns."""
        self.test = ""
        for part in self.parts:
            if part.fired or self.order["way"] != "watch":
                code = self.codes[part.name]
                place = {"file": self.names.relative(code.co_filename) or "", "line": code.co_firstlineno}
                emit({**part.record(), **place})
        late = sorted({name for name, _ in self.names.modules()} - self.loaded)
        copies = sum(self.bodies.copies(code) for code in self.codes.values()) if self.order["way"] != "watch" else 0
        told = {"spawned": self.spawned, "reloaded": sorted(self.reloaded), "copies": copies}
        emit({"exit": status, "late": late, **told})
        os._exit(status if 0 <= status < 100 else 100)


def forked() -> int:
    """A fork, whatever the project thinks of warnings."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return os.fork()


def waited(pid: int, limit: float) -> Any:
    """The exit status of a fork; "timeout" or the number of a signal in words where there is none."""
    end = time.monotonic() + limit
    ended: Any = "timeout"
    while time.monotonic() < end:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            ended = os.WEXITSTATUS(status) if os.WIFEXITED(status) else "signal " + str(os.WTERMSIG(status))
            break
        time.sleep(POLL)
    try:
        os.killpg(pid, signal.SIGKILL)
    except OSError:
        pass
    if ended == "timeout":
        os.waitpid(pid, 0)
    return ended
