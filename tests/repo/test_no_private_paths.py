"""No file names a path of one developer's machine, and the code does not know the benchmark that measures it."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

# Written in pieces, so that this file does not name what it forbids. `tree` is the guest's own folder in the sandbox.
MACHINE = re.compile(r"(?<![\w.])/" + r"work/(?!tree\b)")
BENCH = re.compile("shared" + "/bench")
LEFT_OUT = {".git", ".venv", ".pqa", "__pycache__", "build", "dist", "node_modules", ".hypothesis"}


def files_of(root: Path, folder: str = ".") -> list[Path]:
    return sorted(
        file
        for file in (root / folder).rglob("*")
        if file.is_file() and not any(left_out(part) for part in file.relative_to(root).parts)
    )


def left_out(part: str) -> bool:
    return part in LEFT_OUT or part.endswith(("_cache", ".egg-info"))


def naming(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    return [str(file) for file in files if pattern.search(file.read_bytes().decode("utf-8", "replace"))]


def test_no_file_names_a_machine_path(root: Path) -> None:
    assert naming(MACHINE, files_of(root)) == []


def test_code_does_not_know_the_bench(root: Path) -> None:
    assert naming(BENCH, files_of(root, "src")) == []


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("see /work" + "/main", 1),
        ("'/work" + "/x'", 1),
        ("frame/work" + "/x", 0),
        ("/work" + "/tree", 0),
        ("/home/runner/work" + "/x", 0),
    ],
)
def test_check_sees_machine_paths(tmp_path: Path, text: str, count: int) -> None:
    (tmp_path / "page.md").write_text(text)

    assert len(naming(MACHINE, files_of(tmp_path))) == count


def test_check_looks_into_hidden_folders_but_not_into_the_environment(tmp_path: Path) -> None:
    for name in (".github/ci.yml", ".venv/pyvenv.cfg"):
        (tmp_path / name).parent.mkdir()
        (tmp_path / name).write_text("x")

    assert files_of(tmp_path) == [tmp_path / ".github/ci.yml"]
