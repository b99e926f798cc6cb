"""Common files: which test files of a branch are nobody's doing, since all branches bring them or the base did."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pqa.core.branch import Branch


def common_tests(branch: Branch, branches: Sequence[Branch], base: Branch | None) -> frozenset[str]:
    """Test files that every other branch brings byte for byte, or that the base holds."""
    others = [one for one in branches if one is not branch]
    return frozenset(
        name
        for name in branch.tests
        if (others and all(_content(one, name) == _content(branch, name) for one in others))
        or (base is not None and _content(base, name) == _content(branch, name))
    )


def _content(branch: Branch, name: str) -> bytes | None:
    path = Path(branch.snapshot) / name
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None
