"""The table of suites against branches: passed of all, and n/a where nothing can be told."""

from __future__ import annotations

from dataclasses import replace

from pqa.core.evidence import Evidence
from pqa.reports.text import make_console
from pqa.reports.transplants import transplant_table


def test_each_suite_has_its_row(run, capsys):
    cells = [("b0", "b0", 0, 2), ("b0", "b1", 1, 2), ("b1", "b1", 0, 3), ("b1", "b0", 0, 3), ("b1", "b2", 3, 3)]
    told = tuple(Evidence(name, "transplant", f"suite-of:{owner}", bad, of) for owner, name, bad, of in cells)

    make_console(width=60).print(transplant_table(replace(run, evidence=told)))

    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "  suite of   b0    b1    b2",
        "  b0         2/2   1/2   n/a",
        "  b1         3/3   3/3   0/3",
    ]


def test_without_a_transplant_there_is_no_table(run):
    assert transplant_table(run) is None
