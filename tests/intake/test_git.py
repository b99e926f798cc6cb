"""A git ref is read as data: exact, bounded, without running anything that the repository names, and without a trace."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from pqa.core.errors import UsageError
from pqa.intake import Caps, find_refs, retake_ref, snapshot, take_base_or_ref, take_refs
from pqa.intake.git import GitStore
from pqa.intake.repository import Repository, find_repository

CODE = b"def solve(x):\n    return x + 1\n"
Git = Callable[..., str]


def run_git(folder: Path, *arguments: str, given: bytes = b"") -> str:
    identity = {
        "GIT_AUTHOR_NAME": "a",
        "GIT_AUTHOR_EMAIL": "a@b",
        "GIT_COMMITTER_NAME": "a",
        "GIT_COMMITTER_EMAIL": "a@b",
    }
    environment = {
        **os.environ, **identity, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(folder)
    }  # fmt: skip
    ended = subprocess.run(
        ["git", *arguments], cwd=folder, input=given, capture_output=True, env=environment, check=True
    )
    return ended.stdout.decode("utf-8", "surrogateescape").strip()


@pytest.fixture
def git(tmp_path) -> Git:
    """Git in the repository `tmp_path/repo`, which has the branches main and feature/a."""
    top = tmp_path / "repo"
    top.mkdir()
    run_git(top, "init", "-q", "-b", "main")
    (top / "solution.py").write_bytes(CODE)
    run_git(top, "add", ".")
    run_git(top, "commit", "-q", "-m", "one")
    run_git(top, "checkout", "-q", "-b", "feature/a")
    (top / "solution.py").write_bytes(CODE.replace(b"1", b"2"))
    (top / "run.sh").write_bytes(b"#!/bin/sh\n")
    (top / "run.sh").chmod(0o755)
    run_git(top, "add", ".")
    run_git(top, "commit", "-q", "-m", "two")
    run_git(top, "checkout", "-q", "main")
    return lambda *arguments, given=b"": run_git(top, *arguments, given=given)


@pytest.fixture
def top(git, tmp_path) -> Path:
    return tmp_path / "repo"


def take(top: Path, *names: str, caps: Caps | None = None):
    into = top.parent / "into"
    taken = take_refs(find_refs(names, project=top), project=top, into=into, caps=caps)
    assert [path.name for path in into.iterdir() if path.name.startswith(".")] == []
    return taken


def refused(top: Path, *names: str, caps: Caps | None = None) -> tuple[str, str]:
    with pytest.raises(UsageError) as caught:
        take(top, *names, caps=caps)
    into = top.parent / "into"
    assert not into.exists() or [path.name for path in into.iterdir() if path.name.startswith(".")] == []
    return caught.value.message, caught.value.next_step


def contents(branch) -> dict[str, bytes]:
    root = Path(branch.snapshot)
    return {str(path.relative_to(root)): path.read_bytes() for path in sorted(root.rglob("*")) if path.is_file()}


def blob(git: Git, data: bytes) -> str:
    return git("hash-object", "-w", "--stdin", given=data)


def tree(git: Git, *entries: tuple[str, str, bytes]) -> str:
    """A tree written byte by byte, with names that git itself would refuse."""
    raw = b"".join(mode.encode() + b" " + name + b"\0" + bytes.fromhex(sha) for mode, sha, name in entries)
    return git("hash-object", "-w", "-t", "tree", "--literally", "--stdin", given=raw)


def commit(git: Git, tree_sha: str, name: str) -> None:
    git("update-ref", f"refs/heads/{name}", git("commit-tree", tree_sha, "-m", "x"))


def fingerprint(folder: Path) -> dict[str, tuple[str, int]]:
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not path.is_symlink()]
    return {
        str(path.relative_to(folder)): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in files
    }


def test_a_ref_is_its_files_and_modes_under_the_digest_of_a_directory_with_the_same_files(top, tmp_path):
    branch = take(top, "feature/a")[0]
    root = Path(branch.snapshot)
    assert (branch.branch_id, branch.path, branch.source) == ("feature-a", f"{top}@feature/a", "ref")
    assert (branch.code, branch.skipped) == (("solution.py",), ())
    assert contents(branch) == {"run.sh": b"#!/bin/sh\n", "solution.py": CODE.replace(b"1", b"2")}
    modes = {name: (root / name).stat().st_mode & 0o777 for name in (".", "run.sh", "solution.py")}
    assert modes == {".": 0o555, "run.sh": 0o555, "solution.py": 0o444}
    run_git(top, "worktree", "add", "-q", str(tmp_path / "tree"), "feature/a")
    assert snapshot(tmp_path / "tree", tmp_path / "other").digest == branch.digest


def test_every_way_to_name_a_commit_leads_to_it(git, top):
    git("update-ref", "refs/remotes/origin/x", "feature/a")
    git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/x")
    git("tag", "-a", "v1", "-m", "annotated", "feature/a")
    sha = git("rev-parse", "feature/a")
    names = ["feature/a", "heads/feature/a", "refs/heads/feature/a", "origin/x", "origin", "v1", sha, sha[:9]]
    taken = take(top, *names)
    assert {branch.digest for branch in taken} == {taken[0].digest}
    ids = ["feature-a", "heads-feature-a", "feature-a-2", "origin-x", "origin", "v1", sha, sha[:9]]
    assert [branch.branch_id for branch in taken] == ids
    heads = take(top, "HEAD", "@", "main", "feature/a~1", "feature/a^")
    assert {branch.digest for branch in heads} == {heads[0].digest}
    assert heads[0].digest != taken[0].digest


def test_packed_refs_and_packed_objects_are_read_too(git, top):
    before = take(top, "feature/a")[0].digest
    git("gc", "-q", "--prune=now")
    git("pack-refs", "--all")
    assert not (top / ".git/refs/heads/feature/a").exists()
    assert take(top, "feature/a")[0].digest == before


def test_a_pattern_takes_each_branch_that_matches(git, top):
    for number in (2, 10):
        git("branch", f"try/{number}", "feature/a")
    assert [branch.branch_id for branch in take(top, "try/*")] == ["try-10", "try-2"]
    assert refused(top, "no/*")[0] == "the pattern 'no/*' matches no git branch; expected at least one"


def test_refs_with_one_id_and_reserved_ids_are_told_apart(git, top):
    git("branch", "feature-a", "main")
    git("branch", "base", "main")
    assert [ref.branch_id for ref in find_refs(["feature/a", "feature-a", "base"], project=top)] == [
        "feature-a", "feature-a-2", "base-2"
    ]  # fmt: skip
    assert find_refs(["main"], project=top, taken_ids=["main"])[0].branch_id == "main-2"


def test_a_ref_that_does_not_exist_is_refused_with_those_that_are_near(git, top):
    message = f"there is no ref 'featur/a' in '{top}'"
    assert refused(top, "featur/a") == (message, "did you mean 'feature/a'?")
    assert refused(top, "a") == (f"there is no ref 'a' in '{top}'", "did you mean 'feature/a'?")
    assert refused(top, "zzz")[1] == "its refs are 'feature/a', 'main'"
    assert refused(top, "0123456789")[0] == f"there is no ref '0123456789' in '{top}'"
    for strange in ("--upload-pack=touch x", "-x", "a..b", "main@{1}", "HEAD:solution.py", "main~x", "../../x", ""):
        assert refused(top, strange)[0] == f"there is no ref '{strange}' in '{top}'"


def test_a_name_that_is_a_tag_and_a_branch_must_be_written_in_full(git, top):
    git("tag", "twin", "main")
    git("branch", "twin", "feature/a")
    assert refused(top, "twin") == (
        "'twin' may be each of refs/tags/twin, refs/heads/twin", "name the one that is meant in full"
    )  # fmt: skip
    assert take(top, "refs/heads/twin")[0].digest == take(top, "feature/a")[0].digest


def test_a_folder_without_a_repository_is_refused(tmp_path):
    (tmp_path / "plain").mkdir()
    with pytest.raises(UsageError) as caught:
        find_refs(["main"], project=tmp_path / "plain")
    assert caught.value.message == f"'{tmp_path}/plain' lies in no git repository, so it has no refs"
    assert find_refs([], project=tmp_path / "plain") == []


def test_a_linked_worktree_and_a_subfolder_lead_to_the_same_repository(git, top, tmp_path):
    git("worktree", "add", "-q", str(tmp_path / "linked"), "feature/a")
    (tmp_path / "linked/sub").mkdir()
    found = find_repository(tmp_path / "linked/sub")
    assert found == Repository(tmp_path / "linked", top / ".git/worktrees/linked", top / ".git")
    head = find_refs(["HEAD"], project=tmp_path / "linked/sub")[0]
    assert head.sha == git("rev-parse", "feature/a")


@pytest.mark.parametrize(
    "git_file", [b"", b"gitdir: \n", b"gitdir: /nowhere\n", b"gitdir: .\n", b"\xff" * 9, b"gitdir: a\0b"]
)
def test_a_git_file_that_leads_nowhere_is_refused(tmp_path, git_file):
    (tmp_path / ".git").write_bytes(git_file)
    with pytest.raises(UsageError) as caught:
        find_repository(tmp_path)
    assert caught.value.message == f"'{tmp_path}/.git' leads to no git repository"


def test_links_among_the_refs_are_not_followed(git, top, tmp_path):
    sha = git("rev-parse", "feature/a")
    (tmp_path / "outside").write_text(f"{sha}\n")
    (top / ".git/refs/heads/link").symlink_to(tmp_path / "outside")
    os.mkfifo(top / ".git/refs/heads/pipe")
    (top / ".git/refs/heads/loop").symlink_to(top / ".git/refs/heads")
    (top / ".git/refs/heads/self").write_text("ref: refs/heads/self\n")
    for name in ("link", "pipe", "loop/main", "self"):
        assert refused(top, name)[0] == f"there is no ref '{name}' in '{top}'"


EVIL = """
[core]
\tfsmonitor = touch {marks}/fsmonitor
\thooksPath = {hooks}
\tpager = touch {marks}/pager
\tsshCommand = touch {marks}/ssh
\talternateRefsCommand = touch {marks}/alternates
\tworktree = {marks}
[include]
\tpath = {hooks}/included
[filter "evil"]
\tclean = touch {marks}/clean; cat
\tsmudge = touch {marks}/smudge; cat
\tprocess = touch {marks}/process
\trequired = true
[diff "evil"]
\ttextconv = touch {marks}/textconv; cat
\tcommand = touch {marks}/command
[diff]
\texternal = touch {marks}/external
[remote "origin"]
\turl = ext::sh -c "touch% {marks}/remote"
\tpromisor = true
\tpartialclonefilter = blob:none
[protocol]
\tallow = always
[alias]
\tls-tree = !touch {marks}/alias
[extensions]
\tpartialClone = origin
"""


@pytest.fixture
def trap(git, top, tmp_path) -> Path:
    """The repository names a program wherever git lets it; each leaves a mark in the folder that is returned."""
    marks, hooks = tmp_path / "marks", tmp_path / "hooks"
    marks.mkdir()
    hooks.mkdir()
    git("checkout", "-q", "feature/a")
    (top / ".gitattributes").write_text("*.py filter=evil diff=evil export-subst ident text eol=crlf\n")
    (top / "solution.py").write_bytes(b"# $Id$ $Format:%H$\ndef solve(x):\n    return x + 2\n")
    git("add", ".")
    git("commit", "-q", "-m", "three")
    for folder in (hooks, top / ".git/hooks"):
        for name in ("post-checkout", "pre-commit", "post-index-change", "reference-transaction", "fsmonitor-watchman"):
            folder.mkdir(exist_ok=True)
            (folder / name).write_text(f"#!/bin/sh\ntouch {marks}/hook\n")
            (folder / name).chmod(0o755)
    (top / ".git/info").mkdir(exist_ok=True)
    (top / ".git/info/attributes").write_text("* filter=evil diff=evil\n")
    config = (top / ".git/config").read_text() + EVIL.format(marks=marks, hooks=hooks).replace(
        f"\tworktree = {marks}\n", ""
    )
    (top / ".git/config").write_text(config)
    (top / "solution.py").touch()
    return marks


@pytest.mark.hostile
def test_nothing_that_the_repository_names_runs(git, top, trap, monkeypatch):
    subprocess.run(["git", "status"], cwd=top, capture_output=True, check=False)
    assert {path.name for path in trap.iterdir()} >= {"fsmonitor"}, "the control: plain git does run it"
    for mark in trap.iterdir():
        mark.unlink()
    for name in ("GIT_EXTERNAL_DIFF", "GIT_SSH_COMMAND", "GIT_PAGER", "GIT_ASKPASS", "GIT_EDITOR", "GIT_PROXY_COMMAND"):
        monkeypatch.setenv(name, f"touch {trap}/environment")
    monkeypatch.setenv("GIT_DIR", str(top / ".git"))
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", f"'core.fsmonitor=touch {trap}/parameters'")
    before = fingerprint(top)
    branch = take(top, "feature/a")[0]
    take_base_or_ref("main", project=top, into=top.parent / "base")
    assert list(trap.iterdir()) == []
    assert fingerprint(top) == before
    assert contents(branch)["solution.py"] == b"# $Id$ $Format:%H$\ndef solve(x):\n    return x + 2\n"


def test_index_head_stash_and_worktree_stay_byte_for_byte(git, top):
    (top / "solution.py").write_bytes(b"half done\n")
    git("stash", "-q")
    (top / "solution.py").write_bytes(b"staged\n")
    git("add", ".")
    (top / "untracked.py").write_bytes(b"x\n")
    before = fingerprint(top)
    take(top, "feature/a", "HEAD")
    assert fingerprint(top) == before
    assert (top / ".git/worktrees").exists() is False


def test_links_and_submodules_are_listed_and_not_followed(git, top):
    link = blob(git, b"/etc/passwd")
    entries = [("100644", blob(git, CODE), b"code.py"), ("120000", link, b"link.py"), ("160000", "1" * 40, b"module")]
    commit(git, tree(git, *entries), "links")
    branch = take(top, "links")[0]
    assert contents(branch) == {"code.py": CODE}
    assert branch.skipped == ("link.py: a symbolic link, not followed", "module: a submodule, not followed")


def test_names_that_lead_elsewhere_or_collide_are_left_out_and_said(git, top, tmp_path):
    code = blob(git, CODE)
    names = [
        b"../up.py",
        b"/abs.py",
        b"a//b.py",
        b"./dot.py",
        b"code.py",
        b"code.py",
        b"code.py/under.py",
        b"x/../../y.py",
    ]
    commit(git, tree(git, *(("100644", code, name) for name in names)), "names")
    branch = take(top, "names")[0]
    assert contents(branch) == {"code.py": CODE}
    assert branch.skipped == (
        "../up.py: no path inside the tree",
        "./dot.py: no path inside the tree",
        "/abs.py: no path inside the tree",
        "a//b.py: no path inside the tree",
        "code.py/under.py: its name is taken by another entry",
        "code.py: its name is taken by another entry",
        "x/../../y.py: no path inside the tree",
    )
    assert not (tmp_path / "up.py").exists()


def test_weird_names_are_kept_and_those_that_are_not_utf_8_are_said(git, top):
    code = blob(git, CODE)
    names = [b"-rf.py", b"a\nb.py", b"a\tb.py", "naïve \u202e.py".encode(), b'"quoted".py', b"\xff.py", b"code.py"]
    commit(git, tree(git, *(("100644", code, name) for name in names)), "weird")
    branch = take(top, "weird")[0]
    assert sorted(contents(branch)) == sorted(
        ["-rf.py", "a\nb.py", "a\tb.py", "naïve \u202e.py", '"quoted".py', "code.py"]
    )
    assert branch.skipped == ("\\udcff.py: its name is not UTF-8",)


def test_caches_and_pqa_folders_are_left_out_as_in_a_directory(git, top):
    for name in ("__pycache__/code.pyc", "node_modules/x.py", ".pqa/task.md", "gen/one.py", "gen/two.py", "code.py"):
        (top / name).parent.mkdir(exist_ok=True)
        (top / name).write_bytes(CODE)
    git("add", "-f", ".")
    git("commit", "-q", "-m", "more")
    caps = Caps(exclude=("gen",))
    branch = take(top, "main", caps=caps)[0]
    copy = snapshot(top, top.parent / "other", caps)
    assert (branch.digest, branch.skipped) == (copy.digest, copy.skipped)
    assert branch.skipped == (".pqa: never read from a branch", "gen: excluded by the configuration")


def test_a_huge_blob_is_refused_before_it_is_written(git, top):
    commit(
        git,
        tree(git, ("100644", blob(git, CODE), b"code.py"), ("100644", blob(git, b"0" * (9 << 20)), b"huge.bin")),
        "huge",
    )
    message, next_step = refused(top, "huge")
    assert message == f"'{top}@huge' holds a file of more than 8 MiB: 'huge.bin'"
    assert next_step == 'move it out of the branch, or leave it out in pqa.toml: exclude = ["huge.bin"]'
    assert sorted(contents(take(top, "huge", caps=Caps(exclude=("*.bin",)))[0])) == ["code.py"]


def test_a_tree_that_multiplies_itself_is_refused(git, top):
    inner = tree(git, *(("100644", blob(git, CODE), b"%d.py" % number) for number in range(10)))
    for _ in range(9):
        inner = tree(git, *(("40000", inner, b"%d" % number) for number in range(10)))
    commit(git, inner, "bomb")
    assert refused(top, "bomb")[0].startswith(f"'{top}@bomb' holds more than 20,000 files and folders, at ")


@pytest.mark.parametrize(
    ("caps", "message"),
    [
        (Caps(total_bytes=10), "holds more than 10 bytes in all, at 'run.sh'"),
        (Caps(entries=1), "holds more than 1 files and folders, at '.'"),
        (Caps(path_bytes=6), "holds a path longer than 6 bytes: 'solution.py'"),
        (Caps(depth=0), "nests folders deeper than 0 levels, at ''"),
    ],
)
def test_the_caps_of_a_directory_hold_for_a_ref(top, caps, message):
    expected = message if caps.total_bytes != 10 else "holds more than 10 bytes in all, at 'solution.py'"
    assert refused(top, "feature/a", caps=caps)[0] == f"'{top}@feature/a' {expected}"


def test_a_missing_blob_is_an_error_and_never_an_empty_file(git, top):
    sha = git("rev-parse", "feature/a:solution.py")
    (top / f".git/objects/{sha[:2]}/{sha[2:]}").unlink()
    assert refused(top, "feature/a") == (
        f"'{top}@feature/a' cannot be read: 'solution.py' is not among the objects of the repository",
        "run 'git fsck' there, or name a directory",
    )


def test_a_broken_blob_is_an_error(git, top):
    sha = git("rev-parse", "feature/a:solution.py")
    path = top / f".git/objects/{sha[:2]}/{sha[2:]}"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes()[:-12])
    assert refused(top, "feature/a")[0].startswith(f"'{top}@feature/a' cannot be read: ")


def test_objects_borrowed_from_another_repository_are_found(git, top, tmp_path):
    run_git(tmp_path, "clone", "-q", "--shared", str(top), 'it\'s "shared"\n')
    shared = tmp_path / 'it\'s "shared"\n'
    assert take(shared, "origin/feature/a")[0].digest == take(top, "feature/a")[0].digest


def test_a_repository_of_sha_256_is_read(tmp_path):
    top = tmp_path / "repo"
    top.mkdir()
    run_git(top, "init", "-q", "-b", "main", "--object-format=sha256")
    (top / "code.py").write_bytes(CODE)
    run_git(top, "add", ".")
    run_git(top, "commit", "-q", "-m", "one")
    assert contents(take(top, "main")[0]) == {"code.py": CODE}


def test_the_base_may_be_a_ref_but_a_path_of_that_name_comes_first(git, top, tmp_path):
    into = tmp_path / "into"
    base = take_base_or_ref("main", project=top, into=into)
    assert (base.branch_id, base.path, base.source, base.code) == ("base", f"{top}@main", "ref", ("solution.py",))
    (top / "main").mkdir()
    (top / "main/test_old.py").write_text("")
    folder = take_base_or_ref("main", project=top, into=into)
    assert (folder.path, folder.source, folder.tests) == (f"{top}/main", "dir", ("test_old.py",))
    with pytest.raises(UsageError) as caught:
        take_base_or_ref("mian", project=top, into=into)
    assert caught.value.message == f"--base 'mian' is neither a file, a folder nor a ref of '{top}'"
    assert caught.value.next_step == "did you mean 'main'?"


def test_a_ref_of_an_earlier_run_is_taken_again_and_shows_that_it_moved(git, top, tmp_path):
    branch = take(top, "feature/a")[0]
    assert retake_ref(branch, into=tmp_path / "again").digest == branch.digest
    git("branch", "-f", "feature/a", "main")
    assert retake_ref(branch, into=tmp_path / "again").digest != branch.digest


def test_the_last_common_commit_of_branches_is_their_base(git, top, tmp_path):
    git("branch", "feature/b", "feature/a~1")
    with GitStore(find_repository(top), tmp_path / "into") as store:
        commits = [git("rev-parse", name) for name in ("feature/a", "feature/b")]
        assert store.common_ancestor(commits) == git("rev-parse", "main")
        folder = store.folder
    assert not folder.exists()


def test_a_linked_git_folder_and_a_reftable_are_refused_with_what_to_do(git, top, tmp_path):
    (tmp_path / "other").mkdir()
    (tmp_path / "other/.git").symlink_to(top / ".git")
    with pytest.raises(UsageError) as caught:
        find_refs(["main"], project=tmp_path / "other")
    assert caught.value.message == f"'{tmp_path}/other/.git' is a symbolic link, which pqa does not follow"
    assert caught.value.next_step == f"start pqa in '{top}'"
    (top / ".git/reftable").mkdir()
    message = f"'{top}' keeps its refs as a reftable, which pqa does not read"
    assert refused(top, "main") == (message, "name a commit by its sha, or a directory")
