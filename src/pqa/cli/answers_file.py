"""Answers file: answers to a run's questions as JSON; all are checked before any is taken."""

from __future__ import annotations

import json
from pathlib import Path

from pqa.cli.said import Said, expectation, parse
from pqa.core.errors import UsageError
from pqa.core.trigger import Json
from pqa.core.verdict import Collision

FILE_BYTES = 8 << 20
SHAPE = 'a JSON list of {"question_id": ID, "answer": ANSWER}'


def read_answers(path: Path, collision: Collision) -> list[Said]:
    """The answers in a file; a UsageError names the first entry that does not fit and says what was expected."""
    try:
        if path.stat().st_size > FILE_BYTES:
            raise UsageError(f"--answers '{path}' is larger than 8 MiB; expected {SHAPE}", "name another file")
        document = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise UsageError(f"--answers '{path}' cannot be read: {error}; expected {SHAPE}", "mend the file") from error
    if not isinstance(document, list):
        raise UsageError(f"--answers '{path}' is no list; expected {SHAPE}", "mend the file")
    said = [_entry(item, number, collision) for number, item in enumerate(document, 1)]
    names = [one.question.question_id for one in said]
    for number, name in enumerate(names, 1):
        if name in names[: number - 1]:
            raise UsageError(f"entry {number} answers '{name}' again; expected one answer a question", "remove one")
    return said


def _entry(item: Json, number: int, collision: Collision) -> Said:
    if not isinstance(item, dict) or set(item) != {"question_id", "answer"}:
        raise UsageError(f'entry {number} is not {{"question_id": ID, "answer": ANSWER}}', "nothing was applied")
    known = {one.question_id: one for one in collision.questions}
    question = known.get(item["question_id"]) if isinstance(item["question_id"], str) else None
    if question is None:
        names = ", ".join(known) or "none"
        message = f"entry {number}: the run has no question {item['question_id']!r}; expected one of: {names}"
        raise UsageError(message, "nothing was applied")
    try:
        return parse(question, item["answer"])
    except ValueError as error:
        message = f"entry {number}, question '{question.question_id}': {error}; expected {expectation(question)}"
        raise UsageError(message, "nothing was applied") from error
