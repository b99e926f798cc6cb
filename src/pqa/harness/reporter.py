"""Reporter: a pytest plug-in that says which tests were collected and what became of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

MESSAGE = 2_000
IDS_A_RECORD = 1_000
STRENGTH = {"": 0, "passed": 1, "xpassed": 2, "xfailed": 3, "skipped": 4, "failed": 5, "error": 6}


REFUSALS = (1, 13, 38, 93, 94, 97)  # EPERM, EACCES, ENOSYS and what sockets that cannot be made give


class Numbered:
    """Gives every record its number, so that a lost or a foreign one is seen."""

    def __init__(self, emit: Any) -> None:
        self._emit, self._next = emit, 0

    def __call__(self, record: dict[str, Any]) -> None:
        number, self._next = self._next, self._next + 1
        self._emit({**record, "seq": number})


class Reporter:
    """Joins the phases of a test into one outcome: the worst one counts."""

    def __init__(self, emit: Any, watcher: Any = None, *, bare: bool = False) -> None:
        self.emit = emit
        self.bare = bare
        self.refused: set[str] = set()
        self.watcher = watcher
        self.watching = False
        self.outcomes: dict[str, tuple[str, str]] = {}

    def hooks(self, pytest: Any) -> Any:
        """The plug-in object."""
        reporter = self

        class Hooks:
            """What pytest calls."""

            def pytest_collection_finish(self, session: Any) -> None:
                reporter.collected([item.nodeid for item in session.items])

            def pytest_deselected(self, items: Any) -> None:
                reporter.emit({"deselected": len(items)})

            def pytest_collectreport(self, report: Any) -> None:
                if report.failed:
                    reporter.collection_failed(report)

            def pytest_runtest_logreport(self, report: Any) -> None:
                reporter.take(report)

            def pytest_runtest_logfinish(self, nodeid: str) -> None:
                reporter.finish(nodeid)

            def pytest_runtest_call(self, item: Any) -> Iterator[None]:
                yield from reporter.watched(item.nodeid)

            def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
                if reporter.bare and call.excinfo is not None and was_refused(call.excinfo.value):
                    reporter.refused.add(item.nodeid)

            def pytest_fixture_setup(self, request: Any) -> Iterator[None]:
                yield from reporter.watched(request.node.nodeid)

        pytest.hookimpl(trylast=True)(Hooks.pytest_collection_finish)
        for wrapper in (Hooks.pytest_runtest_call, Hooks.pytest_fixture_setup):
            pytest.hookimpl(hookwrapper=True)(wrapper)
        return Hooks()

    def watched(self, test: str) -> Iterator[None]:
        """Record the calls that are made meanwhile."""
        if self.watcher is None or self.watching:
            yield
            return
        self.watching = True
        self.watcher.on(test)
        try:
            yield
        finally:
            self.watcher.off()
            self.watching = False

    def collected(self, ids: list[str]) -> None:
        """Say which tests there are, in the order in which they run."""
        for start in range(0, max(1, len(ids)), IDS_A_RECORD):
            self.emit({"collected": ids[start : start + IDS_A_RECORD]})

    def collection_failed(self, report: Any) -> None:
        """Say which file could not be read, and which module it lacks."""
        text = message_of(report)
        missing = None
        for line in text.splitlines():
            if "ModuleNotFoundError: No module named " in line:
                missing = line.split("No module named ", 1)[1].strip().strip("'\"").split("'")[0]
        refused = {"refused": True} if self.bare and "PermissionError" in text else {}
        self.emit({"collect_error": report.nodeid, "message": text, "missing": missing, **refused})

    def take(self, report: Any) -> None:
        """Join one phase of one test to what is known of it."""
        outcome = outcome_of(report)
        before = self.outcomes.get(report.nodeid, ("", ""))
        if STRENGTH.get(outcome, 0) > STRENGTH.get(before[0], 0):
            self.outcomes[report.nodeid] = (outcome, "" if outcome in ("passed", "xpassed") else message_of(report))

    def finish(self, test: str) -> None:
        """Say what became of a test; one without any phase has no outcome, and the host will miss it."""
        if test in self.outcomes:
            outcome, message = self.outcomes.pop(test)
            refused = {"refused": True} if test in self.refused else {}
            self.emit({"test": test, "outcome": outcome, "message": message, **refused})


def was_refused(error: Any) -> bool:
    """Whether the kernel's refusal stands anywhere in the chain of an exception: in a tier without namespaces many honest
    calls are refused."""
    for _ in range(20):
        if error is None:
            return False
        if isinstance(error, OSError) and error.errno in REFUSALS:
            return True
        error = error.__cause__ or error.__context__
    return False


def outcome_of(report: Any) -> str:
    """One phase's contribution; parts of a test (subtests) count only when they fail."""
    if report.outcome == "failed":
        return "failed" if report.when == "call" else "error"
    if type(report).__name__ == "SubtestReport":
        return ""
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.outcome == "skipped" else "xpassed" if report.when == "call" else ""
    if report.outcome == "skipped":
        return "skipped"
    return "passed" if report.when == "call" and report.outcome == "passed" else ""


def message_of(report: Any) -> str:
    """The short reason of a failure or skip."""
    long = getattr(report, "longrepr", None)
    if isinstance(long, tuple) and len(long) == 3:
        return str(long[2])[:MESSAGE]
    crash = getattr(getattr(long, "reprcrash", None), "message", None)
    try:
        return str(crash if crash else report.longreprtext)[-MESSAGE:] if long is not None else ""
    except Exception:
        return "?"
