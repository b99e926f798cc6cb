"""Own examples: what a branch's own docstrings and its README say that its calls give."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pqa.core.branch import Branch
from pqa.core.recording import Recording
from pqa.core.surface import Surface
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.stated_example import Example
from pqa.instruments.task_examples import sessions_of

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


def is_recorded(example: Example, recording: Recording) -> bool:
    """Whether the tests make every call of an example, on instances built like its own: then its inputs are no surprise."""
    kinds = {str(item["name"]): item for item in example.setup if "new" in item}
    calls = {_key(call.function, call.args, call.kwargs) for call in recording.calls}
    built = {_key(trace.class_name, trace.args, trace.kwargs) for trace in recording.traces}
    inside = {
        _key(f"{trace.class_name}.{call.function}", call.args, call.kwargs)
        for trace in recording.traces
        for call in trace.calls
    }
    made = [_key(str(item["new"]), item["args"], item["kwargs"]) for item in kinds.values()]
    asked = []
    for call in example.calls:
        owner = kinds.get(str(call.get("on")))
        if "call" in call:
            name = str(call["call"]) if owner is None else f"{owner['new']}.{call['call']}"
            asked.append(_key(name, call["args"], call["kwargs"]))
    return all(key in built | calls for key in made) and all(key in inside | calls for key in asked)


def _key(name: str, args: Sequence[Json], kwargs: Mapping[str, Json]) -> str:
    return canonical([name, list(args), dict(kwargs)])


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
