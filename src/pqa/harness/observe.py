"""Observe: carry out cases (set-up and calls) on a branch and emit the outcomes, plain values for the host to compare."""

from __future__ import annotations

from typing import Any, Callable

import calls
import inert
import leftovers

MAXIMUM_TIMEOUTS = 5


def run(job: dict[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> None:
    """job: {"cases", "call_seconds", "inert": bool, "hollow": {...}|absent}; one record a case, in order."""
    frozen = calls.FrozenTime()
    frozen.install()
    if job.get("inert"):
        inert.install(context.source)
    deadline = calls.Deadline(float(job.get("call_seconds", 0.5)))
    left = leftovers.Leftovers()
    late = 0
    for index, case in enumerate(job["cases"]):
        if late >= MAXIMUM_TIMEOUTS:
            emit({"case": index, "skipped": "too many calls ran out of time"})
            continue
        result = calls.perform(case, deadline, context.source, frozen)
        left.remove()
        late += any("timeout" in outcome for outcome in result.get("outcomes", ()))
        emit({"case": index, **result})
    calls.flush()
