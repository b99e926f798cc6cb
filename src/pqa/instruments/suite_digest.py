"""Suite digest: do branches bring the very same suite: test files, conftest and pytest's settings, byte for byte?"""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from pqa.core.branch import Branch

INI_FILES = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "tox.ini", "setup.cfg")
PROJECT_FILE = "pyproject.toml"
MOST_BYTES = 4 << 20


def same_suite(branches: Sequence[Branch]) -> bool:
    """Whether at least two branches were given and all bring the same tests."""
    with_tests = [branch for branch in branches if branch.tests]
    return len(branches) > 1 and len(with_tests) == len(branches) and len({suite_digest(one) for one in branches}) == 1


def same_runner(branches: Sequence[Branch]) -> bool:
    """Whether all branches bring the same conftest files, at least one: what alters the runner is then not one's own."""
    found = {
        tuple(
            (name, _content(Path(branch.snapshot) / name))
            for name in sorted(branch.tests)
            if PurePosixPath(name).name == "conftest.py"
        )
        for branch in branches
    }
    return len(found) == 1 and found != {()}


def suite_digest(branch: Branch) -> str:
    """A digest of everything that decides what the branch's suite checks; read from pqa's own copy, links not followed."""
    digest = hashlib.sha256()
    for name, content in _parts(branch):
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "replace") + content)
    return digest.hexdigest()


def _parts(branch: Branch) -> Iterator[tuple[str, bytes]]:
    root = Path(branch.snapshot)
    for name in sorted(branch.tests):
        yield name, _content(root / name)
    for name in INI_FILES:
        if (root / name).is_file():
            yield name, _content(root / name)
    settings = _content(root / PROJECT_FILE)
    if settings:
        yield PROJECT_FILE, _pytest_settings(settings)


def _pytest_settings(content: bytes) -> bytes:
    """Pytest's part of a project file; the whole file where it cannot be read."""
    try:
        tool = tomllib.loads(content.decode("utf-8")).get("tool", {})
        table = tool.get("pytest") if isinstance(tool, dict) else None
        return json.dumps(table, sort_keys=True, default=str).encode() if table else b""
    except (ValueError, RecursionError):
        return content


def _content(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file():
        return b""
    with path.open("rb") as source:
        return source.read(MOST_BYTES)
