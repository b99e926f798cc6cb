"""Collide: turn a request into the parts of one run, carry it out, keep what it gave, and leave nothing else behind."""

from __future__ import annotations

import datetime
import os
import platform
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pqa
from pqa import collision as flow
from pqa.attacks import select
from pqa.config import CollideRequest
from pqa.core.branch import Branch
from pqa.core.errors import NothingToAttack
from pqa.core.event import Event
from pqa.core.finding import Note
from pqa.core.job import Interpreter
from pqa.core.ports import Attack, Properties, Sandbox, Sink
from pqa.core.task import Task
from pqa.core.verdict import CheckRun, Collision, Verification
from pqa.engines.local import LocalEngine
from pqa.instruments.demonstrate import Demonstrator
from pqa.instruments.properties import load_properties
from pqa.intake import Caps, find_branches, read_task, take_base, take_branches, take_locked
from pqa.ledger.store import SqliteLedger
from pqa.sandbox.choose import choose_sandbox
from pqa.sandbox.interpreter import fallback_mounts, find_interpreter
from pqa.stages.attack import Orders
from pqa.stages.replay import Bench
from pqa.wiring.modules import Modules
from pqa.wiring.run_folder import HOME, RunFolder, new_run_id
from pqa.wiring.static_checks import StaticChecks
from pqa.wiring.suites import Suites
from pqa.wiring.toolbox import Toolbox

TRIALS = 240


@dataclass(frozen=True, slots=True)
class Material:
    """What intake gave."""

    task: Task
    branches: tuple[Branch, ...]
    locked: Branch | None
    base: Branch | None
    properties: Properties


def collide(request: CollideRequest, sinks: Sequence[Sink]) -> Collision:
    """Judge the branches of a request; the run is on disk and in the ledger when this returns."""
    project, settings = request.project, request.settings
    attacks = select(settings.attacks)
    task = read_task(request.task, project=project)
    if task.mode == "decide":
        raise NothingToAttack(
            "the task is in decide mode: there is no code to attack", "weigh the ideas instead, or set 'mode: build'"
        )
    found = find_branches(request.branches, project=project)
    properties = _properties(request)
    interpreter = find_interpreter(settings.python, project, os.environ)
    sandbox = choose_sandbox(unsafe=request.unsafe_no_sandbox, environ=os.environ)
    try:
        with SqliteLedger(_ledger_path(project)) as ledger:
            run_id = new_run_id(datetime.datetime.now(datetime.UTC), secrets.token_bytes(2))
            folder = RunFolder(project, run_id)
            try:
                material = _take(request, task, found, properties, folder)
                collision = _carry_out(request, material, folder, sandbox, interpreter, attacks, sinks)
                collision = replace(collision, history=ledger.history(task, material.branches), suite=_suite(request))
                folder.write(collision)
                ledger.record(collision, at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
            except BaseException:
                folder.discard()
                raise
            if not settings.keep:
                folder.drop_snapshots()
            return collision
    finally:
        sandbox.close()


def _ledger_path(project: Path) -> Path:
    (project / HOME).mkdir(exist_ok=True)
    return project / HOME / "ledger.db"


def _properties(request: CollideRequest) -> Properties:
    named = request.settings.properties
    path = request.project / (named or f"{HOME}/properties.py")
    return load_properties(path) if named or path.exists() else {}


def _take(
    request: CollideRequest, task: Task, found: Sequence[tuple[str, Path]], properties: Properties, folder: RunFolder
) -> Material:
    caps = Caps(exclude=request.settings.exclude)
    branches = take_branches(found, into=folder.snapshots, caps=caps)
    locked = (
        take_locked(request.tests, project=request.project, into=folder.snapshots, caps=caps) if request.tests else None
    )
    named_base = request.base or task.base
    base = take_base(named_base, project=request.project, into=folder.snapshots, caps=caps) if named_base else None
    return Material(task, branches, locked, base, properties)


def _carry_out(
    request: CollideRequest,
    material: Material,
    folder: RunFolder,
    sandbox: Sandbox,
    interpreter: Interpreter,
    attacks: dict[str, Attack],
    sinks: Sequence[Sink],
) -> Collision:
    settings = request.settings

    def emit(event: Event) -> None:
        for sink in sinks:
            sink.emit(event)

    engine = LocalEngine()
    suites = Suites(material.locked, material.base, emit)
    mounts = (*fallback_mounts(interpreter), *suites.mounts)
    tools = Toolbox(sandbox, engine, interpreter, settings.limits, mounts, material.properties, time.monotonic)
    checks = StaticChecks(request.project, settings.checks, material.base, sandbox, tools, folder.path / "checks")

    def verify(branch: Branch) -> Verification:
        return suites.verify(branch, tools.zygote(branch))

    def check(branches: Sequence[Branch]) -> dict[str, tuple[CheckRun, ...]]:
        return dict(checks.run(branches, emit))

    modules = Modules(tools, material.branches)
    bench = Bench(
        tools.fresh, tools.zygote, Demonstrator(material.properties, modules, suites.rerun), engine, sandbox.tier, emit
    )
    parts = flow.Parts(sandbox, engine, attacks, tools, bench, check, verify, tools.keep, emit, time.monotonic)
    plan = flow.Plan(
        folder.run_id, material.task, material.branches,
        Orders(material.task, settings.seed, TRIALS, settings.budget),
        versions=_versions(interpreter), stamps=_stamps(request), notes=_notes(material),
    )  # fmt: skip
    try:
        return flow.collide(plan, parts)
    finally:
        tools.close()


def _suite(request: CollideRequest) -> dict[str, str]:
    return {"locked": request.tests} if request.tests else {}


def _versions(interpreter: Interpreter) -> dict[str, str]:
    return {
        "pqa": pqa.__version__,
        "python": platform.python_version(),
        "branches": ".".join(map(str, interpreter.version)),
    }


def _stamps(request: CollideRequest) -> tuple[str, ...]:
    return ("unsafe-no-sandbox",) if request.unsafe_no_sandbox else ()


def _notes(material: Material) -> tuple[Note, ...]:
    return tuple(
        Note("skipped-files", f"not read: {'; '.join(branch.skipped[:8])}", branch.branch_id)
        for branch in material.branches
        if branch.skipped
    )
