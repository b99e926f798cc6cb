"""Does the branch do what the examples in its own docstrings and README say that it does?

Only doctest sessions are read, and only calls with literals and answers that are literals. What the task's text states too
is no promise of the branch. It accuses only on calls that tests make: on others, and where every branch that states the
example fails it, the text may be what is wrong, and that is a remark.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools
from pqa.core.recording import Recording
from pqa.core.task import Brief
from pqa.core.trigger import Json, Trigger
from pqa.core.values import source_text
from pqa.instruments.observation import Observed, breaks, observe
from pqa.instruments.outcomes import describe
from pqa.instruments.own_examples import is_recorded, key_of, own_examples
from pqa.instruments.recorder import pool
from pqa.instruments.stated_example import Example
from pqa.instruments.task_examples import examples_of

LAYER = "question"
SCOPE = "set"
CALL_SECONDS = 2.0
SECONDS = 30.0
MAXIMUM_FINDINGS = 3
Told = tuple[str, Example, Observed, bool | None]


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Note]:
    """Run every branch's own examples on it, then accuse where it alone is contradicted."""
    results = list(tools.side_by_side(lambda branch: _told(brief, tools, branch), brief.branches))
    by_branch = dict(zip((branch.branch_id for branch in brief.branches), results, strict=True))
    recording = pool(
        suite.recording
        for branch in brief.branches
        for suite in (tools.verification(branch).own, tools.verification(branch).locked)
        if suite is not None
    )
    kept = {key_of(example) for told in results for _, example, _, broken in told if broken is False}
    failed = [key_of(example) for told in results for _, example, _, broken in told if broken]
    for name, told in by_branch.items():
        lost = [seen.trouble for _, _, seen, broken in told if broken is None and seen.trouble]
        if lost:
            yield Note("could-not-check", f"{len(lost)} of its own examples could not be run: {lost[0]}", name)
        fair = kept | {key for key in failed if failed.count(key) == 1}
        yield from _accused(brief, name, told, fair, recording)


def _told(brief: Brief, tools: Tools, branch: Branch) -> list[Told]:
    surface = tools.surface(branch)
    dotted = [*(one.name for one in surface.functions), *(one.name for one in surface.classes)]
    names = {name.rpartition(".")[2]: name for name in dotted}
    stated = {key_of(example) for example in examples_of(brief.task.text, names)}
    own = [(place, example) for place, example in own_examples(branch, surface) if key_of(example) not in stated]
    cases = [{"setup": list(one.setup), "calls": list(one.calls)} for _, one in own]
    seen = observe(tools.zygote(branch), cases, call_seconds=CALL_SECONDS, seconds=SECONDS) if cases else []
    return [
        (place, example, one, breaks({"values": list(example.expect)}, [one]))
        for (place, example), one in zip(own, seen, strict=True)
    ]


def _accused(
    brief: Brief, name: str, told: Sequence[Told], fair: set[str], recording: Recording
) -> Iterator[Finding | Note]:
    """At most one finding or remark a place."""
    places: set[str] = set()
    for place, example, seen, broken in told:
        if not broken or place in places or len(places) >= MAXIMUM_FINDINGS:
            continue
        places.add(place)
        if key_of(example) in fair and is_recorded(example, recording):
            yield _accuse(brief, name, place, example, seen)
        else:
            yield Note("own-example", _title(place, example, seen), name)


def _accuse(brief: Brief, name: str, place: str, example: Example, seen: Observed) -> Finding:
    title = _title(place, example, seen)
    missed = "The verifier misses it because its tests make the call and do not compare what it gives."
    expect: Mapping[str, Json] = {"values": list(example.expect)}
    return Finding(
        name,
        "medium",
        "promise",
        title,
        f"{title}. {missed}",
        attack=brief.attack,
        layer=LAYER,
        oracle="promise",
        trigger=Trigger("observation", title, example.setup, example.calls, expect, seed=brief.seed),
        adversary="mechanical",
        why_missed=missed,
        root=f"promise:{place}",
    )


def _title(place: str, example: Example, seen: Observed) -> str:
    right = _words(example.expect[-1])
    got = describe(seen.outcomes[-1]) if seen.outcomes else seen.trouble
    return f"{place} says that {example.text} gives {right}, and {got} came back"[:200]


def _words(expected: Json) -> str:
    if isinstance(expected, dict) and "$raises" in expected:
        return f"raises {expected['$raises']}"
    return source_text(expected)
