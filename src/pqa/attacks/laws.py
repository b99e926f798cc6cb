"""Does a class of the branch break a law of the language that its users and the standard library rely on?

Instances are built as the tests build them; equality, hashes, order, length and iterators are asked on them, and what
comes back is judged outside. A law that no other branch keeps is a remark: the task may want it so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.finding import Finding, Note
from pqa.core.ports import Tools
from pqa.core.surface import Class
from pqa.core.task import Brief
from pqa.core.trigger import Trigger
from pqa.instruments.common_surface import shared_surface
from pqa.instruments.demonstrate import call_text, setup_text
from pqa.instruments.laws import ASKED, ITERATED, Law, Trial, counts, meant_otherwise, trials_of
from pqa.instruments.observation import Observed, observe
from pqa.instruments.outcomes import describe
from pqa.instruments.rules import rule_breaks
from pqa.instruments.sequences import Habits, habits_of

LAYER = "assumptions"
SCOPE = "set"
CALL_SECONDS = 1.0
SECONDS = 20.0
NODES = 1_500


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Note]:
    """Every class of the set that defines what a law speaks of, and that the tests build from plain values."""
    shared = shared_surface(brief.branches, tools)
    yield from shared.notes
    unbuilt = []
    for found in shared.classes:
        if tools.expired(brief):
            return
        variants = {branch.branch_id: _variant(tools, branch, found.name) for branch in shared.offering(found.name)}
        methods = sorted({method.name for one in variants.values() for method in one.methods})
        habits = habits_of(found.name, shared.traces)
        if not set(methods) & set(ASKED):
            continue
        if habits is None:
            unbuilt.append(f"'{found.name}'")
        else:
            yield from _class_findings(brief, tools, variants, _trials(tools, habits, methods, list(variants.values())))
    if unbuilt:
        yield Note("could-not-check", f"no test builds these classes from plain values: {', '.join(unbuilt)}")


def _trials(tools: Tools, habits: Habits, methods: Sequence[str], variants: Sequence[Class]) -> Trials:
    trials = trials_of(habits, methods)
    free = {
        trial.law
        for trial in trials
        if tools.agreed().frees(habits.class_name, trial.law.name) or meant_otherwise(trial.law, variants)
    }
    used = frozenset(call.function for trace in habits.traces for call in trace.calls)
    return Trials(tuple(trial for trial in trials if trial.law not in free), used)


@dataclass(frozen=True, slots=True)
class Trials:
    """What is asked of one class, and the methods that its tests are seen to call."""

    each: tuple[Trial, ...]
    used: frozenset[str]


def _class_findings(
    brief: Brief, tools: Tools, variants: Mapping[str, Class], trials: Trials
) -> Iterator[Finding | Note]:
    branches = [branch for branch in brief.branches if branch.branch_id in variants]
    cases = [trial.case for trial in trials.each]

    def run(branch: Branch) -> list[Observed]:
        return observe(tools.zygote(branch), cases, call_seconds=CALL_SECONDS, seconds=SECONDS, nodes=NODES)

    seen = dict(zip(variants, tools.side_by_side(run, branches), strict=True))
    yield from _judged(brief, variants, trials, seen)


def _variant(tools: Tools, branch: Branch, name: str) -> Class:
    return next(one for one in tools.surface(branch).classes if one.name == name)


def _judged(
    brief: Brief, variants: Mapping[str, Class], trials: Trials, seen: Mapping[str, Sequence[Observed]]
) -> Iterator[Finding | Note]:  # fmt: skip
    """The plainest broken case of each method and branch, where at least one other branch keeps that law on it."""
    told: set[tuple[str, str]] = set()
    shared: set[Law] = set()
    for index, trial in enumerate(trials.each):
        here = {name: observed[index] for name, observed in seen.items()}
        broken = {name: _breaks(trial, one) for name, one in here.items()}
        kept = any(one is False for one in broken.values()) or len(broken) == 1
        for name in (name for name, one in broken.items() if one):
            if not kept:
                shared.add(trial.law)
            elif (name, trial.law.method) not in told:
                told.add((name, trial.law.method))
                yield _accuse(brief, name, variants[name], trial, here[name], trial.law.method in trials.used)
    methods = {method for _, method in told}
    subject = next(iter(variants.values())).name
    for text in sorted({law.text for law in shared if law.method not in methods}):
        yield Note("shared-law", f"'{subject}': no branch that could be asked keeps to '{text}'; it may be meant so")


def _breaks(trial: Trial, observed: Observed) -> bool | None:
    if not observed.complete:
        return None
    broken = rule_breaks(trial.rule, observed.outcomes)
    return None if broken and not counts(trial, observed) else broken


def _accuse(brief: Brief, name: str, found: Class, trial: Trial, observed: Observed, used: bool) -> Finding:
    law, short = trial.law, found.name.rpartition(".")[2]
    title = f"{short} breaks a law of the language: {law.text}"
    missed = f"The verifier misses it because no test {law.words}."
    line = f'[[line]] function = "{found.name}", relation = "not {law.name}", source = "person"'
    detail = f"{_story(trial, observed)}. {missed} If it is meant so, this line in .pqa/contract.toml says so: {line}"
    trigger = Trigger(
        "observation", title, tuple(trial.case["setup"]), tuple(trial.case["calls"][: max(_named(trial)) + 1]),
        {"rule": dict(trial.rule)},
        seed=brief.seed,
    )  # fmt: skip
    return Finding(
        name,
        _claim(law, used),
        "law",
        title,
        detail,
        attack=brief.attack,
        layer=LAYER,
        oracle="law",
        trigger=trigger,
        location=f"{found.file}:{found.line}" if found.file else None,
        adversary="mechanical",
        why_missed=missed,
        root=f"law:{found.name}:{law.method}",
    )


def _claim(law: Law, used: bool) -> str:
    """Critical where the tests are seen to use what is broken, so that it is part of the class's purpose."""
    if law is ITERATED:
        return "medium"
    return "critical" if used else "high"


def _named(trial: Trial) -> set[int]:
    """The calls that the rule speaks of; those after them were looks at the state."""
    named = {place for key in ("when", "then", "least") for place, _ in trial.rule.get(key, ())}
    return named | {place for pair in trial.rule.get("same", ()) for place in pair}


def _story(trial: Trial, observed: Observed) -> str:
    built = [setup_text(item) for item in trial.case["setup"] if "clock" not in item]
    named = _named(trial)
    pairs = list(zip(trial.case["calls"], observed.outcomes, strict=False))
    said = [f"{call_text(call)} is {describe(one)}" for place, (call, one) in enumerate(pairs) if place in named]
    return f"With {'; '.join(built)}: {'; '.join(said)}"
