"""Hollow trials: hollow one function in all ways, controls first, and say whether any test would notice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pqa.core.ports import Zygote
from pqa.instruments.hollow import CHANGES, GREEN, RED, UNKNOWN, Order, Run, Suite, is_clean, limit_after, run_orders
from pqa.instruments.hollow_survey import Survey, Watched

SOUND, CANNOT_FAIL, GUTTED, SHAPE_ONLY, VOID = "sound", "cannot-fail", "gutted", "shape-only", "void"
LEAST_CHANGES = 2


@dataclass(frozen=True, slots=True)
class Weakness:
    """What the suite is worth for one function. `ways` are the hollowings that stayed green, `tests` those that call it
    and turn red when it raises, `example` a true value and the changed one that passed in its place."""

    function: Watched
    kind: str
    ways: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    example: tuple[str, ...] = ()
    calls: int = 0
    why: str = ""


def try_function(zygote: Zygote, suite: Suite, survey: Survey, function: Watched, *, seconds: float) -> Weakness:
    """First the covering tests alone, stopping at the first that notices; what nobody noticed goes to the whole suite."""
    ways = ("raise", *CHANGES, "recall", "discard", *function.extremes)
    quick = _judge(function, *_run(zygote, suite, survey, function, ways, seconds=seconds, whole=False))
    if quick.kind in (SOUND, VOID):
        return quick
    return _judge(function, *_run(zygote, suite, survey, function, ways, seconds=seconds, whole=True))


def _run(
    zygote: Zygote, suite: Suite, survey: Survey, function: Watched, ways: Sequence[str], *, seconds: float, whole: bool
) -> tuple[Run | None, dict[str, Run], str]:
    select = None if whole else function.tests
    orders = [Order("clean", select=None)] if whole else []
    for way in ways:
        if way == "recall" and function.values is None:
            continue
        fast = not whole and way != "raise"
        values = function.values if way == "recall" else None
        orders.append(Order(way, function.name, select, stop=fast, clears=fast and way in CHANGES, values=values))
    clean = survey.clean
    limit = limit_after(clean) if clean is not None else seconds
    runs, trouble = run_orders(zygote, suite, orders, limit=limit, imports=survey.imports, seconds=seconds)
    if whole:
        clean = runs.pop(0) if runs else None
        trouble = trouble or ("" if clean is not None and is_clean(clean) else "its suite is not green every time")
    return clean, {run.order.way: run for run in runs}, trouble


def _judge(function: Watched, clean: Run | None, runs: dict[str, Run], trouble: str) -> Weakness:
    control = runs.get("raise")
    if trouble or clean is None or control is None:
        return Weakness(function, VOID, why=trouble or "the control did not run")
    verdicts = {way: run.verdict(clean) for way, run in runs.items()}
    if cannot_fail(control, clean):
        return Weakness(function, CANNOT_FAIL, ("raise",), control.escaped(clean), calls=control.part["fired"])
    if verdicts["raise"] != RED:
        why = control.why_void or f"no test fails when '{function.name}' raises"
        return Weakness(function, VOID, why=why)
    changes = {way: run for way, run in runs.items() if way in CHANGES and run.part.get("changed")}
    if any(verdicts[way] == RED for way in changes):
        return Weakness(function, SOUND)
    sensitive = tuple(test for test in control.failed(clean) if test in function.direct)
    unknown = [
        way for way, word in verdicts.items() if word == UNKNOWN and (way in changes or way in function.extremes)
    ]
    if unknown:
        return Weakness(function, VOID, why=runs[unknown[0]].why_void or f"the way '{unknown[0]}' was not measured")
    green = tuple(way for way in function.extremes if verdicts.get(way) == GREEN)
    if sensitive and green == function.extremes:
        return Weakness(function, GUTTED, green, sensitive, calls=function.calls)
    if _only_shape(function, runs, verdicts, changes, sensitive):
        example = next(tuple(run.part["example"]) for run in changes.values())
        calls = max(run.part["changed"] for run in changes.values())
        return Weakness(function, SHAPE_ONLY, (*changes, *green), sensitive, example, calls)
    return Weakness(function, SOUND)


def cannot_fail(control: Run, clean: Run) -> bool:
    """Whether the suite's exit status says green although our exception left a test function that passes on clean code.

    The exception is no `Exception`, so that a test that expects or swallows errors does not let it out unseen; that it
    left the test is read off its traceback, not off a report. In an honest runner such a test has failed.
    """
    return not control.why_void and control.exit == 0 and bool(control.escaped(clean))


def _only_shape(
    function: Watched,
    runs: dict[str, Run],
    verdicts: dict[str, str],
    changes: dict[str, Run],
    sensitive: tuple[str, ...],
) -> bool:
    """Whether the tests look at the result and compare nothing of it.

    They look at it: they notice None in its place while its body still runs. Nothing else of the body matters to them:
    they stay green when the true values come without a body. And they accept every changed value, in at least two
    different ways and calls, also in a test that is able to fail.
    """
    if verdicts.get("discard") != RED or verdicts.get("recall") != GREEN or len(changes) < LEAST_CHANGES:
        return False
    changed_tests = {test for run in changes.values() for test in run.part["changed_tests"]}
    enough = max((run.part["changed"] for run in changes.values()), default=0) >= LEAST_CHANGES
    return function.steady and enough and bool(changed_tests.intersection(sensitive))
