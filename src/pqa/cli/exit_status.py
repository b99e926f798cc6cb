"""Exit status: what a finished run says to the shell (DESIGN 8); a pure function."""

from __future__ import annotations

from collections.abc import Iterator

from pqa.core.errors import PRECEDENCE, ExitCode
from pqa.core.severity import parse_severity
from pqa.core.verdict import Collision

ADVERSARY = "adversary:"


def exit_code(collision: Collision, *, require_choice: bool = False, gate: str | None = None) -> ExitCode:
    """The code with the highest precedence among those that apply.

    `gate` trips on an unresolved, undiscounted finding of that severity or worse on any branch, dead or alive.
    """
    codes = set(_codes(collision, require_choice, gate))
    return next(code for code in PRECEDENCE if code in codes)


def _codes(collision: Collision, require_choice: bool, gate: str | None) -> Iterator[ExitCode]:
    yield ExitCode.SURVIVOR
    if _adversary_failed(collision):
        yield ExitCode.ADVERSARY_FAILED
    if _untouched(collision, gate is not None):
        yield ExitCode.NOTHING_TO_ATTACK
    if not any(verdict.alive for verdict in collision.verdicts.values()):
        yield ExitCode.NO_SURVIVOR
    if require_choice and (collision.choice is None or collision.choice.branch_id is None):
        yield ExitCode.NO_SURVIVOR
    if gate is not None and _tripped(collision, gate):
        yield ExitCode.NO_SURVIVOR


def _adversary_failed(collision: Collision) -> bool:
    """An adversary that was named could not run on some branch: what it would have found is not known."""
    runs = [run for found in collision.attacked.values() for run in found]
    return any(run.attack.startswith(ADVERSARY) and run.status == "could-not-run" for run in runs)


def _untouched(collision: Collision, gated: bool) -> bool:
    """Nothing to attack: decide mode, no branch, or no attack could touch a live branch.

    An attack that could not run is said in the report and ends in an abstention; under a gate it must not look like a
    pass, so there it counts as not touched.
    """
    alive = [name for name, verdict in collision.verdicts.items() if verdict.alive]
    runs = [run for name in alive for run in collision.attacked.get(name, ())]
    untouched = ("skipped", "could-not-run") if gated else ("skipped",)
    none_ran = bool(runs) and all(run.status in untouched for run in runs)
    return collision.task.mode == "decide" or not collision.branches or none_ran


def _tripped(collision: Collision, gate: str) -> bool:
    threshold = parse_severity(gate)
    levels = [
        parse_severity(finding.severity)
        for finding in collision.findings
        if not finding.resolved and not finding.discounted
    ]
    return threshold is not None and any(level is not None and level.rank >= threshold.rank for level in levels)
