"""Planted trees in the real sandbox."""

from __future__ import annotations

import os
import textwrap
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from pqa.core.branch import Branch
from pqa.core.job import Guest, Mount
from pqa.core.ports import Sandbox, Zygote
from pqa.core.recording import Recording
from pqa.instruments.suite import PRELOAD, run_suite
from pqa.sandbox.choose import choose_sandbox
from pqa.sandbox.interpreter import own_interpreter

Plant = Callable[..., tuple[Branch, Zygote]]


def write_tree(folder: Path, files: Mapping[str, str]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(content), encoding="utf-8")
    folder.mkdir(exist_ok=True)
    return folder


def branch_of(folder: Path, name: str, **more: Any) -> Branch:
    files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
    tests = tuple(file for file in files if file.startswith("tests/"))
    code = tuple(file for file in files if not file.startswith("tests/") and not file.endswith("conftest.py"))
    return Branch(name, str(folder), "digest", str(folder), code=code, tests=tests, **more)


@pytest.fixture(scope="session")
def real_sandbox() -> Iterator[Sandbox]:
    sandbox = choose_sandbox(unsafe=False, environ=os.environ)
    yield sandbox
    sandbox.close()


@pytest.fixture
def plant(tmp_path: Path, real_sandbox: Sandbox) -> Iterator[Plant]:
    """Write a tree and open a zygote on it: `branch, zygote = plant({"calc.py": ...})`."""
    opened: list[Zygote] = []

    def make(
        files: Mapping[str, str], name: str = "b0", preload: tuple[str, ...] = PRELOAD, **mounted: Mapping[str, str]
    ) -> tuple[Branch, Zygote]:
        folder = write_tree(tmp_path / name, files)
        mounts = tuple(
            Mount(str(write_tree(tmp_path / f"{name}-{target}", content)), f"/{target}")
            for target, content in mounted.items()
        )
        zygote = real_sandbox.open(Guest(str(folder), own_interpreter(), mounts=mounts, preload=preload))
        opened.append(zygote)
        return branch_of(folder, name), zygote

    yield make
    for zygote in opened:
        zygote.close()


@pytest.fixture
def plant_tree(tmp_path: Path) -> Callable[..., Branch]:
    """Write a tree only."""
    return lambda files, name="b0": branch_of(write_tree(tmp_path / name, files), name)


@pytest.fixture
def record(plant):
    """Run tests on a module `m` and give the recording."""

    def run(code: str, tests: str, module: str = "m.py") -> Recording:
        branch, zygote = plant({module: code, "tests/test_m.py": tests})
        suite = run_suite(zygote, branch.tests, code=branch.code, record=True, seconds=60)
        assert (suite.status, suite.why) == ("green", ""), suite
        return suite.recording

    return run
