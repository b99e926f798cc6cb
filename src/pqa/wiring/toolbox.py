"""Toolbox: the sandboxes, surfaces and verifications of one run, opened once and shared; what attacks reach as `Tools`."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from pqa.core.branch import Branch
from pqa.core.contract import Agreed, Line
from pqa.core.job import Guest, Interpreter, Limits, Mount
from pqa.core.ports import Engine, Properties, Sandbox, Zygote
from pqa.core.surface import Surface
from pqa.core.task import Brief
from pqa.core.verdict import Verification
from pqa.instruments.surface import read_surface

Item = TypeVar("Item")
Result = TypeVar("Result")
SURFACE_SECONDS = 60.0


@dataclass(slots=True)
class Toolbox:
    """Implements `core.ports.Tools`, and gives the stages their fresh and warm sandboxes."""

    sandbox: Sandbox
    engine: Engine
    interpreter: Interpreter
    limits: Limits
    mounts: tuple[Mount, ...]
    declared: Properties
    clock: Callable[[], float]
    settled: Agreed = field(default_factory=Agreed)
    trusted: Branch | None = None
    origin: Branch | None = None
    learned: dict[Line, None] = field(default_factory=dict)
    verifications: dict[str, Verification] = field(default_factory=dict)
    _zygotes: dict[tuple[str, int], Zygote] = field(default_factory=dict)
    _surfaces: dict[str, Surface] = field(default_factory=dict)
    _opening: dict[tuple[str, int], threading.Lock] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _began: float | None = None

    def guest(self, branch: Branch, hash_seed: int = 0, preload: tuple[str, ...] = ()) -> Guest:
        """The guest that runs this branch's code."""
        return Guest(
            branch.snapshot, self.interpreter, branch.import_roots, self.mounts, preload, hash_seed, self.limits
        )

    def zygote(self, branch: Branch, *, hash_seed: int = 0) -> Zygote:
        """See `Tools`. The one with hash seed 0 has pytest loaded, since it also runs the suites."""
        key = (branch.branch_id, hash_seed)
        with self._lock:
            opening = self._opening.setdefault(key, threading.Lock())
        with opening:
            if key not in self._zygotes:
                preload = ("pytest",) if hash_seed == 0 and self._has_pytest else ()
                self._zygotes[key] = self.sandbox.open(self.guest(branch, hash_seed, preload))
            return self._zygotes[key]

    @property
    def _has_pytest(self) -> bool:
        return self.interpreter.has_pytest or bool(self.interpreter.extra_paths)

    def fresh(self, branch: Branch, hash_seed: int) -> Zygote:
        """A sandbox of its own, for one replay; the caller closes it."""
        return self.sandbox.open(self.guest(branch, hash_seed))

    def surface(self, branch: Branch) -> Surface:
        """See `Tools`."""
        if branch.branch_id not in self._surfaces:
            self._surfaces[branch.branch_id] = read_surface(self.zygote(branch), branch, seconds=SURFACE_SECONDS)
        return self._surfaces[branch.branch_id]

    def verification(self, branch: Branch) -> Verification:
        """See `Tools`."""
        return self.verifications[branch.branch_id]

    def keep(self, verifications: Mapping[str, Verification]) -> None:
        """Take what the verify stage saw; the attacks' wall limit runs from now on."""
        self.verifications.update(verifications)
        self._began = self.clock()

    def side_by_side(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """See `Tools`."""
        return self.engine.map(function, items)

    def properties(self) -> Properties:
        """See `Tools`."""
        return self.declared

    def agreed(self) -> Agreed:
        """See `Tools`."""
        return self.settled

    def keep_lines(self, lines: Iterable[Line]) -> None:
        """See `Tools`."""
        self.learned.update(dict.fromkeys(lines))

    def reference(self) -> Branch | None:
        """See `Tools`."""
        return self.trusted

    def base(self) -> Branch | None:
        """See `Tools`."""
        return self.origin

    def expired(self, brief: Brief) -> bool:
        """See `Tools`."""
        return self._began is not None and self.clock() - self._began > brief.wall_seconds

    def close(self) -> None:
        """Kill every sandbox of the run."""
        for zygote in self._zygotes.values():
            zygote.close()
        self._zygotes.clear()
