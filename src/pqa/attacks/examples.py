"""Does the branch do what the examples in the task's own text say?

Every example is first run on all branches: one that nobody passes is a broken example and accuses nobody. One that is
self-contained and passed by enough of the others kills the branch that fails it; any other is a question.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.evidence import Evidence, Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.core.trigger import Json, Trigger
from pqa.core.values import source_text
from pqa.instruments.asking import ask
from pqa.instruments.common_surface import Shared, shared_surface
from pqa.instruments.divergence import Split
from pqa.instruments.observation import Observed, breaks, observe
from pqa.instruments.outcomes import describe
from pqa.instruments.stated_example import Example
from pqa.instruments.task_examples import examples_of

LAYER = "question"
SCOPE = "set"
SECONDS = 30.0
CALL_SECONDS = 2.0
MAXIMUM_QUESTIONS = 2


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
    """Run every example on every branch, then judge by who passes."""
    shared = shared_surface(brief.branches, tools)
    names = {name.rpartition(".")[2]: name for name in (*shared.offers,)}
    examples = examples_of(brief.task.text, names)
    if not examples:
        return
    cases = [{"setup": list(one.setup), "calls": list(one.calls)} for one in examples]

    def run(branch: Branch) -> list[Observed]:
        return observe(tools.zygote(branch), cases, call_seconds=CALL_SECONDS, seconds=SECONDS)

    seen = dict(zip((b.branch_id for b in brief.branches), tools.side_by_side(run, brief.branches), strict=True))
    failed: dict[str, int] = {}
    asked = 0
    for index, example in enumerate(examples):
        here = {name: observed[index] for name, observed in seen.items()}
        verdicts = {name: breaks({"values": list(example.expect)}, [one]) for name, one in here.items()}
        if example.implied and sum(one is False for one in verdicts.values()) * 2 < len(verdicts):
            continue
        for name in (name for name, broken in verdicts.items() if broken):
            failed[name] = failed.get(name, 0) + 1
        for item in () if example.implied else _judge(brief, shared, example, here, verdicts):
            asked += isinstance(item, Question)
            if not isinstance(item, Question) or asked <= MAXIMUM_QUESTIONS:
                yield item
    for branch in brief.branches:
        yield Evidence(
            branch.branch_id, brief.attack, "failed-examples", failed.get(branch.branch_id, 0), len(examples)
        )


def _judge(
    brief: Brief,
    shared: Shared,
    example: Example,
    seen: Mapping[str, Observed],
    verdicts: Mapping[str, bool | None],
) -> Iterator[Finding | Question | Note]:
    passing = [name for name, broken in verdicts.items() if broken is False]
    failing = [name for name, broken in verdicts.items() if broken]
    if not failing:
        return
    if not passing:
        yield Note("broken-example", f"no branch passes the task's example '{example.text}'")
        return
    if not example.touches_files and _enough(shared, passing, failing):
        for name in failing:
            yield _accuse(brief, example, name, seen[name], len(passing), len(verdicts))
        return
    groups = tuple(sorted((tuple(passing), tuple(failing)), key=lambda group: -len(group)))
    known = {name: one for name, one in seen.items() if one.complete}
    if all(any(name in known for name in group) for group in groups):
        case = {"setup": list(example.setup), "calls": list(example.calls)}
        groups = tuple(tuple(name for name in group if name in known) for group in groups)
        yield ask(Split(example.subject, case, groups, known))


def _enough(shared: Shared, passing: Sequence[str], failing: Sequence[str]) -> bool:
    """At least half of four or more independent branches pass; where there are fewer, every other one does."""
    good = {shared.clones.get(name, name) for name in passing}
    bad = {shared.clones.get(name, name) for name in failing} - good
    total = len(good) + len(bad)
    return len(good) * 2 >= total if total >= 4 else len(bad) <= 1


def _accuse(brief: Brief, example: Example, name: str, seen: Observed, passing: int, total: int) -> Finding:
    right = _words(example.expect[-1])
    got = describe(seen.outcomes[-1]) if seen.outcomes else seen.trouble
    title = f"the task's example {example.text} fails: {right} is stated, {got} came back"[:200]
    missed = "The verifier misses it because no test runs this example of the task."
    detail = f"The task says that {example.text} gives {right}; this branch: {got}. {passing} of {total} branches pass. {missed}"
    expect: dict[str, Json] = {"values": list(example.expect)}
    trigger = Trigger("observation", title, example.setup, example.calls, expect, seed=brief.seed)
    return Finding(
        name,
        "critical",
        "example",
        title,
        detail,
        attack=brief.attack,
        layer=LAYER,
        oracle="example",
        trigger=trigger,
        adversary="mechanical",
        qualified=True,
        why_missed=missed,
        root=f"example:{example.subject}",
    )


def _words(expected: Json) -> str:
    if isinstance(expected, dict) and "$raises" in expected:
        return f"raises {expected['$raises']}"
    return source_text(expected)
