"""Contract file: `.pqa/contract.toml`, where a person sees, corrects and answers what pqa believes about inputs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError
from tomlkit.items import AoT, Table

from pqa.core.contract import Answer, Line
from pqa.core.errors import UsageError
from pqa.core.trigger import Json
from pqa.core.values import canonical

HEADER = "What pqa believes may be passed to each function. Lines with source = 'learned' are rewritten on each run."
LINE_SOURCES = ("learned", "declared", "person")
ANSWER_SOURCES = ("person", "reference")
ANSWER_KINDS = ("value", "either", "cannot-happen")
LINE_KEYS: Mapping[str, type] = {"function": str, "relation": str, "seen": int, "support": int, "source": str}
ANSWER_KEYS: Mapping[str, type] = {
    "question_id": str,
    "function": str,
    "relation": str,
    "tier": str,
    "witness": object,
    "kind": str,
    "value": object,
    "values": object,
    "source": str,
}
ENCODED = ("witness", "value", "values")
"""Held as JSON in a string, so that null, mixed lists and whole floats survive; plain TOML is read too."""


def read_contract(path: Path) -> tuple[list[Line], list[Answer]]:
    """The stated lines and the answers; a missing file has none. Learned lines are checked, never read back."""
    document = _document(path)
    entries = [_checked(path, "line", table, LINE_KEYS) for table in _tables(path, document, "line")]
    lines = [Line(**{"function": "", "source": "person", **entry}) for entry in entries]
    for line in lines:
        _one_of(path, "line.source", line.source, LINE_SOURCES)
    answers = [_read_answer(path, table) for table in _tables(path, document, "answer")]
    return [line for line in lines if line.source != "learned"], answers


def write_contract(path: Path, lines: Sequence[Line], answers: Sequence[Answer] = ()) -> None:
    """Rewrite the learned lines and add new answers; what a person wrote stays, comments included."""
    document = _document(path)
    kept = [table for table in _tables(path, document, "line") if table.get("source", "person") != "learned"]
    stated = {(str(table.get("function")), str(table.get("relation")).removeprefix("not ")) for table in kept}
    fresh = [line for line in lines if line.source == "learned" and (line.function, line.relation) not in stated]
    _replace(document, "line", [*kept, *(_line_table(line) for line in fresh)])
    _store_answers(path, document, answers)
    _save(path, document)


def state_line(path: Path, line: Line) -> None:
    """Add a person's line; an earlier one of the same function on the same relation gives way to it."""
    document = _document(path)
    subject = (line.function, line.relation.removeprefix("not "))
    kept = [
        table
        for table in _tables(path, document, "line")
        if (str(table.get("function")), str(table.get("relation")).removeprefix("not ")) != subject
    ]
    _replace(document, "line", [*kept, _line_table(line)])
    _save(path, document)


def add_answers(path: Path, answers: Sequence[Answer]) -> None:
    """Add answers; a new answer of the same source to the same question takes the place of the old one."""
    document = _document(path)
    _store_answers(path, document, answers)
    _save(path, document)


def _read_answer(path: Path, table: Table) -> Answer:
    entry = _checked(path, "answer", table, ANSWER_KEYS)
    if "value" in entry:
        entry["values"] = [entry.pop("value")]
    for key, kind, words in (("values", list, "a list"), ("witness", dict, "a case with setup and calls")):
        if key in entry and not isinstance(entry[key], kind):
            raise UsageError(f"'{path}': 'answer.{key}' must be {words}", "write it as JSON in a string")
    answer = Answer(**{**entry, "values": tuple(entry.get("values", ()))})
    _one_of(path, "answer.kind", answer.kind, ANSWER_KINDS)
    _one_of(path, "answer.source", answer.source, ANSWER_SOURCES)
    if answer.kind == "value" and not answer.values:
        raise UsageError(f"'{path}': an [[answer]] of kind 'value' lacks the key 'value'", "add what is right there")
    return answer


def _document(path: Path) -> tomlkit.TOMLDocument:
    try:
        document = tomlkit.parse(path.read_text(encoding="utf-8")) if path.exists() else tomlkit.document()
    except (TOMLKitError, UnicodeDecodeError) as error:
        raise UsageError(f"'{path}' is no valid TOML: {error}", "correct the file, or remove it") from error
    except OSError as error:
        raise UsageError(f"'{path}' cannot be read: {error.strerror}", "make it a readable file") from error
    for key in document:
        if key not in ("line", "answer"):
            raise UsageError(f"'{path}' has the unknown key '{key}'", "only [[line]] and [[answer]] are known")
    return document


def _tables(path: Path, document: tomlkit.TOMLDocument, name: str) -> list[Table]:
    found = document.get(name, [])
    if not isinstance(found, list) or not all(isinstance(item, Table) for item in found):
        raise UsageError(f"'{path}': '{name}' must be an array of tables", f"write [[{name}]]")
    return [*found]


def _checked(path: Path, section: str, table: Table, keys: Mapping[str, type]) -> dict[str, Any]:
    entry: dict[str, Any] = table.unwrap()
    for key, value in entry.items():
        if key not in keys:
            raise UsageError(f"'{path}' has the unknown key '{section}.{key}'", f"known keys: {', '.join(keys)}")
        if not isinstance(value, keys[key]) or (keys[key] is int and isinstance(value, bool)):
            raise UsageError(f"'{path}': '{section}.{key}' must be of type {keys[key].__name__}", f"{value!r} is not")
    required = ("relation",) if section == "line" else ("question_id", "kind")
    for key in required:
        if key not in entry:
            raise UsageError(f"'{path}': a [[{section}]] lacks the key '{key}'", f'add {key} = "..."')
    return {key: _from_toml(value) if key in ENCODED else value for key, value in entry.items()}


def _one_of(path: Path, key: str, value: str, known: Sequence[str]) -> None:
    if value not in known:
        raise UsageError(f"'{path}': '{key}' is '{value}'", f"it must be one of {', '.join(known)}")


def _from_toml(value: Any) -> Json:
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return value


def _line_table(line: Line) -> Table:
    return _table({key: getattr(line, key) for key in LINE_KEYS})


def _answer_table(answer: Answer) -> Table:
    entry = {key: getattr(answer, key) for key in ANSWER_KEYS if key not in ENCODED}
    entry = {key: value for key, value in entry.items() if value not in (None, "")}
    if answer.witness:
        entry["witness"] = canonical(answer.witness)
    if len(answer.values) == 1:
        entry["value"] = canonical(answer.values[0])
    elif answer.values:
        entry["values"] = canonical(list(answer.values))
    return _table(entry)


def _table(entry: Mapping[str, object]) -> Table:
    table = tomlkit.table()
    for key, value in entry.items():
        plain = isinstance(value, str) and "'" not in value and value.isprintable()
        table.add(key, tomlkit.string(str(value), literal=True) if plain and '"' in str(value) else value)
    table.add(tomlkit.nl())
    return table


def _store_answers(path: Path, document: tomlkit.TOMLDocument, answers: Sequence[Answer]) -> None:
    new = {(answer.question_id, answer.source): _answer_table(answer) for answer in answers}
    tables = _tables(path, document, "answer")
    kept = [table for table in tables if (str(table.get("question_id")), table.get("source", "person")) not in new]
    if new:
        _replace(document, "answer", [*kept, *new.values()])


def _replace(document: tomlkit.TOMLDocument, name: str, tables: Sequence[Table]) -> None:
    old = [table.as_string() for table in document.get(name, [])]
    if old == [table.as_string() for table in tables]:
        return
    if not tables:
        document.remove(name)
    elif name in document:
        document[name] = AoT([*tables])
    else:
        document.append(name, AoT([*tables]))


def _save(path: Path, document: tomlkit.TOMLDocument) -> None:
    text = re.sub(r"\n{3,}(?=\[\[)", "\n\n", document.as_string().rstrip() + "\n")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text if text.lstrip().startswith("#") else f"# {HEADER}\n\n{text}", encoding="utf-8")
