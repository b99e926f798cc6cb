"""Codec: the whole run as one JSON document (`pqa.run/1`) and back; the small nouns' codecs under their one address."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping

from pqa.core.branch import Branch
from pqa.core.branch_codec import (
    BranchRecord,
    attack_run_to_json,
    branch_from_json,
    branch_to_json,
    check_run_to_json,
    suite_from_json,
    suite_to_json,
    verification_from_json,
    verification_to_json,
)
from pqa.core.errors import FindingError, InternalError, UsageError
from pqa.core.evidence_codec import evidence_from_json, evidence_to_json
from pqa.core.finding_codec import (
    finding_from_json,
    finding_to_json,
    note_from_json,
    note_to_json,
    question_from_json,
    question_to_json,
    replay_from_json,
    replay_to_json,
    trigger_from_json,
    trigger_to_json,
)
from pqa.core.task import Task
from pqa.core.trigger import Json
from pqa.core.verdict import Choice, Collision, Defense

__all__ = [
    "SCHEMA",
    "BranchRecord",
    "attack_run_to_json",
    "branch_from_json",
    "branch_to_json",
    "check_run_to_json",
    "choice_to_json",
    "defense_from_json",
    "defense_to_json",
    "dump",
    "finding_from_json",
    "finding_to_json",
    "from_json",
    "load",
    "note_from_json",
    "note_to_json",
    "question_from_json",
    "question_to_json",
    "replay_from_json",
    "replay_to_json",
    "suite_from_json",
    "suite_to_json",
    "to_json",
    "trigger_from_json",
    "trigger_to_json",
    "verification_from_json",
    "verification_to_json",
]

SCHEMA = "pqa.run/1"
WRITE_ANEW = "write it anew with `pqa collide`"
FREE_KEYS = ("suite", "cost", "timing")


def to_json(collision: Collision) -> dict[str, Json]:
    """The run as DESIGN section 8 has it. Times stand only under `timing`, what the ledger adds only under `history`.

    Left out, because they are large or gone after the run: the recorded calls and the snapshots' paths.
    """
    _check_branch_ids(collision)
    task = collision.task
    return {
        "schema": SCHEMA,
        "run_id": collision.run_id,
        "task": {"text": task.text, "base": task.base, "path": task.path},
        "mode": task.mode,
        "sandbox": collision.sandbox,
        "stamps": list(collision.stamps),
        "seed": collision.seed,
        "versions": dict(collision.versions),
        "branches": [branch_to_json(_record(collision, branch)) for branch in collision.branches],
        "findings": [finding_to_json(finding) for finding in collision.findings],
        "kill_matrix": {finding_id: dict(row) for finding_id, row in collision.kill_matrix.items()},
        "questions": [question_to_json(question) for question in collision.questions],
        "notes": [note_to_json(note) for note in collision.notes],
        "evidence": [evidence_to_json(item) for item in collision.evidence],
        "defenses": [defense_to_json(defense) for defense in collision.defenses],
        "history": dict(collision.history),
        "choice": None if collision.choice is None else choice_to_json(collision.choice),
        **{key: dict(getattr(collision, key)) for key in FREE_KEYS},
    }


def from_json(document: Json) -> Collision:
    """The run that `to_json` wrote; raises UsageError for a document that is none, or of another version."""
    found = document.get("schema") if isinstance(document, Mapping) else None
    if found != SCHEMA:
        raise UsageError(
            f"the document's schema is {found!r}, expected '{SCHEMA}'",
            "give a run.json that this version of pqa wrote",
        )
    try:
        return _from_json(document)
    except FindingError as error:
        raise UsageError(f"the run document holds a bad finding: {error}", WRITE_ANEW) from error
    except (KeyError, TypeError, AttributeError) as error:
        raise UsageError(f"the run document is damaged: {error!r}", WRITE_ANEW) from error


def _from_json(document: Mapping[str, Json]) -> Collision:
    records = [branch_from_json(entry) for entry in document["branches"]]
    choice = document["choice"]
    return Collision(
        run_id=document["run_id"],
        task=Task(mode=document["mode"], **document["task"]),
        sandbox=document["sandbox"],
        seed=document["seed"],
        branches=tuple(record.branch for record in records),
        checks={record.branch.branch_id: record.checks for record in records if record.checks},
        verifications={one.branch.branch_id: one.verification for one in records if one.verification is not None},
        attacked={record.branch.branch_id: record.attacks for record in records if record.attacks},
        findings=tuple(finding_from_json(finding) for finding in document["findings"]),
        kill_matrix=document["kill_matrix"],
        questions=tuple(question_from_json(question) for question in document["questions"]),
        notes=tuple(note_from_json(note) for note in document["notes"]),
        evidence=tuple(evidence_from_json(item) for item in document["evidence"]),
        defenses=tuple(defense_from_json(defense) for defense in document["defenses"]),
        verdicts={record.branch.branch_id: record.verdict for record in records if record.verdict is not None},
        choice=None if choice is None else Choice(**{**choice, "would_change": tuple(choice["would_change"])}),
        history=document["history"],
        versions=document["versions"],
        stamps=tuple(document["stamps"]),
        **{key: document[key] for key in FREE_KEYS},
    )


def dump(document: Json) -> str:
    """Stable text in pure ASCII with a last newline: no raw control character of a branch reaches a terminal.

    Keys keep their order, which has a meaning. A float that JSON does not know becomes {"$type": "float", ...}.
    """
    text = json.dumps(_finite(document), indent=1, ensure_ascii=True, allow_nan=False)
    return text.replace("\x7f", "\\u007f") + "\n"


def load(text: str) -> Collision:
    """The run in the text of a run.json; raises UsageError when it is none."""
    try:
        document = json.loads(text)
    except ValueError as error:
        raise UsageError(f"the run document is not JSON: {error}", WRITE_ANEW) from error
    return from_json(document)


def choice_to_json(choice: Choice) -> dict[str, Json]:
    """Which branch to merge, or why none is named."""
    return {
        "branch_id": choice.branch_id,
        "abstained": choice.abstained,
        "reason": choice.reason,
        "runner_up": choice.runner_up,
        "margin": choice.margin,
        "would_change": list(choice.would_change),
    }


def defense_to_json(defense: Defense) -> dict[str, Json]:
    """One branch's one answer."""
    return {
        "branch_id": defense.branch_id,
        "kind": defense.kind,
        "answers": [dict(answer) for answer in defense.answers],
    }


def defense_from_json(document: Mapping[str, Json]) -> Defense:
    """What `defense_to_json` wrote."""
    return Defense(document["branch_id"], document["kind"], tuple(document["answers"]))


def _record(collision: Collision, branch: Branch) -> BranchRecord:
    name = branch.branch_id
    return BranchRecord(
        branch,
        collision.checks.get(name, ()),
        collision.verifications.get(name),
        collision.attacked.get(name, ()),
        collision.verdicts.get(name),
    )


def _check_branch_ids(collision: Collision) -> None:
    """Refuse to drop anything silently: what is said of a branch must be said of one that is in the run."""
    known = {branch.branch_id for branch in collision.branches}
    for name in ("checks", "verifications", "attacked", "verdicts"):
        strangers = sorted(set(getattr(collision, name)) - known)
        if strangers:
            raise InternalError(f"'{name}' speaks of {', '.join(map(repr, strangers))}, which is no branch of the run")


def _finite(value: Json) -> Json:
    if isinstance(value, float) and not math.isfinite(value):
        return {"$type": "float", "value": repr(value)}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _finite(item) for key, item in value.items()}
    return value
