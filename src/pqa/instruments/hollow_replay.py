"""Hollow replay: run a `hollow` trigger again: does the whole suite stay green on the hollowed code while the controls hold?

The trigger's source is JSON: {"function": public name, "claim": kind of weakness, "ways": [...], "imports": [modules]}.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from pqa.core.branch import Branch
from pqa.core.ports import Zygote
from pqa.core.trigger import Trigger
from pqa.instruments.hollow import CHANGES, GREEN, RED, UNKNOWN, Order, Run, is_clean, own_suite, run_orders
from pqa.instruments.hollow_trials import CANNOT_FAIL, SHAPE_ONLY, Weakness, cannot_fail

WORDS = {
    "clean": "unchanged",
    "same": "with its own body behind a stand-in",
    "raise": "raising",
    "none": "without a body, returning None",
    "true": "without a body, returning True",
    "discard": "with its result thrown away",
    "first": "with a changed result",
    "last": "with a result changed elsewhere",
    "stale": "with the result of another call",
}
RUN_LIMIT = 20.0


def hollow_source(weakness: Weakness, imports: Sequence[str]) -> str:
    """The source of a trigger that shows this weakness."""
    told = {"function": weakness.function.name, "claim": weakness.kind, "ways": list(weakness.ways)}
    return json.dumps({**told, "imports": list(imports)}, sort_keys=True)


def show_hollow(zygote: Zygote, branch: Branch, trigger: Trigger, *, inert: bool) -> tuple[bool | None, str]:
    """Shown: every hollowing of the trigger leaves the branch's whole suite green. None: the controls do not hold."""
    if inert:
        return False, "inert"
    try:
        told = json.loads(trigger.source or "")
        name, claim, ways, imports = str(told["function"]), told["claim"], list(told["ways"]), list(told["imports"])
    except (ValueError, TypeError, KeyError):
        return None, "the trigger is malformed"
    suite = own_suite(branch)
    if not suite.paths:
        return None, "the branch brings no tests of its own"
    controls = ["same", "raise", *(["discard"] if claim == SHAPE_ONLY else [])]
    order = [*controls, *(way for way in ways if way != "raise")]
    orders = [Order("clean"), *(Order(str(way), name) for way in order)]
    runs, trouble = run_orders(zygote, suite, orders, limit=RUN_LIMIT, imports=imports, seconds=trigger.timeout)
    words = "\n".join(_line(name, run, runs[0]) for run in runs)
    if trouble or len(runs) < len(orders) or not is_clean(runs[0]):
        return None, f"{trouble or 'its suite is not green on its own code'}\n{words}".strip()
    return _shown(claim, runs), words


def _shown(claim: str, runs: list[Run]) -> bool | None:
    clean, by_way = runs[0], {run.order.way: run for run in runs}
    verdicts = {way: run.verdict(clean) for way, run in by_way.items()}
    if verdicts["same"] != GREEN:
        return None
    if claim == CANNOT_FAIL:
        return True if cannot_fail(by_way["raise"], clean) else False if verdicts["raise"] == RED else None
    if verdicts["raise"] != RED or verdicts.get("discard", RED) != RED:
        return None
    hollowed = [run for run in runs if run.order.way not in ("clean", "same", "raise", "discard")]
    words = [verdicts[run.order.way] for run in hollowed]
    unchanged = [run for run in hollowed if run.order.way in CHANGES and not run.part.get("changed")]
    if RED in words:
        return False
    return None if not words or UNKNOWN in words or unchanged else True


def _line(name: str, run: Run, clean: Run) -> str:
    """What one run gave, in words."""
    way = run.order.way
    kind, _, of = way.partition(":")
    how = WORDS.get(way) or f"without a body, returning an empty {of}" if kind == "empty" else WORDS.get(way, way)
    number = len(run.outcomes)
    if way == "clean":
        return f"{name} {how}: {number} tests, exit status {run.exit}"
    calls = f"{run.part.get('fired', 0)} calls"
    if way in CHANGES:
        calls += f", {run.part.get('changed', 0)} results changed"
    return (
        f"{name} {how}: {run.why_void or run.verdict(clean)}, {len(run.failed(clean))} of {number} tests fail, {calls}"
    )
