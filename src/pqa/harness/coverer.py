"""Coverer: which lines of the branch's code files did the tests run? All code files count, imported or not."""

from __future__ import annotations

import os
from typing import Any

MAXIMUM_LINES = 20_000
QUIET = ["no-data-collected", "module-not-imported", "module-not-measured", "couldnt-parse"]


class Coverer:
    """Measures from its making on; says why when it cannot."""

    def __init__(self, coverage: Any, source: str, code: list[str]) -> None:
        self.source, self.code, self.why = os.path.realpath(source), code, ""
        self._coverage: Any = None
        if coverage is None:
            self.why = "the library 'coverage' is not installed in the interpreter"
            return
        files = [os.path.join(self.source, name) for name in code]
        try:
            self._coverage = coverage.Coverage(
                data_file=None, branch=False, config_file=False, include=files, messages=False, concurrency=["thread"]
            )
            self._coverage.set_option("run:disable_warnings", QUIET)
            self._coverage.clear_exclude()
            self._coverage.start()
        except Exception as error:
            self._coverage, self.why = None, "coverage did not start: " + str(error)[:300]

    def report(self, emit: Any) -> None:
        """Stop, and emit the percentage and the missed lines of each file."""
        if self._coverage is None:
            emit({"coverage": None, "why": self.why})
            return
        try:
            self._coverage.stop()
            statements = missed = 0
            for name in self.code:
                _, lines, _, missing, _ = self._coverage.analysis2(os.path.join(self.source, name))
                statements += len(lines)
                missed += len(missing)
                emit({"missed": name, "lines": missing[:MAXIMUM_LINES]})
            percent = 100.0 * (statements - missed) / statements if statements else None
            emit({"coverage": percent, "why": "" if statements else "the code has no statements"})
        except Exception as error:
            emit({"coverage": None, "why": "coverage could not be read: " + str(error)[:300]})
