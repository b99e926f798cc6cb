"""Does the branch still keep the base's tests, and does it change anything at all?

The base's tests are run in the base's own copy, without the branch's conftest. One that the branch deletes, loosens,
skips or overrides is part of the task; one that it leaves alone and breaks weighs heavily. A branch whose code is the
base's answers no task.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.evidence import Evidence, Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Tools
from pqa.core.surface import Surface
from pqa.core.task import Brief
from pqa.core.trigger import Trigger
from pqa.core.verdict import SuiteRun, TestRun

LAYER = "contract"
SCOPE = "set"
MAXIMUM_TESTS = 10
BAD = ("failed", "error")
SOURCE = "base:"


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
    """Failing base tests by who touched them, then the branches that change nothing."""
    base = tools.base()
    if base is None:
        return
    runs = {branch.branch_id: tools.verification(branch).base for branch in brief.branches}
    for branch in brief.branches:
        run = runs[branch.branch_id]
        if run is not None and run.status == "could-not-check":
            yield Note("could-not-check", f"the base's tests: {run.why}", branch.branch_id)
        elif run is not None:
            yield from _failing(brief, tools, branch, run, runs)
    if base.code:
        same = [branch for branch in brief.branches if _same(tools.surface(base), tools.surface(branch))]
        for branch in same:
            yield Note("no-change", "its code does not differ from the base's", branch.branch_id)
            yield Evidence(branch.branch_id, brief.attack, "no-change", 1, 1)


def _failing(
    brief: Brief, tools: Tools, branch: Branch, run: SuiteRun, runs: Mapping[str, SuiteRun | None]
) -> Iterator[Finding]:
    own = {test.node_id: test.outcome for test in tools.verification(branch).own.tests}
    failing = [test for test in run.tests if test.outcome in BAD]
    for test in failing[:MAXIMUM_TESTS]:
        passing = [name for name, other in runs.items() if _passes(other, test.node_id)]
        hidden = own.get(test.node_id) not in BAD
        if passing:
            yield _accuse(brief, branch, test, passing, hidden=hidden, present=test.node_id in own)


def _passes(run: SuiteRun | None, node_id: str) -> bool:
    return run is not None and any(test.node_id == node_id and test.outcome == "passed" for test in run.tests)


def _accuse(
    brief: Brief, branch: Branch, test: TestRun, passing: Sequence[str], *, hidden: bool, present: bool
) -> Finding:
    """`hidden`: the branch's own run does not show the failure, since it deletes, changes or overrides the test."""
    how = "its own run reports it otherwise" if present else "its own suite does not hold it"
    word = f"fails; {how}" if hidden else "fails, and the branch left it as it was"
    title = f"the base's test {test.node_id} {word}"
    missed = f"The verifier misses it because {how}." if hidden else "The verifier sees it: the branch's suite is red."
    detail = f"{test.message or 'it fails'} It passes on {', '.join(passing)}. {missed}"
    return Finding(
        branch.branch_id,
        "critical" if hidden else "high",
        "base-test",
        title,
        detail,
        attack=brief.attack,
        layer=LAYER,
        oracle="task" if hidden else "base",
        trigger=Trigger("suite", title, source=SOURCE + test.node_id, timeout=60.0, seed=brief.seed),
        adversary="mechanical",
        qualified=hidden,
        root=f"base:{test.node_id.partition('[')[0]}",
        why_missed=missed,
    )


def _same(base: Surface, branch: Surface) -> bool:
    """Whether all its code is the base's, up to layout, docstrings and the names of local variables; not so where some of it
    could not be read."""
    left, right = _bodies(base), _bodies(branch)
    known = all(digest for _, digest in left) and base.rest_digest
    same = left == right and base.rest_digest == branch.rest_digest and set(base.literals) == set(branch.literals)
    return bool(left and known) and same


def _bodies(surface: Surface) -> set[tuple[str, str]]:
    functions = {(one.name, one.body_digest) for one in surface.functions}
    return functions | {(one.name, one.body_digest) for one in surface.classes}
