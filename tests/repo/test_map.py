"""ARCHITECTURE.md is what its generator says today: a map that nobody tests is wrong within a year."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def generated(root: Path) -> str:
    command = [sys.executable, str(root / "tools" / "architecture.py"), "--print"]
    return subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout


def copied(root: Path, target: Path) -> Path:
    (target / "tools").mkdir()
    (target / "tools/architecture.py").write_bytes((root / "tools/architecture.py").read_bytes())
    return target


@pytest.fixture
def small(root: Path, tmp_path: Path) -> Path:
    """A project with two modules, each with its docstring, beside the real generator."""
    package = copied(root, tmp_path) / "src/pqa"
    (package / "stages").mkdir(parents=True)
    (package / "__init__.py").write_text('"""The public names."""\n')
    (package / "wiring.py").write_text('"""Wiring: picks parts.\n\nMore words.\n"""\n')
    (package / "stages/__init__.py").write_text('"""Verbs."""\n')
    (package / "stages/score.py").write_text('"""Score."""\n')
    (package / "stages/attack.py").write_text('"""Attack."""\n')
    return tmp_path


def test_architecture_page_is_up_to_date(root: Path) -> None:
    assert (root / "ARCHITECTURE.md").read_text(encoding="utf-8") == generated(root), "run `make map`"


def test_tree_shows_first_lines_in_the_order_of_the_flow(small: Path) -> None:
    tree = generated(small).split("## Map\n")[1]

    assert tree.splitlines()[2:-1] == [
        "src/pqa/       The public names.",
        "  wiring.py    Wiring: picks parts.",
        "  stages/      Verbs.",
        "    attack.py  Attack.",
        "    score.py   Score.",
    ]


def test_new_module_changes_the_page(small: Path) -> None:
    before = generated(small)
    (small / "src/pqa/stray.py").write_text('"""Stray."""\n')

    assert generated(small) != before
