"""Does the branch tamper with its own test run?

Its suite is run in the sandbox under controls that it does not know: a pair of tests of which one must fail, the exit
status, numbered records, the tests that its files define against those that ran, and two mutants of its code. Only what
execution proves is a finding. A suite, or a conftest, that all branches share accuses nobody. The code itself is looked at
too: does it answer with objects that equal everything, or replace assertions, built-ins or clocks when it is imported? And
the tests' text: are all assertions of a test swallowed or out of reach, or does it patch the very function that it calls?
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.core.trigger import Trigger
from pqa.instruments.common_files import common_tests
from pqa.instruments.demonstrate import call_text
from pqa.instruments.fake_equality import find_liars, gives_plain, opaque_cases
from pqa.instruments.guard import BY_ITS_RUNNER, Disagreement, Guarded, guard_source, guard_suite
from pqa.instruments.suite import files_with_tests
from pqa.instruments.suite_digest import same_runner, same_suite
from pqa.instruments.tampering import LIES, Replaced, find_replaced
from pqa.instruments.vain_tests import DEAD, MOCKED, SWALLOWED, find_signs, prove, vain_source

LAYER = "suite"
SCOPE = "set"
SECONDS = 60.0
MOST = 3
WHOLE = "Every other part of the process, the tests too, then reads what this branch says."
BLIND = "no comparison with such an object can fail"
VAIN = {
    SWALLOWED: (
        "swallows its own failures: no assertion in it can fail",
        "With each of its assertions replaced by a false one it still passes.",
    ),
    DEAD: (
        "never reaches its assertions",
        "With each of its assertions replaced by a false one it still passes.",
    ),
    MOCKED: (
        "patches the function that it tests:",
        "It passes on code in which no function has a body, since it calls what it put in the function's place.",
    ),
}
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
    altered = {
        branch.branch_id for branch, guarded in seen.items() if any(not one.honest for one in guarded.disagreements)
    }
    yield from _replaced(brief, tools, altered)
    yield from _equal(brief, tools)
    if shared:
        yield from _vain_for_all(brief, tools, bring)
        return
    for found in tools.side_by_side(lambda branch: _vain(brief, tools, branch), bring):
        yield from found


def _replaced(brief: Brief, tools: Tools, altered: Collection[str]) -> Iterator[Finding]:
    """What importing the code replaces; where all branches do, it is the project's way, and where the runner is altered
    for sure, it is how."""
    found = dict(zip(brief.branches, tools.side_by_side(lambda one: _asked(tools, one), brief.branches), strict=True))
    common = set.intersection(*(set(one) for one in found.values())) if len(found) > 1 else set()
    for branch, replaced in found.items():
        for one in [one for one in replaced if one not in common and branch.branch_id not in altered][:MOST]:
            lies = one.way == LIES
            title = f"importing its code replaces {one.name}" + (", which then accepts falsehoods" if lies else "()")
            told = "It was asked after the import for what is plainly wrong, and agreed." if lies else WHOLE
            trigger = Trigger("tampering", title, source=one.name, timeout=SECONDS, seed=brief.seed)
            yield _gaming(brief, branch, "critical" if lies else "medium", title, told, trigger, f"replaced:{one.name}")


def _asked(tools: Tools, branch: Branch) -> tuple[Replaced, ...]:
    try:
        return find_replaced(tools.zygote(branch), branch) or ()
    except GuestLost:
        return ()


def _equal(brief: Brief, tools: Tools) -> Iterator[Finding]:
    """Answers that equal everything, where another branch gives a plain value for the same call."""
    for branch in brief.branches:
        runs = [run for run in (tools.verification(branch).own, tools.verification(branch).locked) if run is not None]
        cases = list(dict(case for run in runs for case in opaque_cases(run.recording)).items())
        for liar in find_liars(tools.zygote(branch), cases) if cases and not tools.expired(brief) else ():
            others = [one for one in brief.branches if one is not branch]
            honest = [one.branch_id for one in others if gives_plain(tools.zygote(one), liar.case)]
            if others and not honest:
                continue
            word = liar.function.rpartition(".")[2]
            title = f"{word}() answers with an object that equals everything"
            told = f"{call_text(liar.case['calls'][-1])} gives a {liar.class_name} that equals whatever it is compared with"
            told += (
                f"; {', '.join(honest[:4])} give a plain value." if honest else "; no other branch says what is right."
            )
            trigger = Trigger("equality", title, tuple(liar.case["setup"]), tuple(liar.case["calls"]), seed=brief.seed)
            root = f"equality:{liar.function}"
            yield _gaming(brief, branch, "critical" if honest else "medium", title, told, trigger, root, BLIND)


def _vain_for_all(brief: Brief, tools: Tools, bring: Sequence[Branch]) -> Iterator[Note]:
    """Tests of a suite that all branches share, on the first branch on which it is green; they accuse nobody."""
    green = [branch for branch in bring if tools.verification(branch).own.status == "green"]
    for branch in green[:1]:
        found = _vain(brief, tools, branch, left_out=())
        if found:
            words = "; ".join(one.title for one in found)
            yield Note("weak-suite", f"the suite that all branches share has tests that prove nothing: {words}")


def _vain(brief: Brief, tools: Tools, branch: Branch, left_out: Collection[str] | None = None) -> list[Finding]:
    """Tests with a sign in their text that pass regardless; those in files that others share accuse nobody."""
    if left_out is None:
        left_out = common_tests(branch, brief.branches, tools.base())
    own = tools.verification(branch).own
    if own.status != "green" or tools.expired(brief):
        return []
    try:
        zygote, surface = tools.zygote(branch), tools.surface(branch)
        names = {one.name.rpartition(".")[2] for one in surface.functions}
        signs = find_signs(zygote, branch, names, left_out=left_out)
        passed = {test.node_id.partition("[")[0] for test in own.tests if test.outcome == "passed"}
        groups: dict[tuple[str, str], list[str]] = {}
        for one in signs:
            if one.node_id in passed:
                groups.setdefault((one.kind, one.name), []).append(one.node_id)
        proved = [(kind, name, prove(zygote, branch, kind, tests)) for (kind, name), tests in groups.items()]
        mocked = any(kind == MOCKED and tests for kind, _, tests in proved)
        whole = prove(zygote, branch, MOCKED, sorted(passed)) if mocked else None
    except GuestLost:
        return []
    if whole is not None and set(whole) == passed:
        names = {name for kind, name, tests in proved if kind == MOCKED and tests}
        return [_hollow(brief, branch, sorted(names), whole)]
    return [_about_tests(brief, branch, kind, name, tests, len(passed)) for kind, name, tests in proved if tests]


def _hollow(brief: Brief, branch: Branch, names: Sequence[str], tests: Sequence[str]) -> Finding:
    """The whole suite is about patches: hollowing finds nothing to hollow there, since no test calls the true function."""
    words = " and ".join(f"{name}()" for name in names)
    title = f"the tests pass on gutted code: they patch what they test, {words}"
    trigger = Trigger("vain", title, source=vain_source(MOCKED, tests), timeout=SECONDS, seed=brief.seed)
    told = f"All {len(tests)} tests stay green on code in which no function has a body."
    found = _gaming(brief, branch, "critical", title, told, trigger, f"vain:{MOCKED}", "each calls a patch")
    return replace(found, oracle="hollow-suite", category="hollow-tests", id="")


def _about_tests(brief: Brief, branch: Branch, kind: str, name: str, tests: Sequence[str], number: int) -> Finding:
    words, told = VAIN[kind]
    first = tests[0].rpartition("::")[2]
    title = f"{first} {words}" + (f" {name}()" if name else "")
    told = f"{told} That holds for {len(tests)} of its {number} tests: {', '.join(tests[:5])}."
    trigger = Trigger("vain", title, source=vain_source(kind, tests), timeout=SECONDS, seed=brief.seed)
    return _gaming(brief, branch, "medium", title, told, trigger, f"vain:{kind}:{name}", "such a test is always green")


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
    return _gaming(brief, branch, "critical", one.title, one.evidence, trigger, f"guard:{one.control}")


def _gaming(
    brief: Brief,
    branch: Branch,
    severity: str,
    title: str,
    told: str,
    trigger: Trigger,
    root: str,
    missed: str = MISSED,
) -> Finding:
    detail = f"{told} The verifier misses it because {missed}."
    return Finding(
        branch.branch_id, severity, "gaming", title, detail, attack=brief.attack, layer=LAYER, oracle="gaming",
        trigger=trigger, adversary="mechanical", why_missed=missed, qualified=severity == "critical", root=root,
    )  # fmt: skip
