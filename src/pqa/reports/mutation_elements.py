"""Mutation elements: a mutation report as JSON in the mutation-testing-elements schema, which viewers of many tools read."""

from __future__ import annotations

import json

from pqa.core.trigger import Json
from pqa.instruments.mutation import Mutant, Verdict
from pqa.instruments.mutation_report import MutationReport

SCHEMA_VERSION = "2"
STATUS = {
    "killed": "Killed",
    "survived": "Survived",
    "uncovered": "NoCoverage",
    "invalid": "CompileError",
    "same": "Ignored",
}
PENDING = "Pending"


def elements(report: MutationReport) -> str:
    """The document; a mutant that was not measured is "Pending" with its reason, never killed and never survived."""
    files: dict[str, Json] = {}
    tests: dict[str, str] = {}
    for name, text in report.texts.items():
        mutants = [_mutant(report, one, tests) for one in report.run.mutants if one.file == name]
        if mutants:
            files[name] = {"language": "python", "source": text, "mutants": mutants}
    document: dict[str, Json] = {
        "schemaVersion": SCHEMA_VERSION,
        "thresholds": {"high": 90, "low": 70},
        "framework": {"name": "pqa"},
        "files": files,
    }
    if tests:
        listed = [{"id": number, "name": name} for name, number in tests.items()]
        document["testFiles"] = {"": {"tests": listed}}
    return json.dumps(document, indent=2, ensure_ascii=True) + "\n"


def _mutant(report: MutationReport, mutant: Mutant, tests: dict[str, str]) -> dict[str, Json]:
    verdict = report.verdict(mutant)
    found: dict[str, Json] = {
        "id": str(mutant.number),
        "mutatorName": mutant.operator,
        "replacement": mutant.replacement,
        "location": _location(report.texts[mutant.file].splitlines(), mutant),
        "status": STATUS.get(verdict.status, PENDING) if verdict is not None else PENDING,
        "static": mutant.imported,
    }
    why = _why(report, mutant, verdict)
    if why:
        found["statusReason"] = why
    if verdict is not None and verdict.killer:
        found["killedBy"] = [tests.setdefault(verdict.killer, str(len(tests)))]
    if verdict is not None and verdict.ran:
        found["testsCompleted"] = verdict.ran
    return found


def _why(report: MutationReport, mutant: Mutant, verdict: Verdict | None) -> str:
    if verdict is None:
        return "left out by the budget"
    missing = report.missing.get(mutant.number)
    if missing is not None:
        return f"it changes an answer from {missing.right} to {missing.changed}"
    return verdict.why if verdict.status != "killed" else ""


def _location(lines: list[str], mutant: Mutant) -> dict[str, Json]:
    """Lines and columns from 1; Python counts columns in bytes, the schema in characters."""
    start = {"line": mutant.line, "column": _column(lines, mutant.line, mutant.column)}
    end = {"line": mutant.last, "column": _column(lines, mutant.last, mutant.end)}
    if (end["line"], end["column"]) <= (start["line"], start["column"]):
        end = {"line": mutant.last, "column": max(2, len(lines[mutant.last - 1]) + 1)}
    return {"start": start, "end": end}


def _column(lines: list[str], line: int, offset: int) -> int:
    text = lines[line - 1] if line <= len(lines) else ""
    return len(text.encode("utf-8", "replace")[:offset].decode("utf-8", "replace")) + 1
