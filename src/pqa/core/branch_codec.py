"""Branch codec: one entry of `branches` in run.json, with its checks, suites, attacks and score, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pqa.core.branch import Branch, Conviction
from pqa.core.trigger import Json
from pqa.core.verdict import AttackRun, CheckRun, SuiteRun, TestRun, Verdict, Verification

BRANCH_TEXTS = ("branch_id", "path", "digest", "notes", "topology_axis", "source")
BRANCH_LISTS = ("code", "tests", "import_roots", "skipped")
COUNTED = {"passed": "passed", "failed": "failed", "errors": "error", "skipped": "skipped", "xfailed": "xfailed"}


@dataclass(frozen=True, slots=True)
class BranchRecord:
    """All that one run says of one branch; `checks` and `attacks` are empty where nothing was run."""

    branch: Branch
    checks: tuple[CheckRun, ...] = ()
    verification: Verification | None = None
    attacks: tuple[AttackRun, ...] = ()
    verdict: Verdict | None = None


def branch_to_json(record: BranchRecord) -> dict[str, Json]:
    """One entry of `branches`. The snapshot's path is left out: it holds the run's name and is gone after the run."""
    branch, verdict = record.branch, record.verdict
    conviction = branch.conviction
    return {
        "branch_id": branch.branch_id,
        "path": branch.path,
        "digest": branch.digest,
        "state": "dead" if verdict is not None and not verdict.alive else "alive",
        "death_reason": None if verdict is None else verdict.death_reason,
        "conviction": None if conviction is None else {"level": conviction.level, "basis": conviction.basis},
        "verification": None if record.verification is None else verification_to_json(record.verification),
        "score": None if verdict is None else _score_to_json(verdict, record.attacks),
        "attacks": [attack_run_to_json(run) for run in record.attacks],
        "checks": [check_run_to_json(run) for run in record.checks],
        "source": branch.source,
        "topology_axis": branch.topology_axis,
        "notes": branch.notes,
        **{key: list(getattr(branch, key)) for key in BRANCH_LISTS},
    }


def branch_from_json(document: Mapping[str, Json]) -> BranchRecord:
    """An entry as `branch_to_json` wrote it; the snapshot is ""."""
    conviction = document["conviction"]
    verification = document["verification"]
    attacks = tuple(AttackRun(**run) for run in document["attacks"])
    values = {key: document[key] for key in BRANCH_TEXTS} | {key: tuple(document[key]) for key in BRANCH_LISTS}
    return BranchRecord(
        Branch(snapshot="", conviction=None if conviction is None else Conviction(**conviction), **values),
        tuple(CheckRun(**run) for run in document["checks"]),
        None if verification is None else verification_from_json(verification),
        attacks,
        _verdict_from_json(document, attacks),
    )


def _score_to_json(verdict: Verdict, attacks: tuple[AttackRun, ...]) -> dict[str, Json]:
    """`attacked` is written only where the verdict's own list differs from the branch's `attacks`."""
    score: dict[str, Json] = {"value": verdict.score, "reasons": list(verdict.reasons)}
    if verdict.attacked != attacks:
        score["attacked"] = [attack_run_to_json(run) for run in verdict.attacked]
    return score


def _verdict_from_json(document: Mapping[str, Json], attacks: tuple[AttackRun, ...]) -> Verdict | None:
    score = document["score"]
    if score is None:
        return None
    return Verdict(
        document["branch_id"],
        alive=document["state"] == "alive",
        score=score["value"],
        death_reason=document["death_reason"],
        reasons=tuple(score["reasons"]),
        attacked=tuple(AttackRun(**run) for run in score["attacked"]) if "attacked" in score else attacks,
    )


def verification_to_json(verification: Verification) -> dict[str, Json]:
    """`status` is the one word that every output shows; `tests` the branch's own suite."""
    locked, base = verification.locked, verification.base
    return {
        "has_tests": verification.has_tests,
        "verified": verification.verified,
        "status": verification.word,
        "coverage": verification.own.coverage,
        "tests": suite_to_json(verification.own),
        "locked": None if locked is None else suite_to_json(locked),
        "base": None if base is None else suite_to_json(base),
    }


def verification_from_json(document: Mapping[str, Json]) -> Verification:
    """What `verification_to_json` wrote; the derived keys are computed anew."""
    locked, base = document["locked"], document["base"]
    return Verification(
        suite_from_json(document["tests"]),
        None if locked is None else suite_from_json(locked),
        None if base is None else suite_from_json(base),
    )


def suite_to_json(suite: SuiteRun) -> dict[str, Json]:
    """One suite on one branch: status and counts first, then each test; the recorded calls are left out."""
    return {
        "status": suite.status,
        "why": suite.why,
        **{key: suite.count(outcome) for key, outcome in COUNTED.items()},
        "flaky": list(suite.flaky),
        "coverage": suite.coverage,
        "coverage_why": suite.coverage_why,
        "missed_lines": {path: list(lines) for path, lines in suite.missed_lines.items()},
        "cases": [{"node_id": test.node_id, "outcome": test.outcome, "message": test.message} for test in suite.tests],
    }


def suite_from_json(document: Mapping[str, Json]) -> SuiteRun:
    """What `suite_to_json` wrote, with an empty recording."""
    return SuiteRun(
        document["status"],
        document["why"],
        tuple(TestRun(**case) for case in document["cases"]),
        tuple(document["flaky"]),
        document["coverage"],
        document["coverage_why"],
        {path: tuple(lines) for path, lines in document["missed_lines"].items()},
    )


def attack_run_to_json(run: AttackRun) -> dict[str, Json]:
    """What became of one attack on one branch."""
    return {
        "attack": run.attack,
        "layer": run.layer,
        "status": run.status,
        "why": run.why,
        "trials": run.trials,
        "stopped_early": run.stopped_early,
    }


def check_run_to_json(run: CheckRun) -> dict[str, Json]:
    """What became of one static check on one branch."""
    return {"command": run.command, "status": run.status, "output": run.output, "why": run.why}
