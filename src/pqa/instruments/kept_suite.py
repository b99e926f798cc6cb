"""Kept suite: does a patched copy still pass every test that the branch passed, in the branch's own files and in its own?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pqa.core.verdict import SuiteRun, Verification

BAD = ("failed", "error")
ASLEEP = ("skipped", "xfailed")
TOLD = 3


@dataclass(frozen=True, slots=True)
class Kept:
    """`faults` bar the patch, `doubts` say what could not be checked."""

    faults: tuple[str, ...] = ()
    doubts: tuple[str, ...] = ()


def compare_suites(before: Verification, now: Verification) -> Kept:
    """`now.base` is the branch's own suite, as it was, run on the patched copy."""
    passed = [test.node_id for test in before.own.tests if test.outcome == "passed"]
    faults: list[str] = []
    doubts: list[str] = []
    if passed:
        _judge(passed, now.base, "its test", faults, doubts, gone="was not run")
        _judge(passed, now.own, "in the patched copy, its test", faults, doubts, gone="is gone")
    if now.own.status == "red" and not faults:
        failed = [test.node_id for test in now.own.tests if test.outcome in BAD]
        faults.append(f"its own suite fails: {_some(failed)}")
    if before.locked is not None:
        held = [test.node_id for test in before.locked.tests if test.outcome == "passed"]
        _judge(held, now.locked, "the locked test", faults, doubts, gone="was not run")
    return Kept(tuple(faults), tuple(doubts))


def _judge(
    passed: list[str], run: SuiteRun | None, whose: str, faults: list[str], doubts: list[str], *, gone: str
) -> None:
    if run is None or run.status in ("could-not-check", "flaky"):
        why = "it was not run" if run is None else run.why or f"it is {run.status}"
        doubts.append(f"{whose.removesuffix(' test')} suite could not be checked: {why}")
        return
    outcomes: Mapping[str, str] = {test.node_id: test.outcome for test in run.tests}
    groups = {
        "fails": [name for name in passed if outcomes.get(name) in BAD],
        "is skipped": [name for name in passed if outcomes.get(name) in ASLEEP],
        gone: [name for name in passed if name not in outcomes],
    }
    faults += [f"{whose} {_some(names)} {word}" for word, names in groups.items() if names]


def _some(names: list[str]) -> str:
    more = f" and {len(names) - TOLD} more" if len(names) > TOLD else ""
    return ", ".join(names[:TOLD]) + more
