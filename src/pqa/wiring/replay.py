"""Replay: run the stored triggers of a run again, on the branches as they are now."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from pqa.config import ReplayRequest
from pqa.core.branch import Branch
from pqa.core.errors import UsageError
from pqa.core.event import Event
from pqa.core.finding import Finding
from pqa.core.ports import Sink
from pqa.engines.local import LocalEngine
from pqa.instruments.demonstrate import Demonstrator
from pqa.instruments.properties import load_properties
from pqa.intake import discard, take_branches, take_locked
from pqa.sandbox.choose import choose_sandbox
from pqa.sandbox.interpreter import fallback_mounts, find_interpreter
from pqa.stages.replay import Bench
from pqa.stages.replay import replay as replay_all
from pqa.wiring.modules import Modules
from pqa.wiring.run_folder import HOME
from pqa.wiring.suites import Suites
from pqa.wiring.toolbox import Toolbox


def replay(request: ReplayRequest, sinks: Sequence[Sink]) -> list[Finding]:
    """The findings of a stored run that have a trigger, judged again; a branch that changed since is said so."""
    wanted = [one for one in request.collision.findings if one.trigger and request.finding_id in (None, one.id)]
    interpreter = find_interpreter(request.settings.python, request.project, os.environ)
    sandbox = choose_sandbox(unsafe=request.unsafe_no_sandbox, environ=os.environ)
    folder = Path(tempfile.mkdtemp(prefix="pqa-replay-"))

    def emit(event: Event) -> None:
        for sink in sinks:
            sink.emit(event)

    try:
        branches = _branches(request, {finding.branch_id for finding in wanted}, folder)
        tests = request.collision.suite.get("locked")
        locked = take_locked(str(tests), project=request.project, into=folder) if tests else None
        suites = Suites(locked, None, emit)
        path = request.project / (request.settings.properties or f"{HOME}/properties.py")
        declared = load_properties(path) if path.exists() else {}
        mounts = (*fallback_mounts(interpreter), *suites.mounts)
        engine = LocalEngine()
        tools = Toolbox(sandbox, engine, interpreter, request.settings.limits, mounts, declared, time.monotonic)
        show = Demonstrator(declared, Modules(tools, branches.values()), suites.rerun)
        bench = Bench(tools.fresh, tools.zygote, show, engine, sandbox.tier, emit)
        fresh = [replace(one, severity=one.claimed_severity or one.severity, discounted=False) for one in wanted]
        return replay_all(fresh, branches, bench)
    finally:
        sandbox.close()
        discard(folder)


def _branches(request: ReplayRequest, names: set[str], folder: Path) -> dict[str, Branch]:
    stored = {branch.branch_id: branch for branch in request.collision.branches}
    found = []
    for name in sorted(names):
        path = Path(stored[name].path)
        if not path.is_dir():
            raise UsageError(f"the branch '{name}' is not at '{path}' any more", "put it back, or run 'pqa collide' again")
        found.append((name, path))
    return {branch.branch_id: branch for branch in take_branches(found, into=folder)}


