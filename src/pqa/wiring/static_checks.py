"""Static checks: the early kill of a run, with the project's checks, its configuration and a control."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from pqa.core.branch import Branch
from pqa.core.event import Event
from pqa.core.ports import Sandbox
from pqa.core.verdict import CheckRun
from pqa.instruments.toolchain import default_checks, tool_env, tool_mounts
from pqa.intake import discard
from pqa.stages.early_kill import Checking, early_kill
from pqa.wiring.toolbox import Toolbox


class StaticChecks:
    """Knows which commands to run; `checks` None: what the project's own configuration asks for."""

    def __init__(
        self,
        project: Path,
        checks: Sequence[str] | None,
        base: Branch | None,
        sandbox: Sandbox,
        tools: Toolbox,
        scratch: Path,
    ) -> None:
        self._project, self._checks = project, checks
        self._control = base if base is not None and base.code else None
        self._sandbox, self._tools, self._scratch = sandbox, tools, scratch

    def run(self, branches: Sequence[Branch], emit: Callable[[Event], None]) -> Mapping[str, tuple[CheckRun, ...]]:
        """Every check on every branch; the trees that are built for it are gone afterwards."""
        checks = default_checks(self._project) if self._checks is None else self._checks
        home = Path(os.environ.get("HOME") or Path.home())
        self._scratch.mkdir(parents=True, exist_ok=True)
        checking = Checking(
            self._sandbox,
            self._tools.guest,
            self._scratch,
            tool_mounts(os.environ, home),
            tool_env(os.environ, home),
            zygote_for=self._tools.zygote,
        )
        try:
            return early_kill(
                branches,
                checks=checks,
                control=self._control,
                configuration=self._project,
                checking=checking,
                emit=emit,
            )
        finally:
            discard(self._scratch)
