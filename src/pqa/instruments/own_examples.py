"""Own examples: what a branch's own docstrings and its README say that its calls give."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator
from pathlib import Path

from pqa.core.branch import Branch
from pqa.core.surface import Surface
from pqa.instruments.task_examples import Example, sessions_of

README = re.compile(r"readme(\.(md|rst|txt))?", re.IGNORECASE)
MOST_BYTES = 200_000
MAXIMUM = 60
UNSURE = re.compile(r"random|today|now\b|may differ|varies|platform", re.IGNORECASE)
"""Words by which a text says that what it shows is not always so."""


def own_examples(branch: Branch, surface: Surface) -> list[tuple[str, Example]]:
    """The examples with where they stand, docstrings first; each set of calls counts once."""
    dotted = [*(one.name for one in surface.functions), *(one.name for one in surface.classes)]
    names = {name.rpartition(".")[2]: name for name in dotted}
    found: dict[str, tuple[str, Example]] = {}
    for place, text in (*_docstrings(surface), *_readmes(branch)):
        if ">>>" not in text or UNSURE.search(text):
            continue
        for example in sessions_of(text, names):
            if not example.touches_files:
                found.setdefault(key_of(example), (place, example))
    return list(found.values())[:MAXIMUM]


def key_of(example: Example) -> str:
    """One text for the same calls, whatever they are said to give."""
    return repr((example.setup, example.calls))


def _docstrings(surface: Surface) -> Iterator[tuple[str, str]]:
    for function in surface.functions:
        yield f"its docstring of {function.name}", inspect.cleandoc(function.doc)
    for found in surface.classes:
        yield f"its docstring of {found.name}", inspect.cleandoc(found.doc)
        for method in found.methods:
            yield f"its docstring of {found.name}.{method.name}", inspect.cleandoc(method.doc)


def _readmes(branch: Branch) -> Iterator[tuple[str, str]]:
    """Read from pqa's own copy of the tree, as text; links are not followed."""
    root = Path(branch.snapshot)
    try:
        names = sorted(entry.name for entry in os.scandir(root) if README.fullmatch(entry.name) and _is_plain(entry))
    except OSError:
        return
    for name in names:
        with (root / name).open("rb") as file:
            yield f"its {name}", file.read(MOST_BYTES).decode("utf-8", "replace")


def _is_plain(entry: os.DirEntry[str]) -> bool:
    return entry.is_file(follow_symlinks=False)
