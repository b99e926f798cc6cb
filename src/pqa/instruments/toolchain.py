"""Toolchain: what static checkers need besides the interpreter, and the switches that keep them off the network."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from pqa.core.job import MIB, Guest, Limits, Mount

CACHE, PYRIGHT = "/opt/cache", "pyright-python"
CONFIGURATION_FILES = frozenset(
    {
        *("pyproject.toml", "ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini", "setup.cfg", "tox.ini"),
        *("pyrightconfig.json", ".flake8", ".pylintrc", "pylintrc", ".bandit"),
        *(".gitignore", ".ignore", ".editorconfig"),
    }
)
"""Files that tell a checker what to look at or to overlook; a branch's own never count, at any depth."""
OFFLINE = {
    "UV_OFFLINE": "1",
    "UV_NO_SYNC": "1",
    "UV_FROZEN": "1",
    "PIP_NO_INDEX": "1",
    "PIP_DISABLE_PIP_VERSION_CHECK": "1",
    "npm_config_offline": "true",
    "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
    "PYTHONSAFEPATH": "1",
    "NO_COLOR": "1",
    "RUFF_NO_CACHE": "true",
    "MYPY_CACHE_DIR": "/dev/null",
}
NODE_MEMORY_BYTES = 3072 * MIB
CHECK_LIMITS = Limits(cpu_seconds=300, memory_bytes=NODE_MEMORY_BYTES, processes=128, open_files=1024)


def tool_mounts(environ: Mapping[str, str], home: Path) -> tuple[Mount, ...]:
    """Caches that checkers cannot do without offline: pyright's wrapper keeps its JavaScript and its node there,
    unless its wheel brings the JavaScript along (since 1.1.400 or so) and node is on the path."""
    cache = _pyright_cache(environ, home)
    return (Mount(str(cache), f"{CACHE}/{PYRIGHT}"),) if cache is not None else ()


def tool_env(environ: Mapping[str, str], home: Path) -> dict[str, str]:
    """Variables for every check: offline, without colour, and where the mounted caches are."""
    cache = _pyright_cache(environ, home)
    if cache is None:
        return dict(OFFLINE)
    return {**OFFLINE, "PYRIGHT_PYTHON_CACHE_DIR": CACHE}


def for_checks(guest: Guest, mounts: tuple[Mount, ...]) -> Guest:
    """The guest with the checkers' mounts and with room for them (node reserves much address space)."""
    return replace(guest, mounts=(*guest.mounts, *mounts), limits=CHECK_LIMITS)


def default_checks(project: Path) -> tuple[str, ...]:
    """The command lines of the checkers that a project configures; compilation is checked in any case."""
    tools = _tool_tables(project)
    checks = []
    if "ruff" in tools or (project / "ruff.toml").is_file() or (project / ".ruff.toml").is_file():
        checks.append("ruff check .")
    if "mypy" in tools or (project / "mypy.ini").is_file() or (project / ".mypy.ini").is_file():
        checks.append("mypy .")
    if "pyright" in tools or (project / "pyrightconfig.json").is_file():
        checks.append("pyright")
    return tuple(checks)


def configuration_of(folder: Path) -> Iterator[tuple[str, bytes]]:
    """The checkers' configuration at the top of a folder, regular files only."""
    for name in sorted(CONFIGURATION_FILES):
        path = folder / name
        if path.is_file() and not path.is_symlink():
            yield name, path.read_bytes()


def _tool_tables(project: Path) -> frozenset[str]:
    try:
        tables = tomllib.loads((project / "pyproject.toml").read_text(encoding="utf-8")).get("tool", {})
    except (OSError, ValueError):
        return frozenset()
    return frozenset(tables) if isinstance(tables, dict) else frozenset()


def _pyright_cache(environ: Mapping[str, str], home: Path) -> Path | None:
    base = environ.get("PYRIGHT_PYTHON_CACHE_DIR") or environ.get("XDG_CACHE_HOME") or home / ".cache"
    folder = Path(base) / PYRIGHT
    return folder.resolve() if folder.is_dir() else None
