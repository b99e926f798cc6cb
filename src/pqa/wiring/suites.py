"""Suites: how the own, the locked and the base's suite of a run are mounted, run and re-run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.event import Event
from pqa.core.job import Mount
from pqa.core.ports import Zygote
from pqa.core.verdict import SuiteRun, Verification
from pqa.instruments.suite import BASE_MOUNT, LOCKED_MOUNT, run_suite
from pqa.stages.verify import summary, verify

SUITE_SECONDS = 120.0
OF_BASE = "base:"


@dataclass(frozen=True, slots=True)
class Suites:
    """The suites that do not belong to a branch, and where a guest sees them."""

    locked: Branch | None
    base: Branch | None
    emit: Callable[[Event], None]

    @property
    def mounts(self) -> tuple[Mount, ...]:
        """What every guest of the run must be able to read."""
        found = [(self.locked, LOCKED_MOUNT), (self.base, BASE_MOUNT)]
        return tuple(Mount(suite.snapshot, target) for suite, target in found if suite is not None)

    def verify(self, branch: Branch, zygote: Zygote) -> Verification:
        """Run all suites on one branch."""
        return verify(
            branch,
            zygote=zygote,
            locked=self.locked.tests if self.locked else None,
            base_tests=self.base.tests if self.base and self.base.tests else None,
            base_code=self.base.code if self.base else (),
            seconds=SUITE_SECONDS,
            emit=self.emit,
        )

    def attempt(self, branch: Branch, opened: Callable[[Branch], Zygote]) -> Verification:
        """The same in a sandbox that is still to be opened; where it is lost, nothing is known of the branch."""
        try:
            return self.verify(branch, opened(branch))
        except GuestLost as lost:
            unknown = SuiteRun("could-not-check", why=f"the sandbox was lost: {lost}")
        verification = Verification(unknown, unknown if self.locked else None)
        self.emit(Event("branch-verified", branch.branch_id, summary(verification)))
        return verification

    def rerun(self, zygote: Zygote, branch: Branch, node_id: str, seconds: float) -> tuple[bool | None, str]:
        """Run one locked test again, or one of the base's ("base:..."): True when it fails, None when it did not count."""
        mount: str = LOCKED_MOUNT
        skip: tuple[str, ...] = ()
        if node_id.startswith(OF_BASE):
            node_id = node_id.removeprefix(OF_BASE)
            mount, skip = BASE_MOUNT, self.base.code if self.base else ()
        run = run_suite(zygote, (), code=branch.code, copy_from=mount, skip=skip, select=(node_id,), seconds=seconds)
        found = next((test for test in run.tests if test.node_id == node_id), None)
        if run.status == "could-not-check" or found is None:
            return None, run.why or f"the test '{node_id}' was not found"
        return found.outcome in ("failed", "error"), f"{node_id}: {found.outcome} {found.message}".strip()
