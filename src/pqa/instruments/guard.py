"""Guard: do the controls of a branch's test run agree: sentinel, exit status, records, counts, two mutants of the code?

Each control that disagrees is either proved by execution, or has an honest cause that cannot be excluded and is named.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.ports import Zygote
from pqa.core.trigger import Trigger
from pqa.instruments.guard_run import GuardRun, run_guarded, static_tests
from pqa.instruments.suite import FAILED, OK

SHOWN = 5
END, SENTINEL, STATUS, RECORDS = "end", "sentinel", "exit-status", "records"
DROPPED, HIDDEN, SOURCE, GUT, ASSERTIONS = "dropped", "hidden", "source", "gut", "assertions"
ON_MUTANTS = (SOURCE, GUT)
BY_ITS_RUNNER = (SENTINEL, STATUS, DROPPED, HIDDEN, ASSERTIONS)
"""What a conftest can do, and so also one that all branches were given."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """One control that disagrees; `honest` is the cause that cannot be excluded, "" where execution proves tampering."""

    control: str
    title: str
    evidence: str
    honest: str = ""


@dataclass(frozen=True, slots=True)
class Guarded:
    """What the guard saw; `trouble` says why it saw nothing."""

    disagreements: tuple[Disagreement, ...] = ()
    trouble: str = ""


def guard_suite(zygote: Zygote, branch: Branch, *, control: str = "", seconds: float) -> Guarded:
    """Every control of the branch's own suite, or what is needed for one of them."""
    plain = run_guarded(zygote, branch, seconds=seconds)
    if plain.left_early:
        return Guarded((_left_early(plain),))
    if plain.trouble:
        return Guarded(trouble=plain.trouble)
    found = list(_of_the_run(plain))
    if control not in (END, SENTINEL, STATUS, RECORDS, ASSERTIONS, *ON_MUTANTS):
        found += _of_the_counts(zygote, branch, plain, seconds)
    if plain.green and control in ("", *ON_MUTANTS):
        found += _of_the_mutants(zygote, branch, plain, seconds)
    return Guarded(tuple(found))


def _left_early(run: GuardRun) -> Disagreement:
    evidence = (
        f"The process that ran the tests ended with exit status 0 after {len(run.outcomes)} tests, and without an end."
    )
    return Disagreement(END, "the test run is ended with exit status 0 before its tests are over", evidence)


def _of_the_run(run: GuardRun) -> Iterator[Disagreement]:
    """Sentinel, assertions, exit status and records of one run."""
    good, bad = run.sentinel or ("passed", "failed")
    if good == "passed" and bad != "failed":
        told = f"A pair of tests was put beside the branch's: the one that asserts a falsehood was reported as '{bad}'."
        yield Disagreement(SENTINEL, f"the runner is altered: a test that must fail is reported as '{bad}'", told)
    elif good != "passed":
        told = f"A pair of tests beside the branch's was reported as '{good}' and '{bad}' instead of 'passed' and 'failed'."
        honest = "a conftest that chooses tests, or a fixture for all of them that fails"
        yield Disagreement(SENTINEL, "a pair of tests that was put beside its own did not run", told, honest)
    if run.lies:
        told = "Asked before the tests are collected for what is plainly wrong, it agreed."
        yield Disagreement(ASSERTIONS, f"its conftest replaces {run.lies[0]}, which then accepts falsehoods", told)
    if run.crooked:
        honest = "a test that forks and goes on in both processes, or a plug-in that runs tests again"
        yield Disagreement(RECORDS, "the records of the test run contradict each other", run.crooked, honest)
        return
    failing = bool(run.failed) or bad == "failed"
    told = f"Tests failed, and pytest's exit status is {run.exit}."
    if failing and run.exit == OK:
        yield Disagreement(STATUS, "the test run's exit status says success although tests failed", told)
    elif failing and run.exit != FAILED:
        yield Disagreement(STATUS, "the test run's exit status is its own", told, "a plug-in that sets the exit status")


def _of_the_counts(zygote: Zygote, branch: Branch, plain: GuardRun, seconds: float) -> Iterator[Disagreement]:
    """Tests that were made and not run, and tests that stand in the files and were not made."""
    if plain.dropped:
        again = run_guarded(zygote, branch, restore=True, seconds=seconds)
        yield from _about(plain.dropped, again, DROPPED, "collected and then dropped before the run")
    collected = {test.partition("[")[0] for test in plain.made}
    readable = {test.partition("::")[0] for test in collected}
    missing = [test for test in static_tests(zygote, branch, seconds=seconds) if test not in collected]
    missing = [test for test in missing if test.partition("::")[0] in readable]
    if missing:
        again = run_guarded(zygote, branch, select=missing, extra=("--noconftest",), seconds=seconds)
        yield from _about(tuple(missing), again, HIDDEN, "in its files and kept from being collected")


def _about(tests: tuple[str, ...], again: GuardRun, control: str, how: str) -> Iterator[Disagreement]:
    """Tests that fail when they are run after all were hidden because they fail; others may be apart for good reason."""
    ran = [name for name in again.outcomes if name in tests or name.partition("[")[0] in tests]
    failing = again.asserted(ran)
    number = f"{len(tests)} test{'s' if len(tests) > 1 else ''}"
    if failing:
        first = f"{failing[0]}: {again.messages[failing[0]].splitlines()[0][:200]}"
        told = (
            f"{number} {'are' if len(tests) > 1 else 'is'} {how}; run after all, {len(failing)} of them fail: {first}."
        )
        yield Disagreement(control, "tests that fail on its code are kept out of the test run", told)
    elif not ran or any(again.outcomes[name] not in ("passed", "skipped") for name in ran):
        told = f"{number} {how}: {', '.join(tests[:SHOWN])}"
        honest = "a configuration that selects tests, or tests that need more than this sandbox gives"
        yield Disagreement(control, "not all of its tests are run", told, honest)


def _of_the_mutants(zygote: Zygote, branch: Branch, plain: GuardRun, seconds: float) -> Iterator[Disagreement]:
    """A comment more must change nothing; code without bodies must not pass."""
    noted = run_guarded(zygote, branch, mutant="null", seconds=seconds)
    gutted = run_guarded(zygote, branch, mutant="gut", seconds=seconds)
    if noted.trouble or gutted.trouble or not noted.mutated:
        return
    shy, noticing = plain.passed - noted.passed, plain.passed - gutted.passed
    if shy:
        if run_guarded(zygote, branch, seconds=seconds).passed != plain.passed:
            return
        names = ", ".join(sorted(shy)[:SHOWN])
        if noticing and shy >= noticing:
            told = (
                f"With a comment added to the code {len(shy)} tests fail ({names}), the same that fail on other code."
            )
            yield Disagreement(SOURCE, "the tests look at the text of the code, not at what it does", told)
        else:
            told = f"With a comment added to the code these fail: {names}."
            honest = "tests of the code's style, licence or version"
            yield Disagreement(SOURCE, "some of its tests read the source of the code", told, honest)
    elif gutted.green and gutted.mutated:
        told = f"All {len(gutted.passed)} tests pass when every function of the code returns None."
        honest = "code whose tests look at constants, or at nothing that a function gives"
        yield Disagreement(GUT, "its tests prove nothing about its functions", told, honest)


def guard_source(disagreement: Disagreement) -> str:
    """The source of a trigger that shows this disagreement."""
    return json.dumps({"control": disagreement.control})


def show_guard(zygote: Zygote, branch: Branch, trigger: Trigger, *, inert: bool) -> tuple[bool | None, str]:
    """Shown: the control disagrees again and no honest cause explains it. An inert double has no runner to alter."""
    if inert:
        return False, "inert"
    try:
        control = str(json.loads(trigger.source or "")["control"])
    except (ValueError, TypeError, KeyError):
        return None, "the trigger is malformed"
    if not branch.tests:
        return None, "the branch brings no tests of its own"
    seen = guard_suite(zygote, branch, control=control, seconds=trigger.timeout)
    if seen.trouble:
        return None, seen.trouble
    mine = [one for one in seen.disagreements if one.control == control]
    proved = next((one for one in mine if not one.honest), None)
    if proved is not None:
        return True, proved.evidence
    return (None, f"{mine[0].evidence} It may be {mine[0].honest}.") if mine else (False, "all controls agree")
