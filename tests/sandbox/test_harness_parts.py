"""The parts of the fork server that can be tried without a sandbox."""

from __future__ import annotations

import importlib.util
import struct
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

HARNESS = Path(__file__).parents[2] / "src" / "pqa" / "harness"


def load(name: str) -> ModuleType:
    """A harness module by its path, as nobody imports it by name."""
    spec = importlib.util.spec_from_file_location(f"harness_{name}", HARNESS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def decide(program: bytes, number: int, architecture: int, arguments: tuple[int, ...] = ()) -> int:
    """A small machine for the filter program: what it answers to one system call."""
    data = struct.pack("<IIQ6Q", number, architecture, 0, *(*arguments, *[0] * (6 - len(arguments))))
    lines = [struct.unpack_from("=HBBI", program, 8 * at) for at in range(len(program) // 8)]
    at, accumulator = 0, 0
    while True:
        code, yes, no, value = lines[at]
        at += 1
        if code == 0x20:
            accumulator = struct.unpack_from("<I", data, value)[0]
        elif code == 0x06:
            return int(value)
        else:
            holds = {0x15: accumulator == value, 0x35: accumulator >= value, 0x45: bool(accumulator & value)}[code]
            at += yes if holds else no


ALLOW, EPERM, ENOSYS, KILL = 0x7FFF0000, 0x50001, 0x50026, 0x80000000
X86, ARM = ("x86_64", 0xC000003E), ("aarch64", 0xC00000B7)


@pytest.mark.parametrize(
    ("machine", "number", "arguments", "answer"),
    [
        *[(X86, number, (), ALLOW) for number in (0, 1, 9, 57, 59, 60, 202, 257, 319)],
        *[(X86, number, (), EPERM) for number in (101, 165, 250, 272, 321, 323, 425, 438)],
        *[(X86, 41, (family,), ALLOW) for family in (1, 2, 10)],
        *[(X86, call, (family,), EPERM) for family in (0, 16, 17, 40) for call in (41, 53)],
        (X86, 435, (), ENOSYS),
        (X86, 56, (0x1200011,), ALLOW),
        *[(X86, 56, (1 << bit | 17,), EPERM) for bit in (17, 25, 26, 27, 28, 29, 30)],
        *[(X86, 16, (0, request), EPERM) for request in (0x5412, 0x541C)],
        (X86, 16, (0, 0x5401), ALLOW),
        (X86, 0x40000000 | 1, (), KILL),
        (("x86_64", 0x40000003), 1, (), KILL),
        *[(ARM, number, (), ALLOW) for number in (56, 63, 64, 93, 221, 279)],
        *[(ARM, number, (), EPERM) for number in (117, 40, 219, 97, 280, 282, 425)],
        (ARM, 198, (1,), ALLOW),
        (ARM, 198, (16,), EPERM),
        (ARM, 220, (0x10000011,), EPERM),
        (ARM, 435, (), ENOSYS),
        (("aarch64", 0xC000003E), 64, (), KILL),
    ],
)
def test_the_filter_answers_each_system_call_as_it_should(
    machine: tuple[str, int], number: int, arguments: tuple[int, ...], answer: int
) -> None:
    program = load("seccomp").build_filter(machine[0], hidden_memory=True)
    assert decide(program, number, machine[1], arguments) == answer


def test_without_a_control_group_unseen_memory_is_refused() -> None:
    program = load("seccomp").build_filter("x86_64", hidden_memory=False)
    assert [decide(program, number, X86[1]) for number in (319, 29)] == [EPERM, EPERM]


@pytest.mark.parametrize("version", [0, 1, 5])
def test_a_kernel_with_an_older_landlock_says_what_is_missing(version: int) -> None:
    landlock = load("landlock")
    fence = landlock.Landlock()
    fence.version = version
    assert fence.missing() == (
        "landlock is not available" if not version else f"landlock version {version} cannot fence off signals"
    )


def test_a_tree_is_copied_with_its_links_and_modes_and_without_byte_code(tmp_path: Path) -> None:
    source = tmp_path / "source"
    (source / "a" / "b").mkdir(parents=True)
    (source / "__pycache__").mkdir()
    (source / "__pycache__" / "x.pyc").write_bytes(b"x")
    (source / "a" / "b" / "run.sh").write_text("x", encoding="ascii")
    (source / "a" / "b" / "run.sh").chmod(0o755)
    (source / "out").symlink_to("/etc/passwd")
    load("tree").Tree(str(source)).write(str(tmp_path / "copy"))
    copied = sorted(str(path.relative_to(tmp_path / "copy")) for path in (tmp_path / "copy").rglob("*"))
    assert copied == ["a", "a/b", "a/b/run.sh", "out"]
    assert (tmp_path / "copy" / "out").is_symlink()
    assert (tmp_path / "copy" / "a" / "b" / "run.sh").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize(("files", "size", "big"), [(2, 10, False), (1, 10, True), (2, 9, True)])
def test_a_tree_beyond_either_bound_is_too_big(tmp_path: Path, files: int, size: int, big: bool) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text("12345", encoding="ascii")
    tree = load("tree").Tree(str(tmp_path), files=files, size=size)
    assert (tree.too_big, bool(tree.files)) == (big, not big)


def test_emptying_keeps_mount_points_and_the_way_to_them(tmp_path: Path) -> None:
    tree = load("tree")
    kept = tmp_path / "scratch" / "a" / "mounted"
    kept.mkdir(parents=True)
    (tmp_path / "scratch" / "a" / "left").write_text("x", encoding="ascii")
    (kept / "inner").write_text("x", encoding="ascii")
    (tmp_path / "scratch" / "gone").symlink_to(tmp_path)
    assert tree.empty(str(tmp_path / "scratch"), {str(kept)}) is True
    assert sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*")) == [
        "scratch",
        "scratch/a",
        "scratch/a/mounted",
        "scratch/a/mounted/inner",
    ]


def test_output_is_kept_whole_until_it_is_too_long() -> None:
    kept = load("kept").Kept(10)
    kept.add(b"12345678")
    assert kept.text() == "12345678"
    kept.add(b"90abc\xff")
    assert kept.text() == "12345\n[... 4 bytes left out ...]\n0abc\\xff"


@pytest.mark.parametrize("name", sorted(path.name for path in HARNESS.glob("*.py")))
def test_every_file_of_the_harness_can_be_read_by_python_3_9(name: str) -> None:
    import ast

    module = ast.parse((HARNESS / name).read_text(encoding="utf-8"), feature_version=(3, 9))
    assert ast.get_docstring(module)


def test_the_fork_server_refuses_a_process_namespace_that_is_the_hosts() -> None:
    config = f'{{"alone": true, "host_namespace": "{Path("/proc/self/ns/pid").readlink()}"}}\n'
    done = subprocess.run(
        [sys.executable, "-s", "-B", str(HARNESS / "zygote.py")],
        input=config,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "shares the host's process namespace" in done.stderr
