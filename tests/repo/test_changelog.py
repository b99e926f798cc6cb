"""Changelog fragments can be gathered: named for an issue or a slug and a kind, one short line of what a user sees."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

NAME = re.compile(r"(\d+|\+[a-z0-9-]+)\.(security|removal|feature|fix)\.md")
LINE_LENGTH = 300


def faults(name: str, text: str) -> list[str]:
    checks = {
        "name is not like 12.feature.md or +slug.fix.md": NAME.fullmatch(name) is not None,
        "it is empty": bool(text.strip()),
        f"a line is longer than {LINE_LENGTH} characters": all(len(line) <= LINE_LENGTH for line in text.splitlines()),
    }
    return [fault for fault, fine in checks.items() if not fine]


def test_every_fragment_can_be_gathered(root: Path) -> None:
    fragments = [file for file in (root / "changelog.d").iterdir() if file.name not in (".gitignore", ".gitkeep")]
    found = {file.name: faults(file.name, file.read_text(encoding="utf-8")) for file in fragments}

    assert {name: words for name, words in found.items() if words} == {}


@pytest.mark.parametrize("name", ["12.feature.md", "+first-verdict.feature.md", "+x.security.md"])
def test_good_name_passes(name: str) -> None:
    assert faults(name, "Something new.\n") == []


@pytest.mark.parametrize(
    "name", ["feature.md", "first-verdict.feature.md", "12.feature.rst", "+X.feature.md", "12.new.md"]
)
def test_bad_name_is_named(name: str) -> None:
    assert faults(name, "Something new.\n") == ["name is not like 12.feature.md or +slug.fix.md"]


def test_long_or_empty_fragment_is_named() -> None:
    assert faults("1.fix.md", "x" * 301) == ["a line is longer than 300 characters"]
    assert faults("1.fix.md", "\n") == ["it is empty"]
