"""Variants: the near relatives of a trigger, on which the same flaw must be gone when it was mended and not hidden."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, zip_longest

from pqa.core.trigger import Json, Trigger
from pqa.core.values import canonical, decode
from pqa.instruments.neighbours import neighbours, renamed
from pqa.instruments.observation import Case, case_of, shifted
from pqa.instruments.sequences import Construction, dyadic, exact

MAXIMUM = 40
MAXIMUM_DRAWS = 24


def variants_of(trigger: Trigger) -> list[Trigger]:
    """At most 40 other triggers, in a stable order and mixed in kind; `expect` is the same where an oracle of its own
    judges it, and missing where only another implementation can say what is right. A rule names calls by their place, so
    that only what they are made on may change."""
    if trigger.kind != "observation":
        return []
    expect = trigger.expect or {}
    if "property" in expect:
        return _distinct(trigger, _redrawn(trigger), MAXIMUM_DRAWS)
    if expect.get("relation") == "time-shift":
        return _distinct(trigger, _shifts(trigger), MAXIMUM)
    same = expect if {"relation", "rule"} & set(expect) else None
    found = (
        replace(trigger, setup=tuple(case["setup"]), calls=tuple(case["calls"]), expect=same)
        for case in neighbours(case_of(trigger))
        if "rule" not in expect or list(case["calls"]) == list(trigger.calls)
    )
    return _distinct(trigger, found, MAXIMUM)


def renamings_of(trigger: Trigger) -> list[Trigger]:
    """The trigger with its opaque texts renamed, right values included: needs no other implementation to be judged."""
    expect = trigger.expect or {}
    if trigger.kind != "observation" or not {"values", "raises", "outcome"} & set(expect):
        return []
    found = []
    for case, change in renamed(case_of(trigger)):
        moved = {**expect, "values": change(expect["values"])} if "values" in expect else expect
        found.append(replace(trigger, setup=tuple(case["setup"]), calls=tuple(case["calls"]), expect=moved))
    return _distinct(trigger, iter(found), MAXIMUM)


def _distinct(trigger: Trigger, found: Iterator[Trigger], limit: int) -> list[Trigger]:
    seen = {_key(trigger)}
    kept: list[Trigger] = []
    for one in found:
        if len(kept) < limit and _key(one) not in seen:
            seen.add(_key(one))
            kept.append(one)
    return kept


def _key(trigger: Trigger) -> str:
    expect = dict(trigger.expect or {})
    return canonical([list(trigger.setup), list(trigger.calls), expect.get("shift"), expect.get("draws")])


def _shifts(trigger: Trigger) -> Iterator[Trigger]:
    """Other shifts, other origins, scaled constructor values with their bursts, other keys; every time exact in binary."""
    amount = float((trigger.expect or {})["shift"])
    case = case_of(trigger)
    numbers = _numbers(case)
    amounts = [
        amount * 2,
        amount / 2,
        amount * 3,
        *(dyadic(number / part) for number in numbers for part in (2, 4, 16)),
    ]
    origins = [dyadic(number * factor) for number in numbers for factor in (1, 3, 0.5, 64)]
    groups = [
        ((case, other) for other in amounts),
        ((shifted(case, origin), amount) for origin in origins),
        ((_stretched(case, factor), amount * factor) for factor in (2, 0.5, 4)),
        ((one, amount) for one in _resized(case)),
        ((one, amount) for one, _ in renamed(case)),
    ]
    for one, other in filter(None, chain.from_iterable(zip_longest(*groups))):
        if exact(one) and other > 0 and other == dyadic(other):
            expect = {"relation": "time-shift", "shift": other}
            yield replace(trigger, setup=tuple(one["setup"]), calls=tuple(one["calls"]), expect=expect)


def _numbers(case: Case) -> tuple[float, ...]:
    made = next((item for item in case["setup"] if "new" in item), None)
    return Construction(tuple(made.get("args", ())), made.get("kwargs") or {}).numbers if made else ()


def _stretched(case: Case, factor: float) -> Case:
    """All times and the constructor's fractional numbers (spans of time) multiplied."""

    def times(value: Json) -> Json:
        return value * factor if isinstance(value, float) else value

    setup = [
        {**item, "clock": item["clock"] * factor}
        if "clock" in item
        else {
            **item,
            "args": [times(one) for one in item.get("args", ())],
            "kwargs": {k: times(v) for k, v in (item.get("kwargs") or {}).items()},
        }
        for item in case["setup"]
    ]
    calls = [{**call, "at": call["at"] * factor} if call.get("at") is not None else call for call in case["calls"]]
    return {"setup": setup, "calls": calls}


def _resized(case: Case) -> Iterator[Case]:
    """A whole number of the constructor grown, and every burst of the same call with it."""
    for position, item in enumerate(case["setup"]):
        for index, value in enumerate(item.get("args", ())):
            if not isinstance(value, int) or isinstance(value, bool) or not 0 < value <= 8:
                continue
            for size in (value + 1, value * 2, value + 3):
                args = [size if at == index else one for at, one in enumerate(item["args"])]
                setup = [{**each, "args": args} if at == position else each for at, each in enumerate(case["setup"])]
                yield {"setup": setup, "calls": _grown(case["calls"], value, size)}


def _grown(calls: list[dict[str, Json]], old: int, new: int) -> list[dict[str, Json]]:
    """Two halves of the sequence, each with as many more calls as the number grew."""
    middle = max(1, len(calls) // 2)
    more = new - old
    return [*([calls[0]] * more), *calls[:middle], *calls[middle:], *([calls[-1]] * more)]


def _redrawn(trigger: Trigger) -> Iterator[Trigger]:
    """The same property with single draws moved, doubled or dropped."""
    expect = dict(trigger.expect or {})
    draws = [decode(draw) for draw in expect.get("draws", ())]
    for change in (1, -1, 2, 5):
        for index, draw in enumerate(draws):
            if isinstance(draw, int) and draw + change >= 0:
                yield replace(trigger, expect={**expect, "draws": [*draws[:index], draw + change, *draws[index + 1 :]]})
    for index in range(len(draws)):
        yield replace(trigger, expect={**expect, "draws": [*draws[:index], *draws[index + 1 :]]})
