"""Finding codec: findings, triggers, replays, questions and notes as JSON and back; strict, for submitted ones."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pqa.core.errors import FindingError
from pqa.core.finding import Finding, Note, Question
from pqa.core.trigger import Json, Replay, ReplayStatus, Trigger

SEED_KEYS = ("branch_id", "severity", "category", "title", "detail", "resolved")
TEXT_KEYS = (
    "attack",
    "layer",
    "oracle",
    "claimed_severity",
    "location",
    "adversary",
    "why_missed",
    "quote",
    "discount_reason",
    "root",
)
BOOLEAN_KEYS = ("qualified", "discounted")
FINDING_KEYS = (*SEED_KEYS, "id", *TEXT_KEYS, *BOOLEAN_KEYS, "trigger", "replay")
TRIGGER_KEYS = ("kind", "claim", "setup", "calls", "expect", "control", "source", "timeout", "runs", "seed")
REPLAY_KEYS = ("status", "runs", "shown", "output", "sandbox")


def finding_to_json(finding: Finding) -> dict[str, Json]:
    """Every key of a finding, the seed's six first."""
    document: dict[str, Json] = {key: getattr(finding, key) for key in SEED_KEYS}
    document["id"] = finding.id
    document |= {key: getattr(finding, key) for key in (*TEXT_KEYS, *BOOLEAN_KEYS)}
    document["trigger"] = None if finding.trigger is None else trigger_to_json(finding.trigger)
    document["replay"] = None if finding.replay is None else replay_to_json(finding.replay)
    return document


def finding_from_json(document: Json) -> Finding:
    """A finding from at least the seed's six keys; raises FindingError that names what is wrong."""
    where = _where(document)
    _check_keys(document, where, known=FINDING_KEYS, needed=SEED_KEYS)
    values = dict(document)
    for key in SEED_KEYS[:-1]:
        _check(values[key], str, f"{where}: '{key}'", "text")
    for key in ("resolved", *BOOLEAN_KEYS):
        _check(values.get(key, False), bool, f"{where}: '{key}'", "true or false")
    for key in ("id", *TEXT_KEYS):
        _check(values.get(key) or "", str, f"{where}: '{key}'", "text or null")
    values["id"] = values.get("id") or ""
    if values.get("trigger") is not None:
        values["trigger"] = trigger_from_json(values["trigger"], where)
    if values.get("replay") is not None:
        values["replay"] = replay_from_json(values["replay"], where)
    return Finding(**values)


def trigger_to_json(trigger: Trigger) -> dict[str, Json]:
    """The keys of DESIGN 4.1, in its order."""
    document: dict[str, Json] = {key: getattr(trigger, key) for key in TRIGGER_KEYS}
    document["setup"] = [dict(item) for item in trigger.setup]
    document["calls"] = [dict(item) for item in trigger.calls]
    for key in ("expect", "control"):
        document[key] = _optional_dict(document[key])
    return document


def trigger_from_json(document: Json, where: str = "trigger") -> Trigger:
    """A trigger from at least `kind` and `claim`; raises FindingError that names what is wrong."""
    where = where if where == "trigger" else f"{where}: trigger"
    _check_keys(document, where, known=TRIGGER_KEYS, needed=("kind", "claim"))
    values = dict(document)
    for key in ("kind", "claim"):
        _check(values[key], str, f"{where}: '{key}'", "text")
    _check(values.get("source") or "", str, f"{where}: 'source'", "text or null")
    for key in ("setup", "calls"):
        items = values.get(key, [])
        _check(items, list, f"{where}: '{key}'", "a list of objects")
        for item in items:
            _check(item, dict, f"{where}: an item of '{key}'", "an object")
        values[key] = tuple(items)
    for key in ("expect", "control"):
        if values.get(key) is not None:
            _check(values[key], dict, f"{where}: '{key}'", "an object or null")
    for key, kinds in (("timeout", (int, float)), ("runs", int), ("seed", int)):
        if key in values and (isinstance(values[key], bool) or not isinstance(values[key], kinds)):
            raise FindingError(f"{where}: '{key}' must be a number, not {values[key]!r}")
    return Trigger(**values)


def replay_to_json(replay: Replay) -> dict[str, Json]:
    """What running a trigger showed."""
    return {**{key: getattr(replay, key) for key in REPLAY_KEYS}, "status": replay.status.value}


def replay_from_json(document: Json, where: str = "replay") -> Replay:
    """A replay; raises FindingError for an unknown status or key."""
    where = where if where == "replay" else f"{where}: replay"
    _check_keys(document, where, known=REPLAY_KEYS, needed=("status",))
    statuses = [status.value for status in ReplayStatus]
    if document["status"] not in statuses:
        raise FindingError(f"{where}: 'status' must be one of {', '.join(statuses)}, not {document['status']!r}")
    return Replay(**{**document, "status": ReplayStatus(document["status"])})


def question_to_json(question: Question) -> dict[str, Json]:
    """The keys of DESIGN section 8, then where the question comes from."""
    return {
        "question_id": question.question_id,
        "kind": question.kind,
        "text": question.text,
        "witness": dict(question.witness),
        "outcomes": dict(question.outcomes),
        "separates": [list(group) for group in question.separates],
        "answer": _optional_dict(question.answer),
        "retired": question.retired,
        "function": question.function,
        "relation": question.relation,
        "tier": question.tier,
        "observed": dict(question.observed),
        "spare": question.spare,
    }


def question_from_json(document: Mapping[str, Json]) -> Question:
    """A question as `question_to_json` wrote it."""
    return Question(**{**document, "separates": tuple(tuple(group) for group in document["separates"])})


def note_to_json(note: Note) -> dict[str, Json]:
    """A remark that accuses nobody."""
    return {"kind": note.kind, "text": note.text, "branch_id": note.branch_id}


def note_from_json(document: Mapping[str, Json]) -> Note:
    """A note as `note_to_json` wrote it."""
    return Note(**document)


def _optional_dict(value: Mapping[str, Json] | None) -> dict[str, Json] | None:
    return None if value is None else dict(value)


def _where(document: Json) -> str:
    title = document.get("title") if isinstance(document, Mapping) else None
    return f"finding {title!r}" if isinstance(title, str) else "finding"


def _check_keys(document: Json, where: str, *, known: tuple[str, ...], needed: tuple[str, ...]) -> None:
    _check(document, Mapping, where, "an object")
    unknown = sorted(repr(key) for key in document if key not in known)
    if unknown:
        raise FindingError(f"{where}: unknown key {', '.join(unknown)}; known are {', '.join(known)}")
    missing = [repr(key) for key in needed if key not in document]
    if missing:
        raise FindingError(f"{where}: missing key {', '.join(missing)}")


def _check(value: object, kind: Any, name: str, wanted: str) -> None:
    if not isinstance(value, kind):
        raise FindingError(f"{name} must be {wanted}, not {value!r}")
