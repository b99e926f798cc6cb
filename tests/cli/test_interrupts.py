"""Interrupts: Ctrl-C or SIGTERM in any stage ends the run with 130 and leaves no process, folder or half-written file."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/rate_limiter"
SLOW_PROPERTY = """
import time

def property_slow(module, draw):
    time.sleep(0.2)
    limiter = module.RateLimiter(draw.integers(1, 3), 4.0, lambda: 0.0)
    assert limiter.allow("ada")
"""
STAGES = {
    "early-kill": "static checks",
    "verify": "running the branches' own tests",
    "attack": "attacking",
    "replay": "replaying findings",
}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The worked example with a property that keeps the attack busy."""
    shutil.copytree(
        EXAMPLE / ".pqa", tmp_path / ".pqa", ignore=shutil.ignore_patterns("runs", "ledger.db*", ".gitignore")
    )
    (tmp_path / ".pqa/properties.py").write_text(SLOW_PROPERTY)
    return tmp_path


def start(project: Path) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", "from pqa.cli import main; main()", "collide"]
    return subprocess.Popen(
        command, cwd=project, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True
    )


def processes_of(session: int) -> list[str]:
    """The command lines of live processes in a session."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
                if int(fields[3]) == session and fields[0] != "Z":
                    found.append((entry / "cmdline").read_text().replace("\0", " "))
            except OSError:
                continue
    return found


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
@pytest.mark.parametrize("stage", STAGES)
def test_an_interrupt_in_any_stage_leaves_nothing_behind(project: Path, stage: str, number: signal.Signals) -> None:
    running = start(project)
    assert running.stderr is not None
    for line in running.stderr:
        if STAGES[stage] in line:
            break
    os.kill(running.pid, number)
    rest = running.stderr.read()
    assert running.wait(30) == 130, rest
    assert "interrupted" in rest
    assert "Traceback" not in rest
    assert processes_of(running.pid) == []
    assert list(project.glob(".pqa/runs/*")) == []
    with sqlite3.connect(project / ".pqa/ledger.db") as ledger:
        assert ledger.execute("SELECT count(*) FROM runs").fetchone() == (0,)
