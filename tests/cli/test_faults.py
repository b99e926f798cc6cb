"""Faults of the machine: a full disk, a read-only project, a sandbox or fork server that is killed: a clear word, no rest."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

EXAMPLE = Path(__file__).parents[2] / "examples/rate_limiter"
ROOT = os.getuid() == 0
AS_IF_REFUSED = (
    "from pqa.sandbox import choose; choose.namespaces_are_refused = lambda: True; from pqa.cli import main; main()"
)
"""On a machine that refuses user namespaces, which is where the tier `reduced` is chosen."""
COMMAND = [sys.executable, "-c", "from pqa.cli import main; main()", "collide", "--budget", "3", "--attacks", "hollow"]
VERIFYING = "running the branches' own tests"


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """The worked example, without what earlier runs left."""
    left_out = shutil.ignore_patterns("runs", "ledger.db*", ".gitignore")
    shutil.copytree(EXAMPLE / ".pqa", tmp_path / "project/.pqa", ignore=left_out)
    return tmp_path / "project"


@pytest.fixture
def mounted(project: Path) -> Iterator[list[Path]]:
    """Places where something was mounted; unmounted afterwards."""
    places: list[Path] = []
    yield places
    for place in reversed(places):
        subprocess.run(["umount", str(place)], check=False)


def mount(*arguments: str) -> None:
    if not ROOT or subprocess.run(["mount", *arguments], capture_output=True, check=False).returncode:
        pytest.skip("nothing can be mounted here: that takes root")


def collide(project: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        COMMAND,
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        env={**os.environ, **environment},
    )


def of_session(session: int, word: str = "") -> list[int]:
    """Live processes of a session and what descends from its members, by a word of their command line."""
    parents: dict[int, int] = {}
    found: set[int] = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z":
                parents[int(entry.name)] = int(fields[1])
                if int(fields[3]) == session:
                    found.add(int(entry.name))
    while more := {pid for pid, parent in parents.items() if parent in found} - found:
        found |= more
    return sorted(pid for pid in found if word in command_line(pid))


def command_line(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text(errors="replace").replace("\0", " ")
    except OSError:
        return ""


@pytest.mark.parametrize("kilobytes", [64, 160, 192, 224])
def test_a_full_disk_is_said_and_leaves_no_half_written_file(
    project: Path, mounted: list[Path], kilobytes: int
) -> None:
    content = project.parent / "content"
    shutil.move(project / ".pqa", content)
    (project / ".pqa").mkdir()
    mount("-t", "tmpfs", "-o", f"size={kilobytes}k", "none", str(project / ".pqa"))
    mounted.append(project / ".pqa")
    shutil.copytree(content, project / ".pqa", dirs_exist_ok=True)

    done = collide(project)

    assert done.returncode == 2, done.stderr
    assert "pqa: " in done.stderr
    assert "next: " in done.stderr
    assert "Traceback" not in done.stderr
    assert "fault of pqa" not in done.stderr
    assert list((project / ".pqa").glob("runs/*")) == []


def test_a_read_only_project_is_said(project: Path, mounted: list[Path]) -> None:
    if ROOT:
        mount("--bind", str(project), str(project))
        mounted.append(project)
        mount("-o", "remount,ro,bind", str(project))
    else:
        for folder in (project / ".pqa", project):
            folder.chmod(0o555)

    done = collide(project)

    if not ROOT:
        for folder in (project, project / ".pqa"):
            folder.chmod(0o755)
    assert done.returncode == 2, done.stderr
    assert "next: " in done.stderr
    assert "Traceback" not in done.stderr
    assert not (project / ".pqa/runs").exists()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
@pytest.mark.parametrize("victim", ["bwrap", "zygote.py"], ids=["the sandbox", "the fork server"])
def test_a_killed_sandbox_is_could_not_check_and_leaves_nothing(project: Path, victim: str) -> None:
    running = subprocess.Popen(
        COMMAND, cwd=project, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    assert running.stderr is not None
    for line in running.stderr:
        if VERIFYING in line:
            break
    killed = 0
    while not killed and running.poll() is None:
        below = [pid for pid in of_session(running.pid, victim) if pid != running.pid]
        for pid in below[:1]:
            os.kill(pid, signal.SIGKILL)
            killed = pid
    out, error = running.communicate(timeout=120)

    assert killed
    assert running.returncode in (0, 1, 2), error
    assert "Traceback" not in error
    assert "fault of pqa" not in error
    assert "could not" in out + error or "sandbox" in out + error
    assert of_session(running.pid) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "sigterm"])
def test_an_interrupt_in_the_tier_reduced_leaves_nothing_behind(project: Path, tmp_path: Path, number: int) -> None:
    rooms = tmp_path / "rooms"
    rooms.mkdir()
    without_bwrap = {**os.environ, "PATH": str(tmp_path), "TMPDIR": str(rooms)}
    running = subprocess.Popen(
        [*COMMAND[:2], AS_IF_REFUSED, *COMMAND[3:]],
        cwd=project,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=without_bwrap,
    )
    assert running.stderr is not None
    for line in running.stderr:
        if VERIFYING in line:
            break
    os.kill(running.pid, number)
    rest = running.stderr.read()
    if running.wait(60) == 3:
        pytest.skip(f"the tier 'reduced' cannot be had here: {rest}")
    assert running.returncode == 130, rest
    assert "Traceback" not in rest
    assert of_session(running.pid) == []
    assert [path.name for path in rooms.iterdir()] == []
    assert list(project.glob(".pqa/runs/*")) == []
