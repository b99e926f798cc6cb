"""Mutant runner: runs single collected tests through pytest's hooks, without reports, and says whether each passed.

It is trusted only after controls: everything it calls green is green in pytest's own loop too, and it sees each kind of
test fail. A unittest case does not raise its failures, it keeps them; parts of a test report theirs; both are looked at.
"""

from __future__ import annotations

import time
from typing import Any, Optional

from mutant_fork import limit_cpu

PASSED, FAILED, OTHER = "passed", "failed", "other"


class Runner:
    """Runs items of one session; `pytest` is the trusted module."""

    def __init__(self, pytest: Any, session: Any) -> None:
        self.session = session
        self.skipped: Any = pytest.skip.Exception
        self.expected: Any = pytest.xfail.Exception
        self.reported_failure = False

    def take(self, report: Any) -> None:
        """A report that a part of a test made by itself."""
        if getattr(report, "failed", False):
            self.reported_failure = True

    def run(self, item: Any, following: Optional[Any], cpu: float = 0.0) -> str:
        """Set-up, call and teardown of one test; with `cpu` the process dies when it uses more than that."""
        if cpu:
            limit_cpu(cpu)
        self.reported_failure = False
        self.begin(item)
        outcome = self.phase(item, item.ihook.pytest_runtest_setup, item=item)
        if outcome == PASSED:
            outcome = self.phase(item, item.ihook.pytest_runtest_call, item=item)
        last = following if outcome == PASSED else None
        ending = self.phase(item, item.ihook.pytest_runtest_teardown, item=item, nextitem=last)
        if self.reported_failure or FAILED in (outcome, ending):
            outcome = FAILED
        self.forget(item)
        if cpu:
            limit_cpu(0)
        return outcome

    def begin(self, item: Any) -> None:
        """What pytest's own protocol does before a test."""
        if hasattr(item, "_request") and not item._request:
            item._initrequest()
        if getattr(item, "_excinfo", None):
            item._excinfo = None

    def forget(self, item: Any) -> None:
        """What pytest's own protocol does after a test."""
        if hasattr(item, "_request"):
            item._request = False
            item.funcargs = None
        if getattr(item, "_report_sections", None):
            item._report_sections.clear()

    def phase(self, test: Any, hook: Any, **arguments: Any) -> str:
        """One phase: what it raised, or kept."""
        try:
            hook(**arguments)
        except BaseException as error:
            return OTHER if isinstance(error, (self.skipped, self.expected)) else FAILED
        kept = getattr(test, "_excinfo", None)
        if kept:
            errors = [getattr(each, "value", None) for each in kept]
            test._excinfo = None
            calm = all(isinstance(each, (self.skipped, self.expected)) for each in errors)
            return OTHER if calm else FAILED
        return PASSED

    def unwind(self) -> bool:
        """Tear down what is still set up; False where that fails, and the process is not to be used again."""
        try:
            self.session._setupstate.teardown_exact(None)
        except BaseException:
            return False
        return not getattr(self.session._setupstate, "stack", None)

    def timed(self, item: Any, following: Optional[Any]) -> tuple[str, float, float]:
        """One test with the processor and wall time it took."""
        cpu, wall = time.process_time(), time.monotonic()
        outcome = self.run(item, following)
        return outcome, time.process_time() - cpu, time.monotonic() - wall
