"""A mutation report says what was noticed, let pass, not run and not measured, each by its own word, on paper and as JSON."""

from __future__ import annotations

import io
import json
from dataclasses import replace
from pathlib import Path

import jsonschema
from rich.console import Console

from pqa.instruments.mutation import Mutant, Survey, Verdict
from pqa.instruments.mutation_report import Missing, MutationReport
from pqa.instruments.mutation_run import MutationRun
from pqa.reports.mutation_elements import elements
from pqa.reports.mutation_page import render

SCHEMA = json.loads((Path(__file__).parent / "data/mutation-testing-report-schema.json").read_text("utf-8"))
TEXT = "def f(a):\n    é = a < 1\n    return é\n\n\ndef g():\n    return 1\n\n\ndef h():\n    return 2\n"


def mutant(number: int, line: int, function: str, before: str, after: str, *, end: int = 13) -> Mutant:
    text = after.strip()
    return Mutant(
        number,
        "m.py",
        number,
        line,
        4,
        line,
        end,
        "boundary",
        "boundary",
        function,
        before,
        after,
        text,
        imported=False,
    )


def report() -> MutationReport:
    mutants = [
        mutant(0, 2, "f", "é = a < 1", "é = a <= 1", end=15),
        mutant(1, 3, "f", "return é", "return None"),
        mutant(2, 7, "g", "return 1", "return None"),
        mutant(3, 11, "h", "return 2", "return None"),
        mutant(4, 11, "h", "return 2", "return 3"),
        mutant(5, 11, "h", "return 2", "return 1"),
    ]
    verdicts = {
        0: Verdict("survived", ran=2),
        1: Verdict("killed", killer="tests/test_m.py::test_f", ran=1),
        2: Verdict("uncovered"),
        3: Verdict("not-measured", "a test took far longer than on the unchanged code"),
        4: Verdict("same", "the compiler makes the same code of it"),
    }
    run = MutationRun(Survey(tests=2), mutants, verdicts)
    missing = {0: Missing("from m import f\n\n\ndef test_f():\n    assert f(1) is False", "False", "True")}
    return MutationReport(".", run, missing, frozenset([0]), {"m.py": TEXT}, budget=60.0)


def test_document_fits_the_published_schema() -> None:
    document = json.loads(elements(report()))

    jsonschema.validate(document, SCHEMA)
    assert [(one["id"], one["status"]) for one in document["files"]["m.py"]["mutants"]] == [
        ("0", "Survived"),
        ("1", "Killed"),
        ("2", "NoCoverage"),
        ("3", "Pending"),
        ("4", "Ignored"),
        ("5", "Pending"),
    ]
    assert document["testFiles"] == {"": {"tests": [{"id": "0", "name": "tests/test_m.py::test_f"}]}}


def test_columns_count_characters_and_not_bytes() -> None:
    document = json.loads(elements(report()))

    assert document["files"]["m.py"]["mutants"][0]["location"] == {
        "start": {"line": 2, "column": 5},
        "end": {"line": 2, "column": 15 - 1 + 1 - 1},
    }


def test_what_was_not_measured_is_no_kill_on_the_page() -> None:
    stream = io.StringIO()
    render(report(), Console(file=stream, width=120, markup=False, highlight=False))
    page = stream.getvalue()

    assert (
        "1 of 2 small changes were noticed (50 %); 1 passed every test, 1 of them with a missing test; 1 stand in code that no"
        in page.replace("\n", " ")
    )
    assert "1 could not be measured" in page.replace("\n", " ")
    assert "- é = a < 1\n    + é = a <= 1" in page
    assert "    assert f(1) is False" in page
    assert "1 changes were left out by the budget of 60 s" in page
    assert "1 not measured: a test took far longer than on the unchanged code" in page


def test_where_most_was_not_measured_no_share_is_told() -> None:
    whole = report()
    verdicts = {**whole.run.verdicts, **dict.fromkeys((1, 2, 3, 4, 5), Verdict("not-measured", "it did not run"))}
    stream = io.StringIO()
    render(replace(whole, run=replace(whole.run, verdicts=verdicts)), Console(file=stream, width=200))
    page = stream.getvalue()

    most = "most small changes could not be measured (5 of 6), so nothing is said of the suite as a whole; 1 passed every test"
    assert most in page
    assert "%" not in page


def test_worst_function_comes_first() -> None:
    assert list(report().counts()) == [("m.py", "f"), ("m.py", "g"), ("m.py", "h")]
