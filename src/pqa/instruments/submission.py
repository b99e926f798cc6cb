"""Submission: findings JSON from outside, read strictly; one malformed entry refuses all, and each error names its entry."""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import Any, NoReturn

from pqa.core.errors import FindingError, UsageError
from pqa.core.finding import Finding
from pqa.core.finding_codec import SEED_KEYS, finding_from_json
from pqa.core.severity import Severity, parse_severity
from pqa.core.trigger import Json
from pqa.instruments.edits import FORBIDDEN_KEYS, edit_in

MAXIMUM_BYTES = 1 << 20
MAXIMUM_ENTRIES = 200
TOLD_ERRORS = 5
NEXT_STEP = "mend it and submit the whole again; nothing of it was taken"
LONE = re.compile("[\ud800-\udfff]")
PROSE_KEYS = ("category", "title", "detail", "why_missed", "location")


class SubmissionError(UsageError):
    """A submission that was refused as a whole."""


class _Entry(ValueError):
    """What is wrong with one entry."""


@functools.cache
def submission_schema() -> dict[str, Any]:
    """The published JSON Schema of a submission."""
    text = resources.files("pqa").joinpath("schema/submission-1.schema.json").read_text("utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def read_submission(text: str, states: Mapping[str, str], *, only: str | None = None) -> list[Finding]:
    """The findings in `text`, as claimed. `states` says "alive" or "dead" of each branch of the run.

    `only` is the one branch that may be accused, where the submission answers one brief. Raises SubmissionError.
    """
    if len(text.encode("utf-8", "surrogatepass")) > MAXIMUM_BYTES:
        _refuse(f"it is larger than {MAXIMUM_BYTES >> 20} MiB")
    document = _parsed(text)
    entries = _entries(document)
    findings: list[Finding] = []
    errors: list[str] = []
    seen: dict[str, int] = {}
    for number, entry in enumerate(entries, 1):
        try:
            finding = _finding(entry, states, only)
            if finding.id in seen:
                raise _Entry(f"it is the same as entry {seen[finding.id]}; expected each finding once")
            seen[finding.id] = number
            findings.append(finding)
        except _Entry as error:
            errors.append(f"{_name(entry, number)}: {error}")
    if errors:
        more = f"; and {len(errors) - TOLD_ERRORS} more" if len(errors) > TOLD_ERRORS else ""
        _refuse("; ".join(errors[:TOLD_ERRORS]) + more)
    return findings


def _refuse(why: str) -> NoReturn:
    raise SubmissionError(f"the submission was refused: {why}", NEXT_STEP)


def _parsed(text: str) -> Json:
    stripped = text.strip().removeprefix("\ufeff")
    if not stripped:
        _refuse("it is empty; expected a JSON list of findings, which may be []")
    try:
        return json.loads(stripped, object_pairs_hook=_object, parse_constant=_constant)
    except _Entry as error:
        _refuse(str(error))
    except RecursionError:
        _refuse("it is nested too deeply")
    except ValueError as error:
        begin = json.dumps(stripped[:40], ensure_ascii=False)
        if stripped[0] not in "[{" or "Extra data" in str(error):
            _refuse(f"there is text around the JSON (it begins with {begin}); expected nothing but the JSON")
        _refuse(f"it is not JSON: {error}")


def _object(pairs: Sequence[tuple[str, Json]]) -> dict[str, Json]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [key for key, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _Entry(f"an object has the key {_shown(twice)} twice; expected each key once")
    return found


def _constant(name: str) -> NoReturn:
    raise _Entry(f"{name} is no JSON; expected {{'$type': 'float', 'value': 'nan'}} or the like")


def _entries(document: Json) -> list[Json]:
    if isinstance(document, dict) and set(document) == {"findings"}:
        document = document["findings"]
    if not isinstance(document, list):
        _refuse("it is no list; expected a JSON list of findings, or {'findings': [...]}")
    if len(document) > MAXIMUM_ENTRIES:
        _refuse(f"it holds {len(document)} findings; expected at most {MAXIMUM_ENTRIES}")
    return document


def _name(entry: Json, number: int) -> str:
    title = entry.get("title") if isinstance(entry, dict) else None
    return f"entry {number} {_shown(title)}" if isinstance(title, str) else f"entry {number}"


def _shown(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    text = LONE.sub("?", text)
    return f"'{text}'" if len(text) <= 80 else f"'{text[:79]}…'"


def _finding(entry: Json, states: Mapping[str, str], only: str | None) -> Finding:
    if not isinstance(entry, dict):
        raise _Entry(f"it is {_shown(entry)}; expected an object with the keys {', '.join(SEED_KEYS)}")
    _check_keys(entry)
    _check_texts(entry)
    level = parse_severity(entry["severity"])
    if level is None:
        known = ", ".join(reversed(Severity))
        raise _Entry(f"'severity' is {_shown(entry['severity'])}; expected one of {known}")
    if entry["resolved"] is not False:
        raise _Entry("'resolved' must be false: whether a finding is resolved is computed, never claimed")
    whole = {**entry, "severity": level.value}
    _check_shape({**whole, "trigger": None}, "finding", "")
    _check_trigger(whole.get("trigger"))
    _check_branch(whole["branch_id"], states, only)
    _check_edits(whole)
    try:
        return finding_from_json(whole)
    except FindingError as error:
        raise _Entry(str(error)) from error


def _check_keys(entry: Mapping[str, Json]) -> None:
    mending = sorted(FORBIDDEN_KEYS & set(entry))
    if mending:
        raise _Entry(f"it has the key '{mending[0]}'; an adversary breaks and never mends, so expected none")
    known = submission_schema()["$defs"]["finding"]["properties"]
    unknown = sorted(set(entry) - set(known))
    if unknown:
        raise _Entry(f"unknown key {_shown(unknown[0])}; expected only {', '.join(known)}")
    missing = [key for key in SEED_KEYS if key not in entry]
    if missing:
        raise _Entry(f"missing key '{missing[0]}'; expected {', '.join(SEED_KEYS)}")


def _check_texts(value: Json) -> None:
    """Text that no file can hold, and numbers that are none, anywhere in the entry."""
    for item in _leaves(value):
        if isinstance(item, str) and (LONE.search(item) or "\0" in item):
            raise _Entry(f"{_shown(item)} holds half a character or a null; expected text")
        if isinstance(item, float) and not math.isfinite(item):
            raise _Entry("a number is too large for JSON; expected {'$type': 'float', 'value': 'inf'}")


def _leaves(value: Json) -> Iterator[Json]:
    if isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from _leaves(item)
    elif isinstance(value, list):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _check_shape(value: Json, part: str, where: str) -> None:
    """Against one definition of the published schema."""
    schema = submission_schema()
    from jsonschema import Draft202012Validator  # noqa: PLC0415 - most runs take no submission, and loading it costs
    from jsonschema.exceptions import best_match  # noqa: PLC0415

    validator = Draft202012Validator({"$ref": f"#/$defs/{part}", "$defs": schema["$defs"]})
    error = best_match(validator.iter_errors(value))
    if error is None:
        return
    path = where + "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in error.absolute_path)
    path = path.lstrip(".")
    expected = error.schema.get("description", "") if isinstance(error.schema, Mapping) else ""
    told = error.message if len(error.message) <= 200 else error.message[:90] + " … " + error.message[-90:]
    raise _Entry(f"'{path or part}': {LONE.sub('?', told)}" + (f"; expected: {expected}" if expected else ""))


def _check_trigger(trigger: Json) -> None:
    if trigger is None:
        return
    if not isinstance(trigger, dict) or trigger.get("kind") not in ("observation", "program"):
        kind = trigger.get("kind") if isinstance(trigger, dict) else trigger
        raise _Entry(f"'trigger' has kind {_shown(kind)}; expected an object of kind 'observation' or 'program'")
    _check_shape(trigger, trigger["kind"], "trigger")
    values = (trigger.get("expect") or {}).get("values")
    for name, calls in (
        ("calls", trigger.get("calls") or []),
        ("control", (trigger.get("control") or {}).get("calls")),
    ):
        if values is not None and calls is not None and len(values) != len(calls):
            raise _Entry(f"'trigger.expect.values' has {len(values)} entries for {len(calls)} {name}; expected as many")
    if trigger["kind"] == "observation" and not trigger.get("calls") and "property" not in trigger["expect"]:
        raise _Entry("'trigger.calls' is empty; expected at least one call")
    known = {item["name"] for item in trigger.get("setup") or []}
    used = [call["on"] for call in trigger.get("calls") or [] if call.get("on") is not None]
    strangers = sorted(set(used) - known)
    if strangers:
        raise _Entry(f"'trigger.calls' uses '{strangers[0]}', which 'trigger.setup' does not name")


def _check_branch(name: str, states: Mapping[str, str], only: str | None) -> None:
    if name not in states:
        raise _Entry(f"'branch_id' is {_shown(name)}, which is no branch of the run; expected one of {_listed(states)}")
    if only is not None and name != only:
        raise _Entry(f"'branch_id' is {_shown(name)}; expected '{only}', the branch of the brief")
    if states[name] != "alive":
        alive = [branch for branch, state in states.items() if state == "alive"]
        raise _Entry(f"'branch_id' is {_shown(name)}, which is dead already; expected one of {_listed(alive)}")


def _listed(names: Mapping[str, str] | Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names) or "none"


def _check_edits(entry: Mapping[str, Json]) -> None:
    trigger = entry.get("trigger") or {}
    texts = [(key, entry.get(key), True) for key in PROSE_KEYS]
    texts += [("quote", entry.get("quote"), False), ("trigger.claim", trigger.get("claim"), True)]
    texts.append(("trigger.source", trigger.get("source"), False))
    for key, text, prose in texts:
        kind = edit_in(text, prose=prose) if isinstance(text, str) else ""
        if kind:
            raise _Entry(f"'{key}' carries {kind}; an adversary breaks and never mends: say what breaks, and on what")
