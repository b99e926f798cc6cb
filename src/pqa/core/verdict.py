"""Verdict: what became of one branch. Collision: one whole run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pqa.core.branch import Branch
from pqa.core.evidence import Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.recording import Recording
from pqa.core.task import Task
from pqa.core.trigger import Json


@dataclass(frozen=True, slots=True)
class AttackRun:
    """What became of one attack on one branch: "ran", "skipped" or "could-not-run", and why."""

    attack: str
    layer: str
    status: str
    why: str = ""
    trials: int = 0
    stopped_early: bool = False


@dataclass(frozen=True, slots=True)
class CheckRun:
    """One static check on one branch: "passed", "failed" or "could-not-check"."""

    command: str
    status: str
    output: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class TestRun:
    """One test of a suite run: outcome is "passed", "failed", "error", "skipped" or "xfailed"."""

    __test__ = False

    node_id: str
    outcome: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """One suite on one branch. `status` is "green", "red", "flaky", "empty", "absent" or "could-not-check"."""

    status: str
    why: str = ""
    tests: tuple[TestRun, ...] = ()
    flaky: tuple[str, ...] = ()
    coverage: float | None = None
    coverage_why: str = ""
    missed_lines: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    recording: Recording = field(default_factory=Recording)

    def count(self, outcome: str) -> int:
        """How many tests ended so."""
        return sum(test.outcome == outcome for test in self.tests)


@dataclass(frozen=True, slots=True)
class Verification:
    """A branch's own suite, the locked one and the base's. `verified`: own and locked green, whichever exist."""

    own: SuiteRun
    locked: SuiteRun | None = None
    base: SuiteRun | None = None

    @property
    def has_tests(self) -> bool:
        """Whether the branch brings tests of its own."""
        return self.own.status not in ("absent", "empty")

    @property
    def verified(self) -> bool:
        """True when at least one suite exists and every existing one is green."""
        suites = [
            suite for suite in (self.own, self.locked) if suite is not None and suite.status not in ("absent", "empty")
        ]
        return bool(suites) and all(suite.status == "green" for suite in suites)

    @property
    def red(self) -> bool:
        """True when a suite failed for sure."""
        return any(suite is not None and suite.status == "red" for suite in (self.own, self.locked))

    @property
    def word(self) -> str:
        """The one word that every output shows."""
        if self.verified:
            return "verified"
        return "red" if self.red else "UNVERIFIED"


@dataclass(frozen=True, slots=True)
class Verdict:
    """`score` runs from 0 to 100; a dead branch has 0."""

    branch_id: str
    alive: bool
    score: float
    death_reason: str | None = None
    reasons: tuple[str, ...] = ()
    attacked: tuple[AttackRun, ...] = ()


NOT_JUDGED = "not judged yet"
"""How the reason of a choice begins where the run was stopped before its attacks."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Which branch to merge, or why none is named."""

    branch_id: str | None
    abstained: bool
    reason: str
    runner_up: str | None = None
    margin: str = ""
    would_change: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Defense:
    """One branch's one answer to its findings."""

    branch_id: str
    kind: str
    answers: tuple[Mapping[str, Json], ...] = ()


@dataclass(frozen=True, slots=True)
class Collision:
    """One run, whole: what `run.json` holds (DESIGN section 8)."""

    run_id: str
    task: Task
    sandbox: str
    seed: int
    branches: tuple[Branch, ...]
    checks: Mapping[str, tuple[CheckRun, ...]] = field(default_factory=dict)
    verifications: Mapping[str, Verification] = field(default_factory=dict)
    attacked: Mapping[str, tuple[AttackRun, ...]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()
    kill_matrix: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    questions: tuple[Question, ...] = ()
    notes: tuple[Note, ...] = ()
    evidence: tuple[Weighed, ...] = ()
    defenses: tuple[Defense, ...] = ()
    verdicts: Mapping[str, Verdict] = field(default_factory=dict)
    choice: Choice | None = None
    suite: Mapping[str, Json] = field(default_factory=dict)
    cost: Mapping[str, Json] = field(default_factory=dict)
    timing: Mapping[str, Json] = field(default_factory=dict)
    history: Mapping[str, Json] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
    stamps: tuple[str, ...] = ()
