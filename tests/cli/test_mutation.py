"""`pqa attack PATH --attacks mutation` on one ordinary project: a page to act on, changed lines only, the common JSON."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = "import sys; from pqa.cli import main; sys.exit(main())"
CODE = "def is_adult(age):\n    return age >= 18\n\n\ndef double(n):\n    return n * 2\n"
TESTS = "from people.age import double, is_adult\n\n\ndef test_age():\n    assert is_adult(30) is True\n    assert is_adult(3) is False\n\n\ndef test_double():\n    assert double(4) == 8\n    assert double(5) == 10\n"


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def pqa(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", PROGRAM, "attack", ".", "--attacks", "mutation", *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=240)


@pytest.mark.slow
def test_src_layout_gets_a_page_with_the_missing_test(tmp_path: Path) -> None:
    write(tmp_path, {"src/people/__init__.py": "", "src/people/age.py": CODE, "tests/test_age.py": TESTS})

    run = pqa(tmp_path, "--budget", "100", "--mutants", "mutants.json")

    assert run.returncode == 0, run.stderr
    assert "    - return age >= 18\n    + return age > 18\n    an answer changes from True to False" in run.stdout
    assert "          assert is_adult(18) is True" in run.stdout
    document = json.loads((tmp_path / "mutants.json").read_text("utf-8"))
    assert list(document["files"]) == ["src/people/age.py"]
    assert not (tmp_path / ".pqa").exists()


@pytest.mark.slow
def test_since_leaves_out_what_was_there_before(tmp_path: Path) -> None:
    write(tmp_path, {"people/__init__.py": "", "people/age.py": CODE, "tests/test_age.py": TESTS})
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "init.defaultBranch=main"]
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "one"]):
        subprocess.run([*git, *words], cwd=tmp_path, check=True)
    (tmp_path / "people/age.py").write_text(CODE.replace("n * 2", "2 * n"), encoding="utf-8")

    run = pqa(tmp_path, "--since", "main", "--budget", "100")

    assert run.returncode == 0, run.stderr
    assert "people/age.py double()" in run.stdout
    assert "is_adult" not in run.stdout
    assert "small changes on lines changed since main were noticed (100 %)" in run.stdout.replace("\n", " ")


def test_red_suite_is_refused_with_the_next_step(tmp_path: Path) -> None:
    write(
        tmp_path,
        {"m.py": "def f():\n    return 1\n", "tests/test_m.py": "import m\n\ndef test_m():\n    assert m.f() == 2\n"},
    )

    run = pqa(tmp_path)

    assert run.returncode == 5
    assert (
        "small changes cannot be judged: the suite is not green on the unchanged code: tests/test_m.py::test_m"
        in run.stderr
    )
    assert "next: see that the suite is green: pqa verify" in run.stderr


def test_suite_that_cannot_be_collected_says_in_one_line_what_it_lacks(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "m.py": "def f():\n    return 1\n",
            "tests/test_m.py": "import nowhere\n\ndef test_m():\n    assert nowhere\n",
        },
    )

    run = pqa(tmp_path)

    assert run.returncode == 5
    assert run.stderr.splitlines()[-2:] == [
        "pqa: small changes cannot be judged: the suite is not green on the unchanged code: "
        "tests/test_m.py: ModuleNotFoundError: No module named 'nowhere'",
        "next: see that the suite is green: pqa verify",
    ]


def test_since_is_for_one_project_and_mutation_alone(tmp_path: Path) -> None:
    write(tmp_path, {"m.py": "def f():\n    return 1\n"})
    command = [sys.executable, "-c", PROGRAM, "attack", ".", "--since", "main"]
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60)

    assert run.returncode == 2
    assert "--since and --mutants are for one project and '--attacks mutation' alone" in run.stderr
