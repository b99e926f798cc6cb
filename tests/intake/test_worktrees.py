"""Worktrees are found in git's records and where agent tools put theirs; candidates are directories and refs together."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from pqa.core.errors import NothingToAttack, UsageError
from pqa.intake import Worktree, find_candidates, find_worktrees, take_branches, take_candidates
from pqa.intake.attempts import find_attempts, parallel_refs


def run_git(folder: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *identity, *arguments]
    return subprocess.run(
        command, cwd=folder, capture_output=True, env=environment, check=True, text=True
    ).stdout.strip()


@pytest.fixture
def top(tmp_path) -> Path:
    top = tmp_path / "repo"
    top.mkdir()
    run_git(top, "init", "-q", "-b", "main")
    (top / "code.py").write_text("x = 1\n")
    run_git(top, "add", ".")
    run_git(top, "commit", "-q", "-m", "one")
    return top


def add(top: Path, path: str, branch: str) -> Path:
    run_git(top, "worktree", "add", "-q", str(top / path), "-b", branch)
    return Path(os.path.normpath(top / path))


def test_worktrees_are_those_that_git_records_but_the_one_at_hand(top):
    inside = add(top, ".claude/worktrees/one", "worktree-one")
    beside = add(top, "../far", "far")
    run_git(beside, "checkout", "-q", "--detach")
    sha = run_git(top, "rev-parse", "main")
    assert find_worktrees(top) == [Worktree(beside, sha), Worktree(inside, "worktree-one")]
    assert find_worktrees(beside) == [Worktree(inside, "worktree-one")]


def test_records_of_what_is_gone_or_belongs_elsewhere_are_left_out(top, tmp_path):
    add(top, "../far", "far").rename(tmp_path / "moved")
    stranger = tmp_path / "stranger"
    stranger.mkdir()
    (stranger / ".git").write_text(f"gitdir: {tmp_path}/elsewhere/.git/worktrees/x\n")
    record = top / ".git/worktrees/forged"
    record.mkdir()
    (record / "gitdir").write_text(f"{stranger}/.git\n")
    assert find_worktrees(top) == []


def test_a_moved_worktree_is_found_where_agent_tools_put_theirs(top, tmp_path):
    places = {
        "one": top / ".worktrees/one",
        "two": tmp_path / "repo-worktrees/two",
        "three": tmp_path / "home/.cursor/worktrees/repo/three",
        "four": tmp_path / "home/.codex/worktrees/9ee2/repo",
    }
    for name, place in places.items():
        worktree = add(top, f"../{name}", name)
        place.parent.mkdir(parents=True)
        worktree.rename(place)
    (tmp_path / "home/.codex/worktrees/aaaa/repo").mkdir(parents=True)
    found = find_worktrees(top, home=tmp_path / "home")
    assert {worktree.ref: worktree.path for worktree in found} == places


def test_a_clone_inside_the_usual_places_counts_and_a_plain_folder_does_not(top):
    (top / ".worktrees/plain").mkdir(parents=True)
    run_git(top, "clone", "-q", ".", ".worktrees/clone")
    assert find_worktrees(top) == [Worktree(top / ".worktrees/clone", "main")]


def test_a_worktree_given_as_a_branch_is_a_directory_whose_git_file_nobody_reads(top, tmp_path):
    worktree = add(top, "../one", "one")
    (worktree / ".git").write_text("gitdir: /nowhere\n")
    branches = take_branches([("one", worktree), ("repo", top)], into=tmp_path / "into")
    assert [(branch.source, branch.path, branch.code) for branch in branches] == [
        ("worktree", str(worktree), ("code.py",)),
        ("dir", str(top), ("code.py",)),
    ]


def test_directories_and_refs_are_judged_together_in_natural_order(top, tmp_path):
    for name in ("b10", "b2"):
        run_git(top, "branch", name)
    (top / "b1").mkdir()
    (top / "b1/code.py").write_text("x = 3\n")
    found = find_candidates(["b1", "b2"], ["b10"], project=top)
    taken = take_candidates(found, project=top, into=tmp_path / "into")
    assert [(branch.branch_id, branch.source) for branch in taken] == [("b1", "dir"), ("b2", "ref"), ("b10", "ref")]


def test_refs_alone_do_not_bring_in_the_default_folder(top):
    (top / ".pqa/branches/b0").mkdir(parents=True)
    (top / ".pqa/branches/b0/code.py").write_text("")
    found = find_candidates([], ["main"], project=top)
    assert ([ref.name for ref in found.refs], found.directories) == (["main"], ())


def test_a_bare_word_is_a_ref_only_after_the_flag(top):
    with pytest.raises(UsageError) as caught:
        find_candidates(["main"], [], project=top)
    assert caught.value.message == "branch 'main' does not exist; expected a directory"


def test_a_ref_without_code_is_refused(top, tmp_path):
    run_git(top, "mv", "code.py", "test_code.py")
    run_git(top, "commit", "-q", "-m", "two")
    with pytest.raises(NothingToAttack) as caught:
        take_candidates(find_candidates([], ["main"], project=top), project=top, into=tmp_path / "into")
    assert caught.value.message == f"branch 'main' in '{top}@main' holds no Python code outside its tests"


def test_parallel_refs_are_named_for_a_try_or_an_agent_or_come_in_numbers():
    attempts = [
        "attempt/1",
        "attempts/x",
        "claude/fix",
        "codex/a",
        "limiter-1",
        "limiter-2",
        "limiter-10",
        "idea_a",
        "idea_b",
    ]
    others = ["main", "release-1", "release-2", "fix-1", "feature/login", "agenda", "retry"]
    refs = {f"refs/heads/{name}": "0" * 40 for name in [*attempts, *others, "worktree-here"]}
    refs["refs/remotes/origin/attempt-9"] = "0" * 40
    found = parallel_refs(refs, {"worktree-here"})
    assert sorted(found) == sorted(attempts)
    assert found.index("limiter-2") < found.index("limiter-10")


def test_worktrees_are_offered_with_the_commit_that_they_come_from(top, tmp_path):
    base = run_git(top, "rev-parse", "main")
    for name in ("one", "two it"):
        worktree = add(top, f".worktrees/{name}", f"worktree-{name[:3]}")
        (worktree / "code.py").write_text(f"x = '{name}'\n")
        run_git(worktree, "commit", "-q", "-a", "-m", name)
    found = find_attempts(top, home=None, into=tmp_path / "into")
    assert (found.base, found.command) == (base, "pqa collide .worktrees/one '.worktrees/two it'")
    assert list((tmp_path / "into").iterdir()) == []
