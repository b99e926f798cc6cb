"""Collide: turn a request into the parts of one run, carry it out, keep what it gave, and leave nothing else behind."""

from __future__ import annotations

import datetime
import os
import platform
import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pqa
from pqa import collision as flow
from pqa.attacks import select
from pqa.config import CollideRequest
from pqa.core.branch import Branch
from pqa.core.contract import Agreed
from pqa.core.errors import NothingToAttack
from pqa.core.event import Event
from pqa.core.finding import Note
from pqa.core.job import Interpreter
from pqa.core.ports import Attack, Properties, Sandbox, Sink
from pqa.core.task import Task
from pqa.core.verdict import CheckRun, Collision, Verification
from pqa.engines.local import LocalEngine
from pqa.instruments.contract_file import read_contract, write_contract
from pqa.instruments.demonstrate import Demonstrator
from pqa.instruments.properties import load_properties
from pqa.intake import (
    Candidates,
    Caps,
    find_candidates,
    read_task,
    take_base_or_ref,
    take_candidates,
    take_locked,
    take_trusted,
)
from pqa.ledger.store import SqliteLedger
from pqa.sandbox.ahead import choosing_sandbox
from pqa.sandbox.interpreter import fallback_mounts, find_interpreter
from pqa.stages.attack import Orders
from pqa.stages.replay import Bench
from pqa.wiring.gate import Gate
from pqa.wiring.modules import Modules
from pqa.wiring.outside import Outside
from pqa.wiring.run_folder import CONTRACT_FILE, HOME, RunFolder, new_run_id
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
    agreed: Agreed
    reference: Branch | None


def collide(request: CollideRequest, sinks: Sequence[Sink]) -> Collision:
    """Judge the branches of a request; the run is on disk and in the ledger when this returns."""
    with choosing_sandbox(unsafe=request.unsafe_no_sandbox, environ=os.environ) as chosen:
        return _collide(request, sinks, chosen)


def _collide(request: CollideRequest, sinks: Sequence[Sink], chosen: Callable[[], Sandbox]) -> Collision:
    project, settings = request.project, request.settings
    attacks = select(settings.attacks)
    task = read_task(request.task, project=project)
    if task.mode == "decide":
        raise NothingToAttack(
            "the task is in decide mode: there is no code to attack",
            "run 'pqa judge' to weigh the ideas, or set 'mode: build'",
        )
    found = find_candidates(request.branches, request.refs, project=project)
    properties = _properties(request)
    interpreter = find_interpreter(settings.python, project, os.environ)
    sandbox = chosen()
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


def _ledger_path(project: Path) -> Path:
    (project / HOME).mkdir(exist_ok=True)
    return project / HOME / "ledger.db"


def _properties(request: CollideRequest) -> Properties:
    named = request.settings.properties
    path = request.project / (named or f"{HOME}/properties.py")
    return load_properties(path) if named or path.exists() else {}


def _take(
    request: CollideRequest, task: Task, found: Candidates, properties: Properties, folder: RunFolder
) -> Material:
    project, caps = request.project, Caps(exclude=request.settings.exclude)
    branches = take_candidates(found, project=project, into=folder.snapshots, caps=caps)
    locked = take_locked(request.tests, project=project, into=folder.snapshots, caps=caps) if request.tests else None
    named_base = request.base or task.base
    base = take_base_or_ref(named_base, project=project, into=folder.snapshots, caps=caps) if named_base else None
    lines, answers = read_contract(project / CONTRACT_FILE)
    reference = _reference(request, folder, caps)
    agreed = Agreed(
        tuple(line for line in lines if line.source == "person"), tuple(one for one in answers if one.witness)
    )
    return Material(task, branches, locked, base, properties, agreed, reference)


def _reference(request: CollideRequest, folder: RunFolder, caps: Caps) -> Branch | None:
    named, into = request.reference, folder.snapshots
    return (
        take_trusted("--reference", named, "reference", project=request.project, into=into, caps=caps)
        if named
        else None
    )


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
    outside = Outside(request, sandbox, interpreter)

    def emit(event: Event) -> None:
        for sink in sinks:
            sink.emit(event)

    engine, suites = LocalEngine(), Suites(material.locked, material.base, emit)
    mounts = (*fallback_mounts(interpreter), *suites.mounts)
    tools = Toolbox(
        sandbox, engine, interpreter, settings.limits, mounts, material.properties, time.monotonic,
        settled=material.agreed, trusted=material.reference, origin=material.base,
    )  # fmt: skip
    checks = StaticChecks(request.project, settings.checks, material.base, sandbox, tools, folder.path / "checks")

    def verify(branch: Branch) -> Verification:
        return suites.attempt(branch, tools.zygote)

    def check(branches: Sequence[Branch]) -> dict[str, tuple[CheckRun, ...]]:
        return dict(checks.run(branches, emit))

    bench = _bench(material, tools, suites, emit)
    parts = flow.Parts(sandbox, engine, attacks, tools, bench, check, verify, tools.keep, emit, time.monotonic)
    gate = Gate(bench, {branch.branch_id: branch for branch in material.branches}, material.properties)
    try:
        judged = outside.attack(flow.collide(_plan(request, material, folder.run_id, interpreter), parts), gate)
        write_contract(request.project / CONTRACT_FILE, list(tools.learned))
        return judged
    finally:
        tools.close()


def _bench(material: Material, tools: Toolbox, suites: Suites, emit: Callable[[Event], None]) -> Bench:
    demonstrate = Demonstrator(material.properties, Modules(tools, material.branches), suites.rerun)
    trusted = tuple(one for one in (material.base, material.reference) if one is not None and one.code)
    return Bench(tools.fresh, tools.zygote, demonstrate, tools.engine, tools.sandbox.tier, emit, trusted)


def _plan(request: CollideRequest, material: Material, run_id: str, interpreter: Interpreter) -> flow.Plan:
    settings = request.settings
    return flow.Plan(
        run_id, material.task, material.branches,
        Orders(material.task, settings.seed, TRIALS, settings.budget),
        versions=_versions(interpreter), stamps=_stamps(request), notes=_notes(material), until=request.until,
    )  # fmt: skip


def _suite(request: CollideRequest) -> dict[str, str]:
    named = {"locked": request.tests, "base": request.base, "reference": request.reference}
    return {key: path for key, path in named.items() if path}


def _versions(interpreter: Interpreter) -> dict[str, str]:
    return {
        "pqa": pqa.__version__,
        "python": platform.python_version(),
        "branches": ".".join(map(str, interpreter.version)),
    }


def _stamps(request: CollideRequest) -> tuple[str, ...]:
    said = {"unsafe-no-sandbox": request.unsafe_no_sandbox}
    said["adversary-network"] = bool(request.adversaries) and request.adversary_network
    return tuple(stamp for stamp, held in said.items() if held)


def _notes(material: Material) -> tuple[Note, ...]:
    return tuple(
        Note("skipped-files", f"not read: {'; '.join(branch.skipped[:8])}", branch.branch_id)
        for branch in material.branches
        if branch.skipped
    )
