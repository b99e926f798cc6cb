"""A real sandbox for adversaries that are programs."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pqa.adversaries.command import CommandAdversary, read_command
from pqa.core.job import Guest, Mount
from pqa.sandbox.choose import choose_sandbox
from pqa.sandbox.interpreter import own_interpreter


@pytest.fixture(scope="session")
def real_sandbox():
    sandbox = choose_sandbox(unsafe=False, environ=os.environ)
    yield sandbox
    sandbox.close()


@pytest.fixture
def adversary(tmp_path: Path, real_sandbox):
    """An adversary whose program is this Python source; the branch holds `m.py`."""
    project, empty, branch = tmp_path / "project", tmp_path / "empty", tmp_path / "branch"
    for folder in (project, empty, branch):
        folder.mkdir()
    (branch / "m.py").write_text("X = 7\n")

    def make(source: str, **more) -> CommandAdversary:
        (project / "adversary.py").write_text(source)
        command = read_command(f"{sys.executable} adversary.py", project=project, environ=os.environ)

        def guest(name, mounts, limits):
            return Guest(str(empty), own_interpreter(), mounts=(*mounts, Mount(str(branch), "/branch")), limits=limits)

        return CommandAdversary("tester", command, real_sandbox, guest, **more)

    return make
