"""Recorder: the harness's records of calls as a `Recording`; they are claims, so malformed ones are dropped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pqa.core.recording import Call, Recording, Trace
from pqa.core.trigger import Json


def read_recording(records: Iterable[Mapping[str, Json]]) -> Recording:
    """All calls and traces among the records of one suite run."""
    calls: list[Call] = []
    traces: list[Trace] = []
    truncated = False
    for record in records:
        if "call" in record:
            call = _call(record)
            calls += [call] if call is not None else []
        elif "trace" in record:
            trace = _trace(record)
            traces += [trace] if trace is not None else []
        elif "recorded" in record:
            truncated = truncated or record.get("truncated") is not False
    return Recording(tuple(calls), tuple(traces), truncated)


def pool(recordings: Iterable[Recording]) -> Recording:
    """Several recordings as one."""
    every = tuple(recordings)
    return Recording(
        tuple(call for each in every for call in each.calls),
        tuple(trace for each in every for trace in each.traces),
        any(each.truncated for each in every),
    )


def _call(record: Json) -> Call | None:
    if not isinstance(record, dict) or not _is_well_formed(record, "call"):
        return None
    outcome = record.get("outcome")
    if not isinstance(outcome, dict) or not ("value" in outcome or isinstance(outcome.get("raises"), str)):
        return None
    at = record.get("at")
    return Call(
        function=record["call"],
        args=tuple(record["args"]),
        kwargs=record["kwargs"],
        outcome=outcome,
        at=float(at) if isinstance(at, int | float) and not isinstance(at, bool) else None,
        test=record["test"],
        replayable=record["replayable"],
        sets=record.get("sets") is True,
    )


def _trace(record: Mapping[str, Json]) -> Trace | None:
    if not _is_well_formed(record, "trace") or not isinstance(record.get("calls"), list):
        return None
    calls = [_call(call) for call in record["calls"]]
    if any(call is None for call in calls):
        return None
    return Trace(
        class_name=record["trace"],
        args=tuple(record["args"]),
        kwargs=record["kwargs"],
        calls=tuple(call for call in calls if call is not None),
        clocked=record.get("clocked") is True,
        test=record["test"],
        replayable=record["replayable"],
        reads=_names(record.get("reads", [])),
    )


def _names(found: Json) -> tuple[str, ...]:
    """Attribute names, as far as they are ones."""
    return (
        tuple(name for name in found if isinstance(name, str) and name.isidentifier())
        if isinstance(found, list)
        else ()
    )


def _is_well_formed(record: Mapping[str, Json], key: str) -> bool:
    kwargs = record.get("kwargs")
    return (
        isinstance(record.get(key), str)
        and isinstance(record.get("args"), list)
        and isinstance(kwargs, dict)
        and isinstance(record.get("test"), str)
        and isinstance(record.get("replayable"), bool)
    )
