"""Verify: is the branch green by its own tests, the locked ones and the base's, and what do they call and cover?"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from pqa.core.branch import Branch
from pqa.core.event import Event
from pqa.core.ports import Zygote
from pqa.core.recording import Recording
from pqa.core.verdict import SuiteRun, Verification
from pqa.instruments.suite import BASE_MOUNT, LOCKED_MOUNT, files_with_tests, run_suite

ALTERED_BY_WATCHING = "judged by two runs without recording and coverage, since with them it comes out differently"
DISTURBED = "some tests depend on not being watched"


def verify(
    branch: Branch,
    *,
    zygote: Zygote,
    locked: Sequence[str] | None = None,
    base_tests: Sequence[str] | None = None,
    base_code: Sequence[str] = (),
    seconds: float,
    emit: Callable[[Event], None],
) -> Verification:
    """Run the branch's own suite, and the locked and the base's one where given, each twice.

    `locked` are test files relative to the folder that the zygote's guest has mounted at `/locked`, `base_tests`
    those relative to `/base`; `base_code` is left out when the base's suite is copied, so that it cannot be tested
    instead of the branch. Own and locked suite are recorded; coverage is the own suite's, else the locked one's.
    """
    own = _twice(zygote, branch, files_with_tests(branch.tests), seconds=seconds, coverage=True)
    locked_run = base_run = None
    if locked is not None:
        uncovered = own.status in ("absent", "empty")
        locked_run = _twice(
            zygote, branch, files_with_tests(locked), seconds=seconds, coverage=uncovered, copy_from=LOCKED_MOUNT
        )
        if uncovered and locked_run.coverage is not None:
            own = replace(own, coverage_why="measured on the locked suite")
    if base_tests is not None:
        base_run = _twice(
            zygote,
            branch,
            files_with_tests(base_tests),
            seconds=seconds,
            record=False,
            copy_from=BASE_MOUNT,
            skip=base_code,
        )
    verification = Verification(own=own, locked=locked_run, base=base_run)
    emit(Event("branch-verified", branch.branch_id, summary(verification)))
    return verification


def recording_of(verification: Verification) -> Recording:
    """The calls of own and locked suite together."""
    runs = [run.recording for run in (verification.own, verification.locked) if run is not None]
    return Recording(
        tuple(call for run in runs for call in run.calls),
        tuple(trace for run in runs for trace in run.traces),
        any(run.truncated for run in runs),
    )


def summary(verification: Verification) -> dict[str, object]:
    """What the event stream says of a verification."""
    runs = [run for run in (verification.own, verification.locked) if run is not None]
    coverage = next((run.coverage for run in runs if run.coverage is not None), None)
    suites = {"own": verification.own, "locked": verification.locked, "base": verification.base}
    return {
        "word": verification.word,
        "coverage": coverage,
        "suites": {
            name: {
                "status": run.status,
                "why": run.why,
                "tests": len(run.tests),
                "failed": run.count("failed") + run.count("error"),
                "skipped": run.count("skipped"),
            }
            for name, run in suites.items()
            if run is not None
        },
    }


def _twice(
    zygote: Zygote,
    branch: Branch,
    paths: Sequence[str],
    *,
    seconds: float,
    record: bool = True,
    coverage: bool = False,
    copy_from: str = "",
    skip: Sequence[str] = (),
) -> SuiteRun:
    """Run it once for its coverage and once for its calls, since a measuring of lines hides which exceptions leave a
    call; where these differ, two unwatched runs tell the watching's doing from flakiness."""

    def once(*, record: bool = False, coverage: bool = False) -> SuiteRun:
        return run_suite(
            zygote,
            paths,
            code=branch.code,
            copy_from=copy_from,
            skip=skip,
            record=record,
            coverage=coverage,
            seconds=seconds,
        )

    measured = once(coverage=coverage)
    if measured.status in ("absent", "empty", "could-not-check"):
        return replace(measured, coverage_why="")
    recorded = once(record=record)
    both = replace(recorded, coverage=measured.coverage, coverage_why=measured.coverage_why)
    if _outcomes(measured) == _outcomes(recorded):
        return both
    plain, again = once(), once()
    if _outcomes(plain) != _outcomes(again):
        return _flaky(measured, recorded, plain, again)
    why = measured.why or recorded.why or DISTURBED
    return replace(both, status=plain.status, why=f"{ALTERED_BY_WATCHING}: {why}", tests=plain.tests)


def _outcomes(run: SuiteRun) -> tuple[str, dict[str, str]]:
    return run.status, {test.node_id: test.outcome for test in run.tests}


def _flaky(*runs: SuiteRun) -> SuiteRun:
    """The first run, with the tests named that came out differently; a run that did not finish decides."""
    unfinished = next((run for run in runs if run.status == "could-not-check"), None)
    if unfinished is not None:
        return replace(runs[0], status="could-not-check", why=f"not each of {len(runs)} runs counts: {unfinished.why}")
    outcomes = [{test.node_id: test.outcome for test in run.tests} for run in runs]
    names = sorted({name for each in outcomes for name in each})
    unstable = tuple(name for name in names if len({each.get(name) for each in outcomes}) > 1)
    why = f"{len(unstable)} tests came out differently in {len(runs)} runs"
    return replace(runs[0], status="flaky", why=why, flaky=unstable)
