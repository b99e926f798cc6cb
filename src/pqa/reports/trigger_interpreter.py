"""Trigger interpreter: carries out a trigger's JSON as it stands, where it makes no readable Python; copied too."""

from __future__ import annotations

import builtins
import contextlib
import copy
import datetime
import decimal
import fractions
from collections.abc import Callable, Iterator
from typing import Any

from pqa.reports.trigger_kit import Clock, Special, Thing, Unanswered, named, printable, replaced_time, resolve


def interpreted(trigger: dict[str, Any], shift: float = 0.0) -> Iterator[tuple[str, Callable[[], Any]]]:
    """The calls of the trigger, one by one, on what its set-up builds."""
    names: dict[str, Any] = {}
    clocks: list[Clock] = []
    with contextlib.ExitStack() as stack:
        for item in trigger["setup"]:
            names[item["name"]] = built(item, names, shift)
            if "clock" in item:
                clocks.append(names[item["name"]])
            if item.get("replaces") == "time":
                stack.enter_context(replaced_time(clocks[-1]))
        for call in trigger["calls"]:
            if call.get("at") is not None:
                for clock in clocks:
                    clock.now = call["at"] + shift
            resolve(call["call"]) if call.get("on") is None else names[
                call["on"]
            ]  # an error here is none of the call's
            yield printable(call), lambda call=call: called(call, names)  # type: ignore[misc]


def built(item: dict[str, Any], names: dict[str, Any], shift: float) -> Any:
    """One thing of the set-up: a clock, a value or an instance."""
    if "clock" in item:
        clock = Clock()
        clock.now = item["clock"] + shift
        return clock
    if "value" in item:
        return decoded(item["value"], names)
    return applied(resolve(item["new"]), item, names)


def called(call: dict[str, Any], names: dict[str, Any]) -> Any:
    """What one call gives; it is called `as` from then on, where the call says so."""
    result = made(call, names)
    if "as" in call:
        names[call["as"]] = result
    return result


def made(call: dict[str, Any], names: dict[str, Any]) -> Any:
    """What one call gives."""
    if call.get("on") is None:
        return applied(resolve(call["call"]), call, names)
    if "set" in call:
        return setattr(names[call["on"]], call["set"], decoded(call["value"], names))
    if "get" in call:
        return getattr(names[call["on"]], call["get"])
    return applied(getattr(names[call["on"]], call["call"]), call, names)


def applied(function: Callable[..., Any], item: dict[str, Any], names: dict[str, Any]) -> Any:
    """The function with the arguments of the item."""
    keywords = {key: decoded(value, names) for key, value in (item.get("kwargs") or {}).items()}
    return function(*[decoded(value, names) for value in item.get("args", [])], **keywords)


def rights(trigger: dict[str, Any]) -> list[Any]:
    """The right answer to each call."""
    expect, before = trigger["expect"], [Special("anything")] * (len(trigger["calls"]) - 1)
    if "values" in expect:
        return [decoded(value, {}) for value in expect["values"]]
    return [*before, Special("raises " + expect["raises"] if "raises" in expect else "any value")]


def decoded(value: Any, names: dict[str, Any]) -> Any:
    """The Python value of a JSON form."""
    if isinstance(value, list):
        return [decoded(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    if "$name" in value:
        return names[value["$name"]]
    if "$raises" in value or "$any" in value:
        return Special("raises " + value["$raises"] if "$raises" in value else "anything")
    if "$type" not in value:
        return {key: decoded(item, names) for key, item in value.items()}
    return decoded_typed(value["$type"], value, names)


def decoded_typed(kind: str, value: dict[str, Any], names: dict[str, Any]) -> Any:
    """The same for a value that says its type."""
    inner = value["value"]
    if kind == "object":
        return Thing(value["class"], {key: decoded(item, names) for key, item in inner.items()})
    groups = {"tuple": tuple, "set": set, "frozenset": frozenset, "list": list, "iterator": list}
    if kind in groups:
        return groups[kind](decoded(item, names) for item in inner)
    if kind == "once":
        return iter([decoded(item, names) for item in inner])
    if kind == "public":
        return named(inner)
    if kind == "made":
        return applied(resolve(inner["class"]), inner, names)
    if kind == "callable":
        return stand_in(inner, names)
    if kind == "dict":
        return {decoded(key, names): decoded(item, names) for key, item in inner}
    makers: dict[str, Callable[[], Any]] = {
        "bytes": lambda: inner.encode("latin-1"),
        "bytearray": lambda: bytearray(inner.encode("latin-1")),
        "complex": lambda: complex(float(decoded(inner[0], names)), float(decoded(inner[1], names))),
        "float": lambda: float(inner),
        "int": lambda: int(inner, 16),
        "decimal": lambda: decimal.Decimal(inner),
        "fraction": lambda: fractions.Fraction(inner),
        "date": lambda: datetime.date.fromisoformat(inner),
        "time": lambda: datetime.time.fromisoformat(inner),
        "datetime": lambda: datetime.datetime.fromisoformat(inner),
        "timedelta": lambda: datetime.timedelta(*inner),
        "type": lambda: getattr(builtins, inner),
    }
    return makers[kind]()


def stand_in(form: dict[str, Any], names: dict[str, Any]) -> Callable[..., Any]:
    """A function that answers as a callable of the tests did; its attribute `calls` lists the arguments of each call."""
    log: list[Any] = []
    script, table = form.get("script") or [], list(form.get("answers") or [])

    def called(*args: Any, **kwargs: Any) -> Any:
        number = len(log)
        log.append(copy.deepcopy([*args, *([kwargs] if kwargs else [])]))
        rows = [row for row in table if [decoded(row[0], names), decoded(row[1], names)] == [list(args), kwargs]]
        if len(rows) > 1:
            table.remove(rows[0])
        scripted = script[number] if number < len(script) else None
        answer = scripted or (rows[0][2] if rows else form.get("otherwise"))
        if answer is None:
            Unanswered.happened = True
            raise Unanswered()
        return given(answer, args, names)

    called.calls = log  # type: ignore[attr-defined]
    return called


def given(answer: dict[str, Any], args: tuple[Any, ...], names: dict[str, Any]) -> Any:
    """Return or raise what one answer of a stand-in says."""
    if "raises" in answer:
        raise (resolve(answer["raises"]) if "." in answer["raises"] else getattr(builtins, answer["raises"]))(
            "stand-in"
        )
    if "echo" in answer:
        return args[answer["echo"]]
    if "part" in answer:
        return args[answer["part"][0]][: answer["part"][1]]
    return decoded(answer["value"], names)
