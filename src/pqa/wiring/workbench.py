"""Workbench: a stored run's branches in fresh snapshots, with the tools to run more on them."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from pqa.config import Settings
from pqa.core.branch import Branch
from pqa.core.errors import UsageError
from pqa.core.event import Event
from pqa.core.ports import Properties, Sandbox, Sink
from pqa.core.verdict import Collision
from pqa.engines.local import LocalEngine
from pqa.instruments.demonstrate import Demonstrator
from pqa.instruments.properties import load_properties
from pqa.intake import Caps, discard, retake_ref, take_base_or_ref, take_branches, take_locked, take_trusted
from pqa.sandbox.choose import choose_sandbox
from pqa.sandbox.interpreter import fallback_mounts, find_interpreter
from pqa.stages.replay import Bench
from pqa.wiring.modules import Modules
from pqa.wiring.run_folder import HOME
from pqa.wiring.suites import Suites
from pqa.wiring.toolbox import Toolbox


@dataclass(frozen=True, slots=True)
class Order:
    """Which stored run, in which project, with which settings."""

    project: Path
    collision: Collision
    settings: Settings
    unsafe_no_sandbox: bool = False


class Workbench:
    """Opens snapshots and sandboxes on entry and leaves nothing behind; `branches` holds those asked for."""

    def __init__(self, order: Order, names: Collection[str] | None = None, sinks: Sequence[Sink] = ()) -> None:
        self.order = order
        self._names = names
        self._sinks = sinks
        self._folder = Path(tempfile.mkdtemp(prefix="pqa-workbench-"))
        self._sandbox: Sandbox | None = None

    def emit(self, event: Event) -> None:
        """Pass an event on to the sinks."""
        for sink in self._sinks:
            sink.emit(event)

    @property
    def folder(self) -> Path:
        """Where snapshots lie; gone at the end."""
        return self._folder

    def __enter__(self) -> Workbench:
        try:
            self._open()
        except BaseException:
            self.close()
            raise
        return self

    def _open(self) -> None:
        order = self.order
        interpreter = find_interpreter(order.settings.python, order.project, os.environ)
        sandbox = self._sandbox = choose_sandbox(unsafe=order.unsafe_no_sandbox, environ=os.environ)
        self.branches = retake(order, self._names, self._folder)
        locked = order.collision.suite.get("locked")
        suite = take_locked(str(locked), project=order.project, into=self._folder) if locked else None
        named = order.collision.suite.get("base") or order.collision.task.base
        base = take_base_or_ref(str(named), project=order.project, into=self._folder) if named else None
        self.suites = Suites(suite, base, self.emit)
        self.properties = self._load_properties()
        engine = LocalEngine()
        mounts = (*fallback_mounts(interpreter), *self.suites.mounts)
        self.tools = Toolbox(
            sandbox, engine, interpreter, order.settings.limits, mounts, self.properties, time.monotonic
        )
        demonstrate = Demonstrator(self.properties, Modules(self.tools, self.branches.values()), self.suites.rerun)
        self.bench = Bench(
            self.tools.fresh, self.tools.zygote, demonstrate, engine, sandbox.tier, self.emit, self._controls()
        )

    def _controls(self) -> tuple[Branch, ...]:
        """The base and the reference of the run, where they are still there and hold code."""
        order, found = self.order, list[Branch]()
        named = {"base": order.collision.suite.get("base") or order.collision.task.base}
        named["reference"] = order.collision.suite.get("reference")
        with contextlib.suppress(UsageError):
            if named["base"]:
                found.append(take_base_or_ref(str(named["base"]), project=order.project, into=self._folder))
        with contextlib.suppress(UsageError):
            if named["reference"]:
                path, into = str(named["reference"]), self._folder
                found.append(take_trusted("--reference", path, "reference", project=order.project, into=into))
        return tuple(one for one in found if one.code)

    def _load_properties(self) -> Properties:
        path = self.order.project / (self.order.settings.properties or f"{HOME}/properties.py")
        return load_properties(path) if path.exists() else {}

    def close(self) -> None:
        """Kill the sandboxes and remove the snapshots."""
        if self._sandbox is not None:
            self._sandbox.close()
        if self._folder.exists():
            discard(self._folder)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def retake(order: Order, names: Collection[str] | None, into: Path) -> dict[str, Branch]:
    """Fresh snapshots of a stored run's branches; one that is gone or changed since the run is an error that names it."""
    stored = {branch.branch_id: branch for branch in order.collision.branches}
    wanted = [one for name, one in stored.items() if names is None or name in names]
    caps = Caps(exclude=order.settings.exclude)
    folders = [one for one in wanted if one.source != "ref"]
    for one in folders:
        if not Path(one.path).is_dir():
            message = f"the branch '{one.branch_id}' is not at '{one.path}' any more"
            raise UsageError(message, "put it back, or run 'pqa collide' again")
    found = [(one.branch_id, Path(one.path)) for one in folders]
    taken = list(take_branches(found, into=into, caps=caps)) if found else []
    taken += [retake_ref(one, into=into, caps=caps) for one in wanted if one.source == "ref"]
    by_name = {branch.branch_id: branch for branch in taken}
    for branch in taken:
        if branch.digest != stored[branch.branch_id].digest:
            message = f"the branch '{branch.branch_id}' in '{branch.path}' has changed since the run"
            raise UsageError(message, "run 'pqa collide' again; the stored verdict is not about this code")
    return {one.branch_id: by_name[one.branch_id] for one in wanted}
