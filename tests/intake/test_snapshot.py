"""The snapshot is exact, read-only, bounded, and follows nothing."""

from __future__ import annotations

import hashlib
import os
import socket
import stat
from pathlib import Path

import pytest

from pqa.core.errors import UsageError
from pqa.intake import Caps, discard, snapshot


def refused(path: Path, into: Path, caps: Caps | None = None) -> UsageError:
    with pytest.raises(UsageError) as caught:
        snapshot(path, into, caps)
    return caught.value


@pytest.fixture
def tree(tmp_path):
    root = tmp_path / "b0"
    (root / "pkg").mkdir(parents=True)
    (root / "pkg/code.py").write_bytes(b"x = 1\n")
    (root / "run.sh").write_bytes(b"#!/bin/sh\n")
    (root / "run.sh").chmod(0o755)
    return root


def test_the_copy_holds_the_same_bytes_under_the_digest_of_paths_and_contents(tree, tmp_path):
    copy = snapshot(tree, tmp_path / "into")
    contents = {"pkg/code.py": b"x = 1\n", "run.sh": b"#!/bin/sh\n"}
    lines = [f"{path}\0{hashlib.sha256(data).hexdigest()}\n" for path, data in sorted(contents.items())]
    digest = hashlib.sha256("".join(lines).encode()).hexdigest()
    assert (copy.digest, copy.path, copy.files, copy.skipped) == (
        f"sha256:{digest}",
        tmp_path / "into" / digest,
        ("pkg/code.py", "run.sh"),
        (),
    )
    assert {path: (copy.path / path).read_bytes() for path in copy.files} == contents
    assert [entry.name for entry in (tmp_path / "into").iterdir()] == [digest]


def test_the_copy_is_read_only_and_can_be_discarded(tree, tmp_path):
    copy = snapshot(tree, tmp_path / "into")
    modes = {path: stat.S_IMODE((copy.path / path).stat().st_mode) for path in (".", "pkg", "pkg/code.py", "run.sh")}
    assert modes == {".": 0o555, "pkg": 0o555, "pkg/code.py": 0o444, "run.sh": 0o555}
    discard(tmp_path / "into")
    assert not (tmp_path / "into").exists()
    assert (tree / "run.sh").exists()


def test_the_same_tree_elsewhere_has_the_same_digest_and_one_changed_byte_another(tree, tmp_path):
    first = snapshot(tree, tmp_path / "into")
    again = snapshot(tree, tmp_path / "into")
    (tree / "pkg/code.py").write_bytes(b"x = 2\n")
    other = snapshot(tree, tmp_path / "into")
    assert first == again
    assert first.digest != other.digest


def test_links_pipes_sockets_and_devices_are_listed_and_not_followed(tree, tmp_path, monkeypatch):
    (tmp_path / "secret").write_text("secret")
    (tree / "link").symlink_to(tmp_path / "secret")
    (tree / "loop").symlink_to(".")
    (tree / "up").symlink_to("..")
    os.mkfifo(tree / "pipe")
    skipped = [
        "link: a symbolic link, not followed",
        "loop: a symbolic link, not followed",
        "pipe: a named pipe, not followed",
        "socket: a socket, not followed",
        "up: a symbolic link, not followed",
    ]
    try:
        os.mknod(tree / "device", stat.S_IFCHR | 0o666, os.makedev(1, 5))
        skipped.insert(0, "device: a device, not followed")
    except PermissionError:
        pass
    with socket.socket(socket.AF_UNIX) as server:
        monkeypatch.chdir(tree)
        server.bind("socket")
        copy = snapshot(tree, tmp_path / "into")
    assert copy.skipped == tuple(skipped)
    assert copy.files == ("pkg/code.py", "run.sh")


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_cannot_be_read_is_listed(tree, tmp_path):
    (tree / "shut.py").write_text("x")
    (tree / "shut.py").chmod(0)
    assert snapshot(tree, tmp_path / "into").skipped == ("shut.py: cannot be read (Permission denied)",)


def test_repositories_environments_caches_and_compiled_files_stay_behind(tree, tmp_path):
    names = [
        ".git",
        ".hg",
        ".venv",
        "venv",
        "node_modules",
        "__pycache__",
        ".tox",
        ".mypy_cache",
        ".ruff_cache",
        ".pytest_cache",
    ]
    for name in names:
        (tree / "pkg" / name).mkdir()
        (tree / "pkg" / name / "code.py").write_text("x")
    (tree / "old.pyc").write_bytes(b"x")
    (tree / ".pqa/branches").mkdir(parents=True)
    copy = snapshot(tree, tmp_path / "into")
    assert copy.files == ("pkg/code.py", "run.sh")
    assert copy.skipped == (".pqa: never read from a branch",)


def test_what_the_configuration_excludes_is_listed(tree, tmp_path):
    (tree / "data").mkdir()
    (tree / "data/big.bin").write_bytes(b"x" * 100)
    copy = snapshot(tree, tmp_path / "into", Caps(file_bytes=50, exclude=("data",)))
    assert copy.skipped == ("data: excluded by the configuration",)


def test_names_with_control_characters_are_copied_and_those_that_are_not_utf8_are_listed(tree, tmp_path):
    (tree / "\x1b[31mred\n.txt").write_text("x")
    Path(os.fsdecode(os.fsencode(tree) + b"/bad\xff.py")).write_text("x")
    copy = snapshot(tree, tmp_path / "into")
    assert copy.files == ("\x1b[31mred\n.txt", "pkg/code.py", "run.sh")
    assert copy.skipped == ("bad\\udcff.py: its name is not UTF-8",)


def test_a_tree_5000_folders_deep_is_refused_quickly(tree, tmp_path):
    here = os.open(tree, os.O_RDONLY)
    for _ in range(5000):
        os.mkdir("d", dir_fd=here)
        below = os.open("d", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = below
    os.close(here)
    error = refused(tree, tmp_path / "into")
    deepest = "/".join(["d"] * 40)
    assert error.message == f"'{tree}' nests folders deeper than 40 levels, at '{deepest}'"
    assert error.next_step == 'move it out of the branch, or leave it out in pqa.toml: exclude = ["d"]'
    assert list((tmp_path / "into").iterdir()) == []
    _remove_deep(tree)


def _remove_deep(tree: Path) -> None:
    """Moves the chain up, level by level: the usual removal recurses."""
    while (tree / "d/d").exists():
        (tree / "d/d").rename(tree / "next")
        (tree / "d").rmdir()
        (tree / "next").rename(tree / "d")


@pytest.mark.parametrize(
    ("caps", "message"),
    [
        (Caps(file_bytes=8), "holds a file of more than 8 bytes: 'run.sh'"),
        (Caps(total_bytes=10), "holds more than 10 bytes in all, at 'run.sh'"),
        (Caps(entries=2), "holds more than 2 files and folders, at 'pkg'"),
        (Caps(path_bytes=8), "holds a path longer than 8 bytes: 'pkg/code.py'"),
    ],
)
def test_each_cap_names_what_breaks_it(tree, tmp_path, caps, message):
    error = refused(tree, tmp_path / "into", caps)
    assert error.message == f"'{tree}' {message}"
    assert list((tmp_path / "into").iterdir()) == []


def test_a_tree_at_its_caps_is_taken(tree, tmp_path):
    caps = Caps(file_bytes=10, total_bytes=16, entries=3, depth=2, path_bytes=11)
    assert snapshot(tree, tmp_path / "into", caps).files == ("pkg/code.py", "run.sh")


def test_a_single_file_is_a_tree_of_one(tree, tmp_path):
    assert snapshot(tree / "run.sh", tmp_path / "into").files == ("run.sh",)


def test_a_pipe_in_place_of_the_tree_does_not_block(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    error = refused(tmp_path / "pipe", tmp_path / "into")
    assert error.message == f"'{tmp_path}/pipe' is neither a directory nor a regular file"


def test_a_link_in_place_of_the_tree_is_not_followed(tree, tmp_path):
    (tmp_path / "link").symlink_to(tree)
    assert refused(tmp_path / "link", tmp_path / "into").message.startswith(f"'{tmp_path}/link' cannot be read: ")
