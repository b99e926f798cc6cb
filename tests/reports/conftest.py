"""The sample runs of sample.py as fixtures."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

SAMPLE = runpy.run_path(str(Path(__file__).parent / "sample.py"))


@pytest.fixture
def run():
    return SAMPLE["RUN"]


@pytest.fixture
def nobody():
    return SAMPLE["NOBODY"]
