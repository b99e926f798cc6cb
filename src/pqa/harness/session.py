"""Session: answer calls on a branch one by one, for properties that run in a trusted process outside."""

from __future__ import annotations

from typing import Any, Callable

import calls
import values


def run(job: dict[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> None:
    """job: {"call_seconds"}; each message is {"setup": item} or {"call": item}; each answer is one outcome.

    A result without a plain form is kept under a new name and answered as {"value": {"$name": NAME}}.
    """
    frozen = calls.FrozenTime()
    frozen.install()
    deadline = calls.Deadline(float(job.get("call_seconds", 1.0)))
    performer = calls.Performer(deadline, context.source, frozen)
    performer.keep_objects = True
    while True:
        message = context.listen()
        if message is None:
            return
        if "reset" in message:
            performer = calls.Performer(deadline, context.source, frozen)
            performer.keep_objects = True
            emit({"value": None})
        elif "setup" in message:
            emit(performer.prepare(message["setup"]) or {"value": None})
        elif "look" in message:
            emit(_look(message["look"]))
        else:
            for name, now in (message.get("clocks") or {}).items():
                performer.names[name].now = now
            emit(performer.call(message["call"]))
        calls.flush()


def _look(name: str) -> dict[str, Any]:
    """What a dotted name stands for: "class", "callable", "value" or "missing"."""
    try:
        found = calls.resolve(name)
    except BaseException as error:
        return {"raises": type(error).__name__, "message": str(error)[:300]}
    if isinstance(found, type):
        return {"value": {"kind": "class", "exception": issubclass(found, BaseException)}}
    if callable(found):
        return {"value": {"kind": "callable"}}
    try:
        return {"value": {"kind": "value", "value": values.Encoder(consume=False).encode(found)}}
    except values.TooLarge:
        return {"value": {"kind": "value", "value": {"$type": "other", "value": "too large"}}}
