"""Stand-ins: other answers of a callable that tests pass, and cases that show how the branch called it.

What a function does with a callback, a sink or a fetcher is part of what it does. So a stand-in is built in the set-up of a
case, and after the call the case reads how it was called, like any other value.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any

from pqa.core.stand_in import StandIn
from pqa.core.trigger import Json
from pqa.core.values import canonical

Case = Mapping[str, Json]
LOG = "calls"
FIRST_CALLS = 3
FAILURE = "RuntimeError"


def with_logs(case: Case) -> Case:
    """The case with each stand-in among the arguments built in its set-up under a name, and its calls read at the end."""
    names: dict[str, str] = {}
    forms: dict[str, Json] = {}

    def hoisted(value: Json) -> Json:
        if isinstance(value, list):
            return [hoisted(item) for item in value]
        if not isinstance(value, dict):
            return value
        if value.get("$type") != "callable":
            return {key: hoisted(item) for key, item in value.items()}
        key = canonical(value)
        if key not in names:
            word = str(value["value"].get("name") or "callable")
            names[key] = f"{word}{len(names) + 1}" if word in names.values() else word
            forms[names[key]] = value
        return {"$name": names[key]}

    def of(item: Mapping[str, Json]) -> dict[str, Json]:
        return {**item, **{key: hoisted(item[key]) for key in ("args", "kwargs") if item.get(key)}}

    setup, calls = [of(item) for item in case["setup"]], [of(call) for call in case["calls"]]
    built = [{"name": name, "value": form} for name, form in forms.items()]
    reads = [{"on": name, "get": LOG} for name in forms]
    return {"setup": [*built, *setup], "calls": [*calls, *reads]} if forms else case


def reads_log(case: Case, place: int) -> bool:
    """Whether the call at a place reads how a stand-in was called."""
    built = {item["name"] for item in case["setup"] if isinstance(item.get("value"), dict)}
    call = case["calls"][place]
    return call.get("get") == LOG and call.get("on") in built


def varied(value: StandIn, chance: random.Random) -> StandIn:
    """The stand-in with one other answer: it fails once, takes or gives a part only, or gives to all what it gave to one."""
    form = value.form()
    known = form.get("answers") or []
    if form.get("otherwise") is None and known and chance.random() < 0.5:
        return _made({**form, "otherwise": chance.choice(known)[2]})
    script = list(form.get("script") or [])
    place = chance.choice((0, 0, *range(FIRST_CALLS)))
    script += [None] * (place + 1 - len(script))
    script[place] = chance.choice(list(_answers(form)))
    if form.get("otherwise") is None and known and chance.random() < 0.5:
        # Who was answered otherwise may go on to ask what no test asks.
        form["otherwise"] = chance.choice(known)[2]
    return _made({**form, "script": script})


def _made(form: Mapping[str, Json]) -> StandIn:
    return StandIn(canonical(dict(form)))


def _answers(form: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    known = [answer for *_, answer in form.get("answers") or []]
    known += [form["otherwise"]] if form.get("otherwise") else []
    failures = [answer for answer in known if "raises" in answer]
    yield failures[0] if failures else {"raises": FAILURE}
    for answer in known:
        yield from _parts(answer.get("value"))


def _parts(value: Any) -> Iterator[dict[str, Json]]:
    """Answers of the same kind: a list shorter by some, or some of what was passed in; a truth value turned around."""
    if isinstance(value, bool):
        yield {"value": not value}
    elif isinstance(value, int | float):
        yield from ({"value": value + step} for step in (1, -1))
    elif isinstance(value, list):
        yield from ({"value": value[:size]} for size in {0, len(value) // 2, len(value) - 1} if 0 <= size < len(value))
        yield from ({"part": [0, size]} for size in (1, 2))
    elif isinstance(value, dict) and value.get("$type") == "tuple":
        for index, item in enumerate(value["value"]):
            for part in _parts(item):
                if "value" in part:
                    changed = [*value["value"][:index], part["value"], *value["value"][index + 1 :]]
                    yield {"value": {"$type": "tuple", "value": changed}}
