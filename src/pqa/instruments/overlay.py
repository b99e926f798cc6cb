"""Overlay: a branch's files with the base's configuration in place of its own, as a tree to run checkers on."""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping, Sequence
from pathlib import Path

from pqa.instruments.toolchain import CONFIGURATION_FILES

CONTROL_SOURCE = '"""Nothing but a docstring."""\n'


def overlay(snapshot: Path, configuration: Mapping[str, bytes], target: Path) -> None:
    """Copy the regular files of `snapshot` to `target` and put `configuration` over them; links are left out."""
    target.mkdir(parents=True)
    for folder, names, files in os.walk(snapshot):
        relative = Path(folder).relative_to(snapshot)
        names[:] = sorted(name for name in names if not (Path(folder) / name).is_symlink())
        (target / relative).mkdir(exist_ok=True)
        for name in sorted(files):
            if name not in CONFIGURATION_FILES:
                _copy(Path(folder) / name, target / relative / name)
    _configure(configuration, target)


def control_tree(files: Sequence[str], configuration: Mapping[str, bytes], target: Path) -> None:
    """A tree in which nothing can be wrong: the same Python files as a branch has, all empty."""
    target.mkdir(parents=True)
    for name in files or ("control.py",):
        path = target / name
        if path.suffix in (".py", ".pyi"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(CONTROL_SOURCE, encoding="utf-8")
    _configure(configuration, target)


def _configure(configuration: Mapping[str, bytes], target: Path) -> None:
    for name, content in configuration.items():
        (target / name).write_bytes(content)


def _copy(source: Path, target: Path) -> None:
    if not stat.S_ISREG(source.lstat().st_mode):
        return
    handle = os.open(source, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    with os.fdopen(handle, "rb") as content:
        status = os.fstat(handle)
        if stat.S_ISREG(status.st_mode):
            target.write_bytes(content.read())
            target.chmod(0o755 if status.st_mode & 0o100 else 0o644)
