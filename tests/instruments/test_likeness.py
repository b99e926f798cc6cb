"""Likeness: names and layout do not count, copies count once, and code that cannot be read tells nothing."""

from __future__ import annotations

from pathlib import Path

from pqa.core.branch import Branch
from pqa.instruments.likeness import unlikeness

LOOP = "def total(prices):\n    found = 0\n    for price in prices:\n        found += price\n    return found\n"
RENAMED = """import math
from typing import *


def total(items: list[float]) -> float:
    '''What all cost.'''
    # Sums up.
    s: float = 0
    for x in items:
        s += x
    return s
"""
GUARDED = "def total(prices):\n    found = 0\n    for price in prices:\n        if price:\n            found += price\n    return found\n"
RECURSIVE = "def total(prices):\n    return prices[0] + total(prices[1:]) if prices else 0\n"


def branches(folder: Path, **sources: str | bytes) -> list[Branch]:
    found = []
    for name, source in sources.items():
        (folder / name).mkdir()
        (folder / name / "shop.py").write_bytes(source if isinstance(source, bytes) else source.encode())
        found.append(Branch(name, name, name, str(folder / name), code=("shop.py",)))
    return found


def test_the_branch_that_is_written_as_no_other_is_the_least_like_them(tmp_path: Path) -> None:
    found = unlikeness(branches(tmp_path, b0=LOOP, b1=GUARDED, b2=RECURSIVE), {})
    assert found["b2"] == max(found.values())
    assert found["b0"] < found["b2"]
    assert found["b1"] < found["b2"]


def test_names_comments_imports_docstrings_and_annotations_do_not_count(tmp_path: Path) -> None:
    found = unlikeness(branches(tmp_path, b0=LOOP, b1=RENAMED, b2=RECURSIVE), {})
    assert found["b0"] == found["b1"]


def test_copies_of_a_branch_do_not_make_it_more_like_the_others(tmp_path: Path) -> None:
    sources = {"b0": LOOP, "b1": GUARDED, "b2": RECURSIVE, "b3": RECURSIVE, "b4": RECURSIVE}
    found = unlikeness(branches(tmp_path, **sources), {"b3": "b2", "b4": "b2"})
    assert found["b2"] == found["b3"] == found["b4"] == max(found.values())


def test_two_branches_or_code_that_cannot_be_read_tell_nothing(tmp_path: Path) -> None:
    assert unlikeness(branches(tmp_path, b0=LOOP, b1=GUARDED), {}) == {}
    assert unlikeness(branches(tmp_path, b2=LOOP, b3=GUARDED, b4=b"\xff\x00"), {}) == {}


def test_encoding_that_a_branch_declares_is_not_used_to_read_it(tmp_path: Path) -> None:
    declared = [b"# coding: hex\n" + LOOP.encode(), b"\xef\xbb\xbf# coding: idna\n" + LOOP.encode()]
    given = {"b0": LOOP, "b1": declared[0], "b2": declared[1], "b3": RECURSIVE}
    found = unlikeness(branches(tmp_path, **given), {})
    assert found["b0"] == found["b1"] == found["b2"] < found["b3"]
