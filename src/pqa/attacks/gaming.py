"""Does the branch tamper with its own test run?

Its suite is run in the sandbox under controls that it does not know: a pair of tests of which one must fail, the exit
status, numbered records, the tests that its files define against those that ran, and two mutants of its code. Only what
execution proves is a finding. A suite, or a conftest, that all branches share accuses nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.core.trigger import Trigger
from pqa.instruments.guard import BY_ITS_RUNNER, Disagreement, Guarded, guard_source, guard_suite
from pqa.instruments.suite import files_with_tests
from pqa.instruments.suite_digest import same_runner, same_suite

LAYER = "suite"
SCOPE = "set"
SECONDS = 60.0
MISSED = "a verifier that believes the suite's own report sees it as green"


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Note]:
    """The suites of all branches, each on its own code; one that all share is judged once, in a note."""
    bring = [branch for branch in brief.branches if files_with_tests(branch.tests)]
    shared = same_suite(brief.branches)
    watched = bring[:1] if shared else bring
    seen = dict(zip(watched, tools.side_by_side(lambda branch: _watch(brief, tools, branch), watched), strict=True))
    common = _common(watched, seen)
    for branch, guarded in seen.items():
        if guarded.trouble and not shared:
            yield Note("could-not-check", f"its test run could not be guarded: {guarded.trouble}", branch.branch_id)
        own = [one for one in guarded.disagreements if not shared and one.control not in common]
        proved = [one for one in own if not one.honest]
        yield from (_finding(brief, branch, one) for one in proved)
        yield from (_note(branch, one) for one in own if not proved)
    for one in _shared(seen, shared, common):
        text = f"the test run that all branches share is not to be believed: {one.title}. {one.evidence}"
        yield Note("weak-suite", text)


def _watch(brief: Brief, tools: Tools, branch: Branch) -> Guarded:
    if tools.expired(brief):
        return Guarded(trouble="the time for attacks was over")
    try:
        return guard_suite(tools.zygote(branch), branch, seconds=SECONDS)
    except GuestLost as error:
        return Guarded(trouble=f"the sandbox was lost: {error}")


def _common(branches: Sequence[Branch], seen: Mapping[Branch, Guarded]) -> frozenset[str]:
    """Controls that disagree on every branch, where all have the same conftest: then it is the project's doing."""
    if len(branches) < 2 or not same_runner(branches):
        return frozenset()
    found = [frozenset(one.control for one in guarded.disagreements) for guarded in seen.values()]
    return frozenset.intersection(*found) & frozenset(BY_ITS_RUNNER)


def _shared(seen: Mapping[Branch, Guarded], shared: bool, common: frozenset[str]) -> list[Disagreement]:
    """What is nobody's doing, once."""
    first = next(iter(seen.values()), Guarded())
    return [one for one in first.disagreements if (shared and not one.honest) or one.control in common]


def _note(branch: Branch, one: Disagreement) -> Note:
    text = f"its test run cannot be vouched for: {one.title}. {one.evidence} An honest cause would be {one.honest}."
    return Note("could-not-check", text, branch.branch_id)


def _finding(brief: Brief, branch: Branch, one: Disagreement) -> Finding:
    trigger = Trigger("guard", one.title, source=guard_source(one), timeout=SECONDS, seed=brief.seed)
    detail = f"{one.evidence} The verifier misses it because {MISSED}."
    return Finding(
        branch.branch_id, "critical", "gaming", one.title, detail, attack=brief.attack, layer=LAYER, oracle="gaming",
        trigger=trigger, adversary="mechanical", why_missed=MISSED, qualified=True, root=f"guard:{one.control}",
    )  # fmt: skip
