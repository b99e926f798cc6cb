"""Every hostile case has its right outcome on every tier, as root and as an ordinary user, and succeeds where nothing holds it.

`PQA_HOSTILE_DIR` names another folder of cases. By default: all cases on the tier `full` as whoever runs the tests, a
sample elsewhere; `make hostile` runs the whole matrix.
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pqa.sandbox import choose

HERE = Path(__file__).parent
CASES = sorted(Path(os.environ.get("PQA_HOSTILE_DIR") or HERE / "cases").glob("h[0-9][0-9]_*.py"))
ROOT = os.getuid() == 0
USER = 61_234
"""No account has it; it is made up for the test."""
DRIVEN = ("exec", "pytest", "oracle", "git", "static", "tree", "render", "trigger")
SAMPLE = ("h00", "h01", "h02", "h04", "h06", "h11", "h13", "h34", "h35", "h40", "h45")
CONTAINED = ("h01", "h02", "h03", "h04", "h09", "h11", "h34", "h35", "h40", "h43")
"""What a sandbox is for: these attacks succeed without one."""
SELF_PROTECTED = ("h34",)
"""The fork server is closed to its own user's processes, with or without a sandbox; only root gets in."""
POLLED = ("h09",)
"""The disk quota of the tier `reduced` is only looked at now and then."""

full, matrix = pytest.mark.hostile, pytest.mark.hostile_full


def kind(case: Path) -> str:
    """A case's kind, read and not run."""
    words = [line for line in case.read_text(encoding="utf-8").splitlines() if line.startswith("KIND")]
    return next((known for known in DRIVEN if words and f'"{known}"' in words[0]), "")


def chosen(wanted: Sequence[str] = ()) -> list[str]:
    return [str(case) for case in CASES if kind(case) and (not wanted or case.stem[:3] in wanted)]


@pytest.fixture
def area() -> Iterator[Path]:
    """A folder for temporary files that everybody may use; what is left in it afterwards is a fault."""
    folder = Path(tempfile.mkdtemp(prefix="room-"))
    folder.chmod(0o777)
    yield folder
    shutil.rmtree(folder, ignore_errors=True)


def as_user(area: Path) -> tuple[str, dict[str, Any]]:
    """The interpreter and how the driver is started as an ordinary user, or the test is skipped with the reason."""
    if not ROOT:
        pytest.skip("the tests are not run by root: the ordinary user is the one of the other tests")
    packages = [sysconfig.get_paths()["purelib"], str(HERE.parents[1] / "src")]
    environment = {"PATH": os.defpath, "HOME": str(area), "TMPDIR": str(area), "PYTHONPATH": os.pathsep.join(packages)}
    become: dict[str, Any] = {"env": environment, "user": USER, "group": USER, "extra_groups": [], "cwd": "/"}
    for python in (sys.executable, f"/usr/bin/python3.{sys.version_info.minor}"):
        with contextlib.suppress(OSError):
            if subprocess.run([python, "-c", "import pqa, pytest"], check=False, **become).returncode == 0:
                return python, become
    pytest.skip("an ordinary user can reach no interpreter of this version here")
    raise AssertionError


def drive(tier: str, files: list[str], area: Path, *, user: bool = False) -> dict[str, list[str]]:
    """What went wrong, by case."""
    if tier != "none":
        answers = list({"full": choose.full, "reduced": choose.reduced}[tier](os.environ))
        if not any(sandbox for sandbox, _, _ in answers):
            pytest.skip(f"the tier '{tier}' cannot be had here: {answers}")
    python, how = as_user(area) if user else (sys.executable, {"env": {**os.environ, "TMPDIR": str(area)}})
    how["env"]["PYTHONDONTWRITEBYTECODE"] = "1"
    command = [python, str(HERE / "drive.py"), tier, *files]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=900, **how)
    assert done.returncode == 0, done.stderr[-3000:]
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    assert len(answers) == len(files)
    return {answer["case"]: answer["bad"] for answer in answers}


def broken(faults: dict[str, list[str]]) -> dict[str, list[str]]:
    return {case: words for case, words in faults.items() if words}


@full
def test_full_holds_every_case(area: Path) -> None:
    assert broken(drive("full", chosen(), area)) == {}


@full
def test_reduced_holds_a_sample(area: Path) -> None:
    assert broken(drive("reduced", chosen(SAMPLE), area)) == {}


@full
@pytest.mark.parametrize("tier", ["full", "reduced"])
def test_a_sample_is_held_for_an_ordinary_user(tier: str, area: Path) -> None:
    assert broken(drive(tier, chosen(SAMPLE), area, user=True)) == {}


@full
def test_without_a_sandbox_the_attacks_succeed(area: Path) -> None:
    """The positive control: a check that holds here as well would show nothing."""
    cases = chosen(CONTAINED)
    held = [case for case, words in drive("none", cases, area).items() if not words]
    assert held == []


@matrix
@pytest.mark.parametrize("user", [False, True], ids=["as oneself", "as an ordinary user"])
@pytest.mark.parametrize("tier", ["full", "reduced"])
def test_every_case_is_held(tier: str, user: bool, area: Path) -> None:
    faults = broken(drive(tier, chosen(), area, user=user))
    allowed = POLLED if tier == "reduced" else ()
    assert {case: words for case, words in faults.items() if case[:3] not in allowed} == {}


@matrix
def test_the_attacks_succeed_for_an_ordinary_user_too(area: Path) -> None:
    held = [case for case, words in drive("none", chosen(CONTAINED), area, user=True).items() if not words]
    assert [case for case in held if case[:3] not in SELF_PROTECTED] == []


def test_every_case_says_what_holds_and_of_which_kind_it_is() -> None:
    nameless = [case.stem for case in CASES if "HOLDS:" not in case.read_text("utf-8").splitlines()[0]]
    assert nameless == []
    assert len(chosen()) >= 30
    assert sorted({case.stem for case in CASES} - {Path(name).stem for name in chosen()}) == ["h26_prompt_injection"]
