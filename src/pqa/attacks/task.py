"""Does the branch keep what the task states: the locked tests and the declared properties?

These oracles are trusted: they were given with the task, not written by a branch. All branches can be wrong, and then
all die.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pqa.core.branch import Branch
from pqa.core.evidence import Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.core.trigger import Json, Trigger
from pqa.core.verdict import TestRun
from pqa.instruments.demonstrate import call_text, modules_of
from pqa.instruments.outcomes import describe
from pqa.instruments.properties import PropertyRun, PropertyStatus

LAYER = "question"
SCOPE = "branch"
MAXIMUM_TESTS = 10


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
    """Locked tests that fail, then properties that break, on one branch."""
    branch = brief.branches[0]
    locked = tools.verification(branch).locked
    if locked is not None and locked.status == "could-not-check":
        yield Note("could-not-check", f"the locked suite: {locked.why}", branch.branch_id)
    if locked is not None and locked.status == "red":
        failed = [test for test in locked.tests if test.outcome in ("failed", "error")]
        for test in failed[:MAXIMUM_TESTS]:
            yield _failed_test(brief, branch, test)
    declared = tools.properties()
    if not declared:
        return
    from pqa.instruments.property_search import check_property  # noqa: PLC0415 - it loads Hypothesis

    modules = modules_of(tools.surface(branch))
    for name, function in declared.items():
        run = check_property(name, function, tools.zygote(branch), modules, trials=brief.trials, seed_number=brief.seed)
        if run.status is PropertyStatus.BROKEN:
            yield _broken_property(brief, branch, run, (function.__doc__ or "").strip())
        elif run.status is PropertyStatus.COULD_NOT_CHECK:
            yield Note("could-not-check", f"property '{name}': {run.message}", branch.branch_id)


def _failed_test(brief: Brief, branch: Branch, test: TestRun) -> Finding:
    title = f"the locked test {test.node_id} fails"
    detail = f"{test.message or 'it fails'} The verifier misses it because the locked suite is not the branch's own."
    trigger = Trigger("suite", title, source=test.node_id, timeout=60.0, seed=brief.seed)
    return Finding(
        branch.branch_id, "critical", "locked-test", title, detail, attack=brief.attack, layer=LAYER, oracle="task",
        trigger=trigger, adversary="mechanical", qualified=True, root=f"locked:{test.node_id}",
        why_missed="the locked suite is not the branch's own",
    )  # fmt: skip


def _broken_property(brief: Brief, branch: Branch, run: PropertyRun, stated: str) -> Finding:
    words = run.name.removeprefix("property_").replace("_", " ")
    title = f"the declared property '{words}' is broken"
    last = _last(run.calls, run.answers)
    promise = f"{stated.splitlines()[0]} " if stated else ""
    missed = "The verifier misses it because no test of the branch makes these calls."
    detail = f"{promise}{run.message}. Smallest example found: {len(run.calls)} calls, the last {last}. {missed}"
    trigger = Trigger(
        "observation", title, run.setup, run.calls, {"property": run.name, "draws": list(run.draws)},
        timeout=20.0, seed=brief.seed,
    )  # fmt: skip
    return Finding(
        branch.branch_id, "critical", "property", title, detail, attack=brief.attack, layer=LAYER, oracle="task",
        trigger=trigger, adversary="mechanical", qualified=True, root=f"property:{run.name}", why_missed=missed,
    )  # fmt: skip


def _last(calls: tuple[Mapping[str, Json], ...], answers: tuple[Mapping[str, Json], ...]) -> str:
    if not calls or not answers:
        return "none"
    return f"{call_text(calls[-1])} -> {describe(answers[-1])}"
