"""Layout: which files of a snapshot are code, which are tests, and where imports start; read from pqa's copy only."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

CONFIGURATION = "pyproject.toml"
TOML_BYTES = 64 * 1024
TOML_LINE = 2_000
TEST_FOLDERS = frozenset(["tests", "test"])
ASIDE_FOLDERS = frozenset(["docs", "examples", "benchmarks"])
ASIDE_FILES = frozenset(["setup.py", "noxfile.py"])


@dataclass(frozen=True, slots=True)
class Layout:
    """Relative POSIX paths: modules that may be attacked, test modules, and import roots in search order."""

    code: tuple[str, ...]
    tests: tuple[str, ...]
    import_roots: tuple[str, ...]
    remarks: tuple[str, ...] = ()


def read_layout(root: Path, files: Sequence[str]) -> Layout:
    """The layout of the snapshot at `root` with these files."""
    modules = [path for path in files if path.endswith(".py")]
    tests = tuple(path for path in modules if is_test(path))
    code = tuple(path for path in modules if not is_test(path) and not _is_aside(path))
    settings, remarks = _configuration(root, files)
    folders = {"", *(str(parent) for path in files for parent in PurePosixPath(path).parents if str(parent) != ".")}
    roots: list[str] = []
    for named in _configured_roots(settings):
        root_path = _normal(named)
        if root_path is None or root_path not in folders:
            remarks.append(f"{CONFIGURATION}: the import root '{named[:200]}' is no folder of the branch, ignored")
        else:
            roots.append(root_path)
    if any(path.startswith("src/") for path in code):
        roots.append("src")
    return Layout(code, tests, tuple(dict.fromkeys([*roots, ""])), tuple(remarks))


def is_test(path: str) -> bool:
    """Whether a Python file is a test by its name or by its folder."""
    *folders, name = path.split("/")
    named = name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
    return path.endswith(".py") and (named or not TEST_FOLDERS.isdisjoint(folders))


def _is_aside(path: str) -> bool:
    top, _, rest = path.partition("/")
    return top in ASIDE_FOLDERS if rest else top in ASIDE_FILES


def _normal(named: str) -> str | None:
    if named.startswith("/") or "\0" in named or "\\" in named:
        return None
    path = os.path.normpath(named or ".")
    return None if path.startswith("..") else path.removeprefix(".") if path == "." else path


def _configuration(root: Path, files: Sequence[str]) -> tuple[Mapping[str, Any], list[str]]:
    if CONFIGURATION not in files:
        return {}, []
    raw = (root / CONFIGURATION).read_bytes()
    if len(raw) > TOML_BYTES or any(len(line) > TOML_LINE for line in raw.splitlines()):
        return {}, [f"{CONFIGURATION}: too large to read, ignored"]
    try:
        return tomllib.loads(raw.decode("utf-8")), []
    except (ValueError, RecursionError):
        return {}, [f"{CONFIGURATION}: not valid TOML, ignored"]


def _configured_roots(settings: Mapping[str, Any]) -> Iterator[str]:
    tool = _table(settings, "tool")
    pytest = _table(tool, "pytest")
    yield from _texts(_table(pytest, "ini_options").get("pythonpath"))
    yield from _texts(pytest.get("pythonpath"))
    setuptools = _table(tool, "setuptools")
    for package, folder in _table(setuptools, "package-dir").items():
        yield from (_above(folder, package.count(".") + 1) if package else folder for folder in _texts(folder))
    yield from _texts(_table(_table(setuptools, "packages"), "find").get("where"))
    wheel = _table(_table(_table(_table(tool, "hatch"), "build"), "targets"), "wheel")
    yield from (_above(package, 1) for package in _texts(wheel.get("packages")))


def _above(folder: str, levels: int) -> str:
    parts = folder.strip("/").split("/")
    return "/".join(parts[: max(0, len(parts) - levels)])


def _table(table: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = table.get(key)
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return value.split()
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []
