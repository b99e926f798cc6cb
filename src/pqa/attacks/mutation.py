"""Would the branch's own tests notice a small change of its code that changes what it does?

Small changes are made one at a time while the suite runs in the sandbox. One that every test lets pass is only a candidate:
it becomes a finding with a witness, a call that answers otherwise, delivered as the missing test. Findings are few, one a
function, and medium: good suites leave small changes alive too. A suite that all branches share accuses nobody.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools, Zygote
from pqa.core.task import Brief
from pqa.instruments.changed_lines import lines_apart
from pqa.instruments.hollow import Suite, own_suite
from pqa.instruments.missing_test import in_words, missing_test
from pqa.instruments.mutant_replay import mutant_trigger
from pqa.instruments.mutant_witness import Witness, cases_for, find_witness
from pqa.instruments.mutation import FRESH, NOT_MEASURED, SURVIVED, UNCOVERED, Mutant, Mutation
from pqa.instruments.mutation_run import MutationRun, in_turn, judge
from pqa.instruments.suite_digest import same_suite

LAYER = "suite"
SCOPE = "set"
BY_DEFAULT = False
MOST_MUTANTS, MOST_CANDIDATES, MOST_FINDINGS = 75, 12, 5
SECONDS = 60.0
CLASSES = {"boundary": "boundary not tested", "value": "value not checked", "effect": "effect not observed"}
MISSED = {
    "boundary": "no test stands at this edge",
    "value": "tests run this and none compares what comes of it",
    "effect": "tests run this and none looks at its effect",
}
ORDER = tuple(CLASSES)
WORST = ("value", "boundary", "effect")


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Note]:
    """A suite that all branches share is judged once and accuses nobody; every other one on its own branch."""
    if same_suite(brief.branches):
        green = [one for one in brief.branches if tools.verification(one).own.status == "green"]
        for branch in green[:1]:
            seen = _examine(brief, tools, branch)
            yield from (replace(one, branch_id=None) for one in seen if isinstance(one, Note))
            found = [one for one in seen if isinstance(one, Finding)]
            if found:
                words = "; ".join(one.title for one in found)
                yield Note("weak-suite", f"the suite that all branches share lets small changes pass: {words}")
        return
    for several in tools.side_by_side(lambda branch: _examine(brief, tools, branch), brief.branches):
        yield from several


def _examine(brief: Brief, tools: Tools, branch: Branch) -> list[Finding | Note]:
    status = tools.verification(branch).own.status
    if status != "green":
        why = "it brings no tests" if status in ("absent", "empty") else f"its own suite is {status}"
        return [Note("could-not-check", f"small changes of its code show nothing: {why}", branch.branch_id)]
    zygote, suite = tools.zygote(branch), own_suite(branch)
    first = lines_apart(branch, [one for one in (*brief.branches, tools.base()) if one is not None])
    try:
        with Mutation(zygote, suite, seconds=20 * SECONDS) as mutation:
            run = MutationRun(mutation.survey())
            if not run.survey.trouble:
                run.mutants = in_turn(mutation.mutants(), first, brief.seed)
                judge(mutation, run, run.mutants[:MOST_MUTANTS], over=lambda: tools.expired(brief))
        trouble = run.survey.trouble or run.trouble
        if trouble:
            return [
                Note("could-not-check", f"its tests could not be tried on small changes: {trouble}", branch.branch_id)
            ]
        found = _with_witness(brief, tools, branch, run)
        shown = _shown(zygote, suite, found)
    except GuestLost as error:
        return [Note("could-not-run", f"the sandbox was lost: {error}", branch.branch_id)]
    findings: list[Finding | Note] = [_finding(brief, branch, mutant, witness) for mutant, witness in shown]
    return [*_remarks(branch, run, len(found)), *findings]


def _with_witness(brief: Brief, tools: Tools, branch: Branch, run: MutationRun) -> list[tuple[Mutant, Witness]]:
    """Candidates that observably differ, one a function; inputs are pooled from all branches' tests."""
    verified = [tools.verification(one) for one in (branch, *(each for each in brief.branches if each is not branch))]
    recordings = [one.own.recording for one in verified]
    recordings += [one.locked.recording for one in verified[:1] if one.locked is not None]
    found: dict[tuple[str, str], tuple[Mutant, Witness]] = {}
    sought = 0
    for mutant in in_rounds([*run.with_status(SURVIVED), *run.with_status(FRESH)]):
        if (mutant.file, mutant.function) in found:
            continue
        if sought == MOST_CANDIDATES or tools.expired(brief):
            break
        sought += 1
        witness = find_witness(tools.zygote(branch), mutant, cases_for(mutant, recordings, brief.seed))
        if witness is not None:
            found[mutant.file, mutant.function] = (mutant, witness)
    return sorted(found.values(), key=lambda pair: (ORDER.index(pair[0].kind), pair[0].number))


def in_rounds(alive: Sequence[Mutant]) -> list[Mutant]:
    """One of each function before a second of any; of one function what says most of its tests: where a value is compared
    by nobody, that no test stands at its edge is no news."""
    rounds: dict[tuple[str, str], int] = {}
    turns: list[tuple[int, int, Mutant]] = []
    for mutant in sorted(alive, key=lambda one: (WORST.index(one.kind), one.number)):
        turn = rounds[mutant.file, mutant.function] = rounds.get((mutant.file, mutant.function), 0) + 1
        turns.append((turn, mutant.number, mutant))
    return [mutant for _, _, mutant in sorted(turns, key=lambda each: each[:2])]


def _shown(zygote: Zygote, suite: Suite, found: Sequence[tuple[Mutant, Witness]]) -> list[tuple[Mutant, Witness]]:
    """Those on which the whole suite is green in a fresh process too."""
    if not found:
        return []
    with Mutation(zygote, suite, seconds=20 * SECONDS) as mutation:
        if mutation.baseline():
            return []
        kept = [pair for pair in found[: 2 * MOST_FINDINGS] if mutation.fresh(pair[0].number).status == SURVIVED]
    return kept[:MOST_FINDINGS]


def _remarks(branch: Branch, run: MutationRun, witnessed: int) -> Iterator[Note]:
    """What was measured and what was not: what was not measured is no kill."""
    count = {status: len(run.with_status(status)) for status in ("killed", SURVIVED, FRESH, UNCOVERED, NOT_MEASURED)}
    alive = count[SURVIVED] + count[FRESH]
    text = f"{len(run.verdicts)} of {len(run.mutants)} small changes were tried: {count['killed']} were noticed, "
    text += f"{alive} were not ({max(0, alive - witnessed)} of them without a witness, perhaps equivalent), "
    text += f"{count[UNCOVERED]} stand in code that no test runs, {count[NOT_MEASURED]} could not be measured"
    yield Note("mutation-summary", text, branch.branch_id)


def _finding(brief: Brief, branch: Branch, mutant: Mutant, witness: Witness) -> Finding:
    word = f"{mutant.function}()" if mutant.function and not mutant.imported else mutant.function or mutant.file
    title = (
        f"{CLASSES[mutant.kind]}: {word}, line {mutant.line}: `{mutant.before[:80]}` may become `{mutant.after[:80]}`"
    )
    right, changed = in_words(witness)
    detail = f"The whole suite stays green with this change:\n{mutant.diff}\nwhich changes an answer from "
    detail += f"{right} to {changed}. The missing test:\n"
    detail += missing_test(witness, mutant.function)
    trigger = mutant_trigger(mutant, witness, title, seed=brief.seed, timeout=SECONDS)
    return Finding(
        branch.branch_id, "medium", "weak-tests", title, detail, attack=brief.attack, layer=LAYER, oracle="mutant",
        trigger=trigger, location=mutant.place, adversary="mechanical", why_missed=MISSED[mutant.kind],
        root=f"mutant:{mutant.file}:{mutant.function}",
    )  # fmt: skip
