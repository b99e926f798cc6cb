"""Rebuttal: what a branch's defender says in words: a question to a person or a contract line to adopt, never a resolution."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from pqa.core.errors import UsageError
from pqa.core.finding import Finding, Note
from pqa.core.trigger import Json

MAXIMUM_BYTES = 64 * 1024
LENGTH = 2_000
KEYS = {"finding_id", "claim", "contract_line"}
EXPECTED = 'expected text, or a JSON list of {"finding_id", "claim", "contract_line" (optional)}'


def read_rebuttals(path: Path, findings: Sequence[Finding]) -> tuple[Mapping[str, Json], ...]:
    """One answer a rebutted finding; plain text answers every finding of the branch."""
    text = _text(path)
    known = [finding.id for finding in findings]
    if text.lstrip()[:1] not in ("[", "{"):
        return tuple(_answer(finding_id, text.strip(), None) for finding_id in known)
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the rebuttal '{path}' is not valid JSON: {error}", EXPECTED) from error
    entries = document if isinstance(document, list) else [document]
    answers = [_entry(entry, path, known) for entry in entries]
    if not answers or len({answer["finding_id"] for answer in answers}) != len(answers):
        raise UsageError(f"the rebuttal '{path}' is empty, or answers one finding twice", EXPECTED)
    return tuple(answers)


def _text(path: Path) -> str:
    try:
        if not path.is_file() or path.stat().st_size > MAXIMUM_BYTES:
            raise UsageError(f"the rebuttal '{path}' is no file of at most 64 KiB", EXPECTED)
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"the rebuttal '{path}' cannot be read: {error}", EXPECTED) from error
    if not text.strip():
        raise UsageError(f"the rebuttal '{path}' is empty", EXPECTED)
    return text


def _entry(entry: Json, path: Path, known: Sequence[str]) -> dict[str, Json]:
    if not isinstance(entry, dict) or not {"finding_id", "claim"} <= entry.keys() <= KEYS:
        raise UsageError(f"the rebuttal '{path}' holds an entry of another shape", EXPECTED)
    if not all(isinstance(value, str) and value.strip() for value in entry.values()):
        raise UsageError(f"the rebuttal '{path}' holds an empty text, or something that is no text", EXPECTED)
    if entry["finding_id"] not in known:
        message = f"the rebuttal '{path}' answers '{entry['finding_id']}', which does not stand against that branch"
        raise UsageError(message, f"its findings: {', '.join(known)}")
    return _answer(entry["finding_id"], entry["claim"].strip(), entry.get("contract_line"))


def _answer(finding_id: str, claim: str, contract_line: str | None) -> dict[str, Json]:
    becomes = "question" if contract_line is None else "contract-line"
    answer: dict[str, Json] = {
        "finding_id": finding_id,
        "status": "unresolved",
        "reason": claim[:LENGTH],
        "becomes": becomes,
    }
    return answer if contract_line is None else {**answer, "contract_line": contract_line.strip()[:LENGTH]}


def notes_of(branch_id: str, answers: Sequence[Mapping[str, Json]]) -> list[Note]:
    """What a person is asked to look at: a claim settles nothing until somebody with a say adopts it."""
    notes = []
    for answer in answers:
        said = f'answers {answer["finding_id"]}: "{answer["reason"]}"'
        if answer["becomes"] == "contract-line":
            line = answer["contract_line"]
            text = f"{said} It proposes a line for .pqa/contract.toml, which counts once a person adds it: {line}"
        else:
            text = (
                f"{said} Is that so? Until a person says it in a property, a test or the contract, the finding stands."
            )
        notes.append(Note("rebuttal", text, branch_id))
    return notes
