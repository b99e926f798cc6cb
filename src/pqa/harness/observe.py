"""Observe: carry out cases (set-up and calls) on a branch and emit the outcomes, plain values for the host to compare."""

from __future__ import annotations

from typing import Any, Callable

import calls
import inert
import leftovers
import values

MAXIMUM_TIMEOUTS, MAXIMUM_ALL = 5, 12
"""How often one method, and all together, may run out of time before what calls it is skipped."""
NOT_HERE = "not runnable here: the sandbox refused it something"


def run(job: dict[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> None:
    """job: {"cases", "call_seconds", "inert": bool, "nodes": most in an outcome|absent}; one record a case, in order."""
    frozen = calls.FrozenTime()
    frozen.install()
    if job.get("inert"):
        inert.install(context.source)
    values.MAXIMUM_NODES = min(values.MAXIMUM_NODES, int(job.get("nodes", values.MAXIMUM_NODES)))
    deadline = calls.Deadline(float(job.get("call_seconds", 0.5)))
    left = leftovers.Leftovers()
    late: dict[str, int] = {}
    for index, case in enumerate(job["cases"]):
        if _is_hopeless(case, late):
            emit({"case": index, "skipped": "too many calls ran out of time"})
            continue
        result = calls.perform(case, deadline, context.source, frozen)
        left.remove()
        outcomes = result.get("outcomes", ())
        if outcomes and "timeout" in outcomes[-1]:
            name = str(case["calls"][len(outcomes) - 1].get("call"))
            late[name] = late.get(name, 0) + 1
        emit({"case": index, **(excused(result) if context.bare else result)})
    calls.flush()


def _is_hopeless(case: dict[str, Any], late: dict[str, int]) -> bool:
    """Whether what it calls ran out of time too often, or too much did."""
    names = {str(call.get("call")) for call in case.get("calls", ())}
    return sum(late.values()) >= MAXIMUM_ALL or any(late.get(name, 0) >= MAXIMUM_TIMEOUTS for name in names)


def excused(result: dict[str, Any]) -> dict[str, Any]:
    """Where no namespace lets the code have its own files and sockets, a refusal that it did not raise itself says nothing."""
    outcomes = [
        {"skipped": NOT_HERE} if outcome.get("raises") == "PermissionError" and not outcome.get("own") else outcome
        for outcome in result.get("outcomes", ())
    ]
    return {**result, "outcomes": outcomes} if "outcomes" in result else result
