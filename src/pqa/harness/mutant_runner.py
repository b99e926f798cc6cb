"""Mutant runner: runs single collected tests, without reports, and says whether each passed.

Tests that are nothing but a call are called, the others go through pytest's hooks. Neither way is trusted before controls:
everything it calls green is green in pytest's own loop too, and it sees each kind of test fail. A unittest case does not
raise its failures, it keeps them; parts of a test report theirs; both are looked at.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any, Optional

from mutant_fork import limit_cpu, used_here

PASSED, FAILED, OTHER = "passed", "failed", "other"
CURRENT = "PYTEST_CURRENT_TEST"


class Runner:
    """Runs items of one session; `pytest` is the trusted module, `direct` the calls of tests that are nothing else."""

    def __init__(self, pytest: Any, session: Any) -> None:
        self.session = session
        self.skipped: Any = pytest.skip.Exception
        self.expected: Any = pytest.xfail.Exception
        self.reported_failure = False
        self.direct: dict[str, Callable[[], Any]] = {}
        self.capture: Any = session.config.pluginmanager.getplugin("capturemanager")
        self.capturing = False
        self.folder_key: Any = getattr(sys.modules.get("_pytest.tmpdir"), "tmppath_result_key", None)
        factory: Any = getattr(session.config, "_tmp_path_factory", None)
        if hasattr(factory, "_retention_policy"):
            factory._retention_policy = "failed"

    def take(self, report: Any) -> None:
        """A report that a part of a test made by itself."""
        if getattr(report, "failed", False):
            self.reported_failure = True

    def run(self, item: Any, following: Optional[Any], cpu: float = 0.0) -> str:
        """Set-up, call and teardown of one test; with `cpu` the process dies when it uses more than that, until it is lifted."""
        if cpu:
            limit_cpu(cpu)
        call = self.direct.get(item.nodeid)
        return self.hooked(item, following) if call is None else self.called(item, following, call)

    def called(self, item: Any, following: Optional[Any], call: Callable[[], Any]) -> str:
        """A test that is nothing but a call; what others have set up for it and for others before is torn down in turn."""
        if not self.capturing:
            self.capturing = True
            if self.capture is not None:
                self.capture.resume_global_capture()
        os.environ[CURRENT] = item.nodeid + " (call)"
        try:
            outcome = PASSED if call() is None else OTHER
        except BaseException as error:
            outcome = self.word(error)
        if following is not None and outcome == PASSED and getattr(self.session._setupstate, "stack", None):
            try:
                self.session._setupstate.teardown_exact(following)
            except BaseException as error:
                return self.word(error)
        return outcome

    def hooked(self, item: Any, following: Optional[Any]) -> str:
        """A test by all of pytest's hooks."""
        self.capturing = False
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
        return outcome

    def begin(self, item: Any) -> None:
        """What pytest's own protocol does before a test."""
        if hasattr(item, "_request") and not item._request:
            item._initrequest()
        if getattr(item, "_excinfo", None):
            item._excinfo = None
        if self.folder_key is not None:
            item.stash[self.folder_key] = {}

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
            return self.word(error)
        kept = getattr(test, "_excinfo", None)
        if kept:
            errors = [getattr(each, "value", None) for each in kept]
            test._excinfo = None
            calm = all(isinstance(each, (self.skipped, self.expected)) for each in errors)
            return OTHER if calm else FAILED
        return PASSED

    def word(self, error: BaseException) -> str:
        """What a test says that raised."""
        return OTHER if isinstance(error, (self.skipped, self.expected)) else FAILED

    def unwind(self) -> bool:
        """Tear down what is still set up; False where that fails, and the process is not to be used again."""
        try:
            self.session._setupstate.teardown_exact(None)
            if self.capturing:
                self.capturing = False
                os.environ.pop(CURRENT, None)
                if self.capture is not None:
                    self.capture.suspend_global_capture()
                    self.capture.read_global_capture()
        except BaseException:
            return False
        return not getattr(self.session._setupstate, "stack", None)

    def timed(self, item: Any, following: Optional[Any]) -> tuple[str, float, float]:
        """One test with the processor and wall time it took."""
        cpu, wall = used_here(), time.monotonic()
        outcome = self.run(item, following)
        return outcome, used_here() - cpu, time.monotonic() - wall
