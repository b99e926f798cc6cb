"""Modules: which modules each branch offers, read from its surface when first asked for."""

from __future__ import annotations

from collections.abc import Iterable

from pqa.core.branch import Branch
from pqa.instruments.demonstrate import modules_of
from pqa.wiring.toolbox import Toolbox


class Modules:
    """A look-up by branch id."""

    def __init__(self, tools: Toolbox, branches: Iterable[Branch]) -> None:
        self._tools = tools
        self._branches = {branch.branch_id: branch for branch in branches}

    def __call__(self, branch: Branch) -> tuple[str, ...]:
        """The modules of a branch of this run."""
        return modules_of(self._tools.surface(self._branches[branch.branch_id]))
