"""Unchecked: every part of a run that was not checked, in words; what is listed here never counts as clean."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pqa.core.trigger import ReplayStatus
from pqa.core.verdict import AttackRun, Collision, SuiteRun, Verification
from pqa.reports.text import is_unchecked, plain

SKIPS_TOLD = 3


def unchecked(collision: Collision) -> list[str]:
    """One plain line each; the same gap of several branches is told once, with their names."""
    names_of: dict[str, list[str]] = {}
    for branch in collision.branches:
        for line in _of_branch(collision, branch.branch_id):
            names_of.setdefault(line, []).append(plain(branch.branch_id))
    lines = [f"{', '.join(names)}: {line}" for line, names in names_of.items()]
    return [*_of_run(collision), *lines]


def _of_run(collision: Collision) -> Iterator[str]:
    if collision.sandbox != "full":
        yield f"the sandbox was '{plain(collision.sandbox)}', not 'full': what ran was contained less than it should be"
    for stamp in collision.stamps:
        yield plain(stamp)
    for note in collision.notes:
        if is_unchecked(note.kind):
            yield f"{plain(note.branch_id)}: {plain(note.text)}" if note.branch_id else plain(note.text)


def _of_branch(collision: Collision, name: str) -> Iterator[str]:
    if name not in collision.verdicts:
        yield "it was not judged"
    for check in collision.checks.get(name, ()):
        if check.status == "could-not-check":
            yield f"the static check '{plain(check.command)}' could not run: {plain(check.why)}"
    verification = collision.verifications.get(name)
    if verification is not None:
        yield from _of_verification(verification)
    runs = collision.attacked.get(name, ())
    if not runs and name in collision.verdicts and collision.verdicts[name].alive:
        yield "it was not attacked"
    notes = [note.text for note in collision.notes if is_unchecked(note.kind) and note.branch_id in (name, None)]
    for run in runs:
        yield from _of_attack(run, notes)
    yield from _of_replays(collision, name)
    yield from _of_skipped(collision, name)


def _of_verification(verification: Verification) -> Iterator[str]:
    if verification.word == "UNVERIFIED":
        yield f"it is UNVERIFIED: no suite says that it does what was asked{_because(verification)}"
    suites: Mapping[str, SuiteRun | None] = {"its own": verification.own, "the locked": verification.locked}
    for whose, suite in suites.items():
        if suite is None:
            continue
        if suite.status == "could-not-check":
            yield f"{whose} suite could not be run: {plain(suite.why) or 'no reason was given'}"
        if suite.status == "flaky":
            yield f"{whose} suite is flaky: {plain(', '.join(suite.flaky), length=300)}"
        if suite.coverage is None and suite.coverage_why:
            yield f"the coverage of {whose} suite was not measured: {plain(suite.coverage_why)}"


def _because(verification: Verification) -> str:
    return "; it brings no tests" if not verification.has_tests else ""


def _of_attack(run: AttackRun, notes: Sequence[str]) -> Iterator[str]:
    why = f": {plain(run.why)}" if run.why else ""
    if run.status == "could-not-run":
        yield f"the attack '{plain(run.attack)}' could not run{why}"
    elif run.status == "skipped":
        yield f"the attack '{plain(run.attack)}' was skipped{why}"
    elif run.stopped_early:
        yield f"the attack '{plain(run.attack)}' was stopped early, after {run.trials} trials{why}"
    elif run.why:
        why = ", for what is told above" if _is_told(run.why, notes) else why
        yield f"the attack '{plain(run.attack)}' is incomplete{why}"


def _is_told(why: str, notes: Sequence[str]) -> bool:
    """Whether a reason is nothing but several notes in a row."""
    parts = [note for note in notes if note in why]
    rest = why
    for part in sorted(parts, key=len, reverse=True):
        rest = rest.replace(part, "")
    return len(parts) > 1 and not rest.strip("; ")


def _of_replays(collision: Collision, name: str) -> Iterator[str]:
    for finding in collision.findings:
        status = finding.replay.status if finding.branch_id == name and finding.replay is not None else None
        if status is ReplayStatus.COULD_NOT_CHECK:
            yield f"the finding {plain(finding.id)} '{plain(finding.title, length=120)}' could not be replayed"
    others = [
        finding_id
        for finding_id, row in collision.kill_matrix.items()
        if row.get(name) == "could-not-check" and name not in _accused(collision, finding_id)
    ]
    if others:
        yield f"could not be checked for {', '.join(map(plain, others))}"


def _accused(collision: Collision, finding_id: str) -> set[str]:
    return {finding.branch_id for finding in collision.findings if finding.id == finding_id}


def _of_skipped(collision: Collision, name: str) -> Iterator[str]:
    skipped = next((branch.skipped for branch in collision.branches if branch.branch_id == name), ())
    if skipped:
        more = f"; and {len(skipped) - SKIPS_TOLD} more" if len(skipped) > SKIPS_TOLD else ""
        yield f"left out of the snapshot: {'; '.join(plain(item, length=160) for item in skipped[:SKIPS_TOLD])}{more}"
