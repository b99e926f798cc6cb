"""A sample run with one of everything that the reports must tell."""

from __future__ import annotations

from dataclasses import replace

from pqa.core.branch import Branch, Conviction
from pqa.core.finding import Finding, Note, Question
from pqa.core.task import Task
from pqa.core.trigger import Replay, ReplayStatus, Trigger
from pqa.core.verdict import AttackRun, Choice, Collision, SuiteRun, TestRun, Verdict, Verification


def branch(name: str, **changes: object) -> Branch:
    values = {
        "branch_id": name,
        "path": f"/candidates/{name}",
        "digest": f"sha256:{name}",
        "snapshot": "",
        "code": ("limiter.py",),
    }
    return Branch(**{**values, **changes})


def suite(passed: int, failed: int = 0, *, coverage: float | None = 95.0) -> SuiteRun:
    tests = [TestRun(f"test_{number}", "passed") for number in range(passed)]
    tests += [TestRun(f"test_bad_{number}", "failed") for number in range(failed)]
    return SuiteRun("red" if failed else "green", tests=tuple(tests), coverage=coverage)


BURST = Finding(
    "b0",
    "critical",
    "time-window",
    "Shifting all times by 0.5 s changes the answers",
    "limit=1, window=1.0: calls at 0.5 and 1.0 are both accepted. The verifier misses it because no test calls allow() "
    "on both sides of an edge.",
    id="f0123456789ab",
    attack="differential",
    layer="boundaries",
    oracle="relation",
    trigger=Trigger("observation", "accepted calls do not depend on when the clock started"),
    replay=Replay(ReplayStatus.SHOWN, 2, 2, "allow('ada') gave True, right is False", "full"),
)
HIDDEN = Finding(
    "b2", "medium", "input", "Empty key is accepted", "allow('') returns True.", id="f111111111111", oracle="opinion"
)
STYLE = Finding("b1", "low", "style", "A name is short", "now", id="f222222222222")
THEATRE = Finding(
    "b1",
    "low",
    "theatre",
    "It may leak",
    "Somewhere.",
    id="f333333333333",
    discounted=True,
    discount_reason="no trigger",
)

RUN = Collision(
    run_id="r1",
    task=Task("# Rate limiter\n\nNo span may hold more."),
    sandbox="full",
    seed=7,
    branches=(
        branch("b0", conviction=Conviction("high", "all green")),
        branch("b1"),
        branch("b2", skipped=("link: a symbolic link, not followed",)),
    ),
    verifications={
        "b0": Verification(suite(6)),
        "b1": Verification(suite(9, coverage=100.0)),
        "b2": Verification(SuiteRun("absent")),
    },
    attacked={
        "b1": (AttackRun("differential", "boundaries", "ran", trials=200),),
        "b2": (
            AttackRun("differential", "boundaries", "ran", trials=40, stopped_early=True),
            AttackRun("hollow", "tests", "could-not-run", "the branch has no tests"),
        ),
    },
    findings=(STYLE, HIDDEN, THEATRE, BURST),
    kill_matrix={"f0123456789ab": {"b0": "shown", "b1": "not-shown", "b2": "could-not-check"}},
    questions=(
        Question(
            "q1",
            "value",
            "allow('ada') at 15.0, after two calls at 0.0: which is meant?",
            {},
            {"b0": "True", "b1": "False", "b2": "True"},
            (("b0", "b2"), ("b1",)),
        ),
    ),
    notes=(Note("weak-suite", "no suite looks at empty keys"),),
    verdicts={
        "b0": Verdict("b0", False, 0.0, "critical finding f0123456789ab: the answers depend on the clock's start"),
        "b1": Verdict("b1", True, 97.5),
        "b2": Verdict("b2", True, 60.0),
    },
    choice=Choice("b1", False, "b1 over b2: verified", "b2", "verified", ("a proved critical finding against b1",)),
)


NOBODY = replace(
    RUN,
    verdicts={name: Verdict(name, False, 0.0, f"{name} broke") for name in ("b0", "b1", "b2")},
    choice=Choice(
        None, False, "no survivor: every branch died", would_change=("a branch without an unresolved critical",)
    ),
)
