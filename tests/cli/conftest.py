"""The sample runs of tests/reports/sample.py as fixtures."""

from __future__ import annotations

import os
import runpy
from pathlib import Path

import pytest

import pqa

SAMPLE = runpy.run_path(str(Path(__file__).parents[1] / "reports" / "sample.py"))


@pytest.fixture
def run():
    return SAMPLE["RUN"]


@pytest.fixture
def nobody():
    return SAMPLE["NOBODY"]


class FakeWiring:
    """Stands in for `pqa.wiring`: gives what it was told to give and keeps what it was asked."""

    def __init__(self) -> None:
        self.result: object = None
        self.asked: list[object] = []

    def _answer(self, *arguments: object) -> object:
        self.asked.append(arguments)
        if isinstance(self.result, BaseException):
            raise self.result
        return self.result() if callable(self.result) else self.result

    def collide(self, request, sinks):
        return self._answer(request, sinks)

    def replay(self, request, sinks):
        return self._answer(request, sinks)

    def doctor(self, project, settings):
        return self._answer(project, settings)


@pytest.fixture
def wiring(monkeypatch):
    fake = FakeWiring()
    monkeypatch.setattr(pqa, "wiring", fake, raising=False)
    return fake


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    for name in [name for name in os.environ if name.startswith("PQA_")]:
        monkeypatch.delenv(name)
    return tmp_path
