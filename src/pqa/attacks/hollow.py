"""Would the branch's own tests notice if its functions did nothing, or gave wrong values of the right shape?

Each public function that the tests call is hollowed in turn while the suite runs in the sandbox. Tests that stay green
then say nothing about the branch, and with them the verifier says nothing. A test that notices one changed value of a
function clears it. A suite that all branches share, or a locked one, accuses nobody: it is judged once, in a note.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools
from pqa.core.task import Brief, Task
from pqa.core.trigger import Trigger
from pqa.core.verdict import SuiteRun
from pqa.instruments.hollow import Suite, is_clean, locked_suite, own_suite
from pqa.instruments.hollow_replay import hollow_source
from pqa.instruments.hollow_survey import Survey, Watched, survey_suite
from pqa.instruments.hollow_trials import CANNOT_FAIL, GUTTED, SHAPE_ONLY, SOUND, VOID, Weakness, try_function
from pqa.instruments.suite_digest import same_suite

LAYER = "suite"
SCOPE = "set"
MOST_FUNCTIONS = 5
SECONDS = 60.0
ACCUSING = (CANNOT_FAIL, GUTTED, SHAPE_ONLY)


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Note]:
    """A suite that is everybody's or nobody's is judged once; every other one on its own branch."""
    own = {branch.branch_id: tools.verification(branch).own for branch in brief.branches}
    bring = [branch for branch in brief.branches if own[branch.branch_id].status not in ("absent", "empty")]
    if same_suite(brief.branches):
        green = [branch for branch in bring if own[branch.branch_id].status == "green"]
        yield from _judge_shared(brief, tools, green, "the suite that all branches share")
        return
    if len(bring) < len(brief.branches):
        yield from _judge_locked(brief, tools)
    for found in tools.side_by_side(lambda branch: _examine(brief, tools, branch, own[branch.branch_id]), bring):
        yield from found


def _judge_locked(brief: Brief, tools: Tools) -> Iterator[Note]:
    """Branches without tests of their own lean on the locked suite; where there is none, nothing can be asked."""
    for branch in brief.branches:
        locked = tools.verification(branch).locked
        if locked is None and tools.verification(branch).own.status in ("absent", "empty"):
            yield Note("could-not-check", "it brings no tests that could be attacked", branch.branch_id)
        if locked is not None and locked.status == "green":
            yield from _judge_shared(brief, tools, [branch], "the locked suite", locked)
            return


def _judge_shared(
    brief: Brief, tools: Tools, branches: Sequence[Branch], whose: str, locked: SuiteRun | None = None
) -> Iterator[Note]:
    """One note for the run at most."""
    for branch in branches[:1]:
        paths = tuple(dict.fromkeys(test.node_id.partition("::")[0] for test in locked.tests)) if locked else ()
        suite = locked_suite(branch, paths) if locked else own_suite(branch)
        _, found, _ = _weaknesses(brief, tools, branch, suite)
        weak = [one for one in found if one.kind in ACCUSING]
        if weak:
            words = "; ".join(f"{claim_of(one)}" for one in weak)
            yield Note("weak-suite", f"{whose} says little, whatever a branch does: {words}")


def _examine(brief: Brief, tools: Tools, branch: Branch, own: SuiteRun) -> list[Finding | Note]:
    """One branch with a suite of its own."""
    if own.status not in ("green", "could-not-check"):
        return [
            Note(
                "could-not-check",
                f"its own suite is {own.status}, so hollowing its code shows nothing",
                branch.branch_id,
            )
        ]
    try:
        survey, found, left_out = _weaknesses(brief, tools, branch, own_suite(branch))
    except GuestLost as error:
        return [Note("could-not-run", f"the sandbox was lost: {error}", branch.branch_id)]
    forged = next((one for one in found if one.kind == CANNOT_FAIL), None)
    if forged is not None:
        return [_finding(brief, branch, survey, forged, critical=True)]
    if own.status != "green":
        return [Note("could-not-check", f"its own suite could not be checked: {own.why}", branch.branch_id)]
    remarks: list[Finding | Note] = _remarks(branch, survey, found, left_out)
    main = _main(brief.task, found)
    weak = [one for one in found if one.kind in (GUTTED, SHAPE_ONLY)]
    return [*remarks, *(_finding(brief, branch, survey, one, critical=_is_critical(one, found, main)) for one in weak)]


def _is_critical(weakness: Weakness, found: Sequence[Weakness], main: Sequence[str]) -> bool:
    """Shape alone is critical on the main entry point. Gutted code is, on any public function, unless other tests of the
    same suite do compare values: then a helper that is merely run is a gap, and no hollow suite."""
    if weakness.function.name in main:
        return True
    return weakness.kind == GUTTED and all(one.kind not in (SOUND, VOID) for one in found)


def _main(task: Task, found: Sequence[Weakness]) -> list[str]:
    """The functions that the task names; else the one that most tests call."""
    named = [one.function.name for one in found if is_named(task, one.function.word)]
    return named or [one.function.name for one in found[:1]]


def is_named(task: Task, word: str) -> bool:
    """Whether the task speaks of a function: its name before a bracket, or within code marks."""
    name = re.escape(word)
    return re.search(rf"(?<![\w.]){name}\s*\(|\.{name}\s*\(|`[^`\n]*\b{name}\b[^`\n]*`", task.text) is not None


def _weaknesses(
    brief: Brief, tools: Tools, branch: Branch, suite: Suite
) -> tuple[Survey, list[Weakness], list[Watched]]:
    """What the suite is worth for each function that it calls, those that the task names first; and what was left out."""
    zygote = tools.zygote(branch)
    survey = survey_suite(zygote, suite, seconds=SECONDS)
    if survey.clean is None or not is_clean(survey.clean):
        return survey, [], []
    wanted = [one for one in survey.functions if one.direct and one.kind]
    wanted.sort(key=lambda one: not is_named(brief.task, one.word))
    found: list[Weakness] = []
    for function in wanted[:MOST_FUNCTIONS]:
        if tools.expired(brief):
            break
        found.append(try_function(zygote, suite, survey, function, seconds=SECONDS))
        if found[-1].kind == CANNOT_FAIL:
            break
    return survey, found, wanted[len(found) :]


def _remarks(
    branch: Branch, survey: Survey, found: Sequence[Weakness], left_out: Sequence[Watched]
) -> list[Finding | Note]:
    """What was not measured, and why."""
    if survey.trouble:
        return [Note("could-not-check", f"its tests could not be attacked: {survey.trouble}", branch.branch_id)]
    remarks: list[Finding | Note] = []
    for one in found:
        if one.kind == VOID:
            text = f"whether its tests notice a hollow {one.function.word}(): {one.why}"
            remarks.append(Note("could-not-check", text, branch.branch_id))
    if left_out:
        names = ", ".join(f"{one.word}()" for one in left_out[:8])
        text = f"hollow: {len(left_out)} functions that its tests call less were left out: {names}"
        remarks.append(Note("hollow-left-out", text, branch.branch_id))
    return remarks


def claim_of(weakness: Weakness) -> str:
    """The weakness in one clause."""
    word = f"{weakness.function.word}()"
    if weakness.kind == CANNOT_FAIL:
        return f"the suite cannot fail: it stays green when {word} raises"
    if weakness.kind == GUTTED:
        return f"the tests pass on gutted code: {word} may do nothing and return {_answers(weakness.ways)}"
    return f"the tests assert only the shape of what {word} returns"


def _answers(ways: Sequence[str]) -> str:
    words = {
        "none": "None",
        "true": "True",
        "empty:bool": "False",
        "empty:int": "0",
        "empty:float": "0.0",
        "empty:str": "''",
    }
    return " or ".join(words.get(way) or f"an empty {way.partition(':')[2]}" for way in ways)


def _missed(weakness: Weakness) -> str:
    number, word = len(weakness.tests), f"{weakness.function.word}()"
    tests = "1 test calls" if number == 1 else f"{number} tests call"
    if weakness.kind == CANNOT_FAIL:
        return f"an exception leaves {number} of its tests and every one is reported as passed"
    if weakness.kind == GUTTED:
        return f"{tests} {word} and none looks at what it does"
    return f"{tests} {word} and none compares a value"


def _detail(weakness: Weakness) -> str:
    word, empty = (
        f"{weakness.function.word}()",
        [way for way in weakness.ways if way.startswith(("empty", "true", "none"))],
    )
    last = f" The verifier misses it because {_missed(weakness)}."
    if weakness.kind == CANNOT_FAIL:
        text = f"With {word} replaced by a raise, the suite still ends with exit status 0; the exception left"
        return (
            f"{text} {len(weakness.tests)} test functions, so what reports them is altered: {weakness.tests[0]}.{last}"
        )
    if weakness.kind == GUTTED:
        return f"The whole suite stays green when {word} has no body and returns {_answers(weakness.ways)}.{last}"
    true, changed = (*weakness.example, "?", "?")[:2]
    text = f"The whole suite stays green when {word} returns {changed[:200]} where it returned {true[:200]};"
    even = f" It even passes when {word} has no body and returns {_answers(empty)}." if empty else ""
    return f"{text} {weakness.calls} results were changed like that.{even}{last}"


def _finding(brief: Brief, branch: Branch, survey: Survey, weakness: Weakness, *, critical: bool) -> Finding:
    function = weakness.function
    title = claim_of(weakness)
    source = hollow_source(weakness, survey.imports)
    trigger = Trigger("hollow", title, source=source, timeout=SECONDS, seed=brief.seed)
    return Finding(
        branch.branch_id, "critical" if critical else "high", "hollow-tests", title, _detail(weakness), attack=brief.attack,
        layer=LAYER, oracle="hollow-suite", trigger=trigger, location=f"{function.file}:{function.line}",
        adversary="mechanical", why_missed=_missed(weakness), qualified=critical, root=f"hollow:{function.name}",
    )  # fmt: skip
