"""Fixtures: a real sandbox, or the test is skipped with the reason."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from pqa.core.errors import NoSandbox
from pqa.core.job import Guest, JobResult, Limits
from pqa.sandbox.bubblewrap import BubblewrapSandbox
from pqa.sandbox.choose import choose_sandbox
from pqa.sandbox.interpreter import own_interpreter
from pqa.sandbox.unsandboxed import UnsandboxedSandbox

Run = Callable[..., JobResult]
MakeGuest = Callable[..., Guest]


@pytest.fixture(scope="session")
def sandbox() -> Iterator[BubblewrapSandbox]:
    try:
        found = choose_sandbox(unsafe=False, environ=os.environ)
    except NoSandbox as error:
        pytest.skip(f"bubblewrap does not work here: {error}")
    assert isinstance(found, BubblewrapSandbox)
    yield found
    found.close()


@pytest.fixture
def unsandboxed() -> Iterator[UnsandboxedSandbox]:
    none = UnsandboxedSandbox()
    yield none
    none.close()


@pytest.fixture
def make_guest(tmp_path: Path) -> MakeGuest:
    """A guest whose snapshot holds the given files."""

    def make(files: Mapping[str, str] | None = None, *, limits: Limits | None = None, **more: object) -> Guest:
        snapshot = tmp_path / "snapshot"
        snapshot.mkdir(exist_ok=True)
        for name, text in (files or {}).items():
            path = snapshot / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return Guest(str(snapshot), own_interpreter(), limits=limits or Limits(), **more)  # type: ignore[arg-type]

    return make


@pytest.fixture
def run(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> Run:
    """Run one program in a fresh sandbox."""

    def carry_out(
        source: str, files: Mapping[str, str] | None = None, *, seconds: float = 10, limits: Limits | None = None
    ) -> JobResult:
        with sandbox.open(make_guest(files, limits=limits)) as zygote:
            return zygote.run("program", {"source": source}, seconds=seconds)

    return carry_out


@pytest.fixture
def run_outside(unsandboxed: UnsandboxedSandbox, make_guest: MakeGuest) -> Run:
    """The positive control: the same program with the user's own rights."""

    def carry_out(source: str, files: Mapping[str, str] | None = None, *, seconds: float = 10) -> JobResult:
        with unsandboxed.open(make_guest(files)) as zygote:
            return zygote.run("program", {"source": source}, seconds=seconds)

    return carry_out
