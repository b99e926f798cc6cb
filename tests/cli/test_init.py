"""`pqa init`: what it writes, what it leaves alone, what it finds, and the exact next command."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from pqa import cli

TEMPLATE = """\
---
mode: build
# base: REF, the commit that all candidates started from
---

<!-- Put here what was asked, in the words that the authors of the branches were given; examples are run. -->
"""


@pytest.fixture
def top(project, monkeypatch) -> Path:
    """The project, with a home folder of its own."""
    monkeypatch.setenv("HOME", str(project / "home"))
    return project


def run_git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *identity, *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, env=environment, check=True, text=True
    ).stdout.strip()


def attempts(top: Path, *names: str) -> str:
    """A repository in which each of these git branches changes the code; the commit that they come from is returned."""
    run_git(top, "init", "-q", "-b", "main")
    (top / "code.py").write_text("x = 0\n")
    run_git(top, "add", "code.py")
    run_git(top, "commit", "-q", "-m", "base")
    for name in names:
        run_git(top, "checkout", "-q", "-b", name, "main")
        (top / "code.py").write_text(f"x = '{name}'\n")
        run_git(top, "commit", "-q", "-a", "-m", name)
    run_git(top, "checkout", "-q", "main")
    return run_git(top, "rev-parse", "main")


def files(top: Path) -> dict[str, str]:
    return {
        str(path.relative_to(top)): path.read_text() for path in sorted((top / ".pqa").rglob("*")) if path.is_file()
    }


def test_an_empty_project_gets_a_template_and_is_told_where_candidates_go(top, capsys):
    assert cli.run(["init"]) == 0
    assert capsys.readouterr() == (
        "written   .pqa/task.md\n"
        "written   .pqa/.gitignore\n"
        "\n"
        "No candidates found\n"
        "\n"
        "next: write what was asked into .pqa/task.md, put each candidate into .pqa/branches/NAME/, then\n"
        "  pqa collide\n",
        "",
    )
    assert files(top) == {".pqa/.gitignore": "runs/\nledger.db*\n", ".pqa/task.md": TEMPLATE}


def test_branches_in_the_default_folder_are_offered_first(top, capsys):
    for name in ("b10", "b2", ".hidden"):
        (top / ".pqa/branches" / name).mkdir(parents=True)
    attempts(top, "attempt-1", "attempt-2")
    assert cli.run(["init", "--task", "Sort it."]) == 0
    assert capsys.readouterr().out == (
        "written   .pqa/task.md\n"
        "written   .pqa/.gitignore\n"
        "\n"
        "Candidates\n"
        "  branch    .pqa/branches/b2\n"
        "  branch    .pqa/branches/b10\n"
        "  ref       attempt-1\n"
        "  ref       attempt-2\n"
        "\n"
        "next:\n"
        "  pqa collide\n"
    )
    assert files(top)[".pqa/task.md"] == (
        "---\nmode: build\n# base: REF, the commit that all candidates started from\n---\n\nSort it.\n"
    )


def test_parallel_git_branches_become_the_command_and_their_origin_the_base(top, capsys):
    base = attempts(top, "attempt/1", "attempt/2", "feature/login")
    assert cli.run(["init", "--json", "-"]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    assert json.loads(output) == {
        "schema": "pqa.init/1",
        "project": str(top),
        "task": {"path": ".pqa/task.md", "state": "written", "has_text": False},
        "gitignore": {"path": ".pqa/.gitignore", "state": "written"},
        "branches": [],
        "worktrees": [],
        "refs": ["attempt/1", "attempt/2"],
        "base": base,
        "next": "pqa collide --refs attempt/1 --refs attempt/2",
    }
    assert files(top)[".pqa/task.md"].startswith(f"---\nmode: build\nbase: {base}\n---\n")


def test_worktrees_become_the_command_and_their_git_branches_are_not_said_twice(top, capsys):
    base = attempts(top, "attempt-1", "attempt-2")
    for number in (1, 2):
        run_git(top, "worktree", "add", "-q", f".claude/worktrees/w{number}", f"attempt-{number}")
    assert cli.run(["init", "--json", "found.json"]) == 0
    document = json.loads((top / "found.json").read_text())
    assert (document["worktrees"], document["refs"], document["base"], document["next"]) == (
        [
            {"path": ".claude/worktrees/w1", "ref": "attempt-1"},
            {"path": ".claude/worktrees/w2", "ref": "attempt-2"},
        ],
        [],
        base,
        "pqa collide .claude/worktrees/w1 .claude/worktrees/w2",
    )
    assert "  worktree  .claude/worktrees/w1  attempt-1\n" in capsys.readouterr().out


def test_a_second_time_changes_nothing(top, capsys):
    assert cli.run(["init", "--task", "Sort it."]) == 0
    before = files(top)
    assert cli.run(["init"]) == 0
    assert cli.run(["init", "--task", "Sort it."]) == 0
    assert files(top) == before
    assert capsys.readouterr().out.count("kept      .pqa/task.md\nkept      .pqa/.gitignore\n") == 2


def test_another_task_is_refused_and_not_written(top, capsys):
    assert cli.run(["init", "--task", "Sort it."]) == 0
    before = files(top)
    capsys.readouterr()
    assert cli.run(["init", "--task", "Shuffle it."]) == 2
    message = f"pqa: '{top}/.pqa/task.md' exists already and says something else; it was not changed\nnext: edit it\n"
    assert capsys.readouterr() == ("", message)
    assert files(top) == before


def test_lines_of_an_ignore_file_are_kept_and_missing_ones_added(top, capsys):
    (top / ".pqa").mkdir()
    (top / ".pqa/.gitignore").write_text("secret\nruns/")
    assert cli.run(["init"]) == 0
    assert "extended  .pqa/.gitignore\n" in capsys.readouterr().out
    assert (top / ".pqa/.gitignore").read_text() == "secret\nruns/\nledger.db*\n"


def test_a_task_in_decide_mode_leads_to_judge(top, capsys):
    (top / ".pqa").mkdir()
    (top / ".pqa/task.md").write_text("---\nmode: decide\n---\nWhich store?\n")
    assert cli.run(["init"]) == 0
    assert capsys.readouterr().out.endswith("\nnext:\n  pqa judge\n")


def test_a_linked_pqa_folder_is_refused(top, capsys, tmp_path_factory):
    (top / ".pqa").symlink_to(tmp_path_factory.mktemp("other"))
    assert cli.run(["init"]) == 2
    message = f"pqa: '{top}/.pqa' is no folder of its own; expected a folder or nothing\nnext: remove it\n"
    assert capsys.readouterr() == ("", message)


def test_help_shows_examples(top, capsys):
    assert cli.run(["init", "--help"]) == 0
    assert "\n  Examples:\n    pqa init" in capsys.readouterr().out
