"""Transplant: run one branch's suite on another branch's code, and say of each test whether it passed, and if not, why."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

from pqa.core.branch import Branch
from pqa.core.ports import Zygote
from pqa.core.verdict import SuiteRun, TestRun
from pqa.instruments.suite import files_with_tests, run_suite

PASSED, VALUE, NAMES, UNTOLD = "passed", "value", "names", "untold"
MOST_BYTES, MOST_FILES = 1 << 20, 200
FOREIGN = re.compile(r"(\w+\.)*(AttributeError|ImportError|ModuleNotFoundError|NameError|TypeError|fixture )")
"""How the reason of a test begins that asks for a name or a signature that is not there: nothing of a value is said."""
OWN_FAULT = re.compile(r"(\w+\.)*(FileNotFoundError|NotADirectoryError|IsADirectoryError|PermissionError)")
COMPILED = (".pyc", ".pyo", ".so", ".pyd")
LEFT_OUT = ("__pycache__", ".git", ".pytest_cache", ".venv", "node_modules", ".pqa")


@dataclass(frozen=True, slots=True)
class Packed:
    """A suite that can be sent: its test files, and all files by path in base64, the code left out."""

    paths: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""


@dataclass(frozen=True, slots=True)
class Cell:
    """One suite on one branch: what became of each test; `trouble` says why nothing is known, `late` that it took too long."""

    tests: Mapping[str, str] = field(default_factory=dict)
    trouble: str = ""
    late: bool = False


def pack_suite(branch: Branch) -> Packed:
    """Test files, conftest, settings and data; read from pqa's own copy, links not followed."""
    paths = files_with_tests(branch.tests)
    files: dict[str, str] = {}
    size = 0
    for name in _names(Path(branch.snapshot), set(branch.tests)):
        path = Path(branch.snapshot) / name
        size += path.stat().st_size
        if size > MOST_BYTES or len(files) >= MOST_FILES:
            return Packed(paths, trouble="its suite, with its data, is too large to be run on other branches")
        files[name] = base64.b64encode(path.read_bytes()).decode("ascii")
    return Packed(paths, files)


def _names(root: Path, tests: set[str]) -> list[str]:
    """What may belong to a suite: its Python files, and files that are no Python at all."""
    found: list[str] = []
    for folder, names, files in os.walk(root):
        names[:] = sorted(one for one in names if one not in LEFT_OUT and not (Path(folder) / one).is_symlink())
        for one in sorted(files):
            path = Path(folder) / one
            name = path.relative_to(root).as_posix()
            wanted = name in tests or path.suffix not in (".py", *COMPILED)
            if wanted and path.is_file() and not path.is_symlink():
                found.append(name)
    return found


def run_on(zygote: Zygote, packed: Packed, branch: Branch, *, inert: bool = False, seconds: float) -> Cell:
    """Run a packed suite on the code of `branch`; without its conftest where it cannot be run with it."""
    if packed.trouble:
        return Cell(trouble=packed.trouble)
    cell = _attempt(zygote, packed, branch, inert, seconds)
    bare = {name: text for name, text in packed.files.items() if PurePosixPath(name).name != "conftest.py"}
    if cell.trouble and not cell.late and len(bare) < len(packed.files):
        without = _attempt(zygote, Packed(packed.paths, bare), branch, inert, seconds)
        return without if not without.trouble else cell
    return cell


def _attempt(zygote: Zygote, packed: Packed, branch: Branch, inert: bool, seconds: float) -> Cell:
    """Files that cannot be imported here are left out, and the others run again."""

    def run(paths: Sequence[str]) -> SuiteRun:
        return run_suite(zygote, paths, code=branch.code, files=packed.files, inert=inert, seconds=seconds)

    done = run(packed.paths)
    unreadable = {test.node_id for test in done.tests if "::" not in test.node_id and test.outcome == "error"}
    rest = [path for path in packed.paths if path not in unreadable]
    if unreadable and rest:
        done = run(rest)
    elif unreadable:
        return Cell()
    if done.status not in ("green", "red"):
        why = done.why or f"the suite is {done.status} here"
        return Cell(trouble=why, late="time limit" in why)
    return Cell({test.node_id: outcome_of(test) for test in done.tests if "::" in test.node_id})


def outcome_of(test: TestRun) -> str:
    """Passed, failed by what the code does, failed for want of a name or a signature, or nothing that can be told."""
    if test.outcome == "passed":
        return PASSED
    if test.outcome != "failed" or OWN_FAULT.match(test.message):
        return UNTOLD
    return NAMES if FOREIGN.match(test.message) else VALUE
