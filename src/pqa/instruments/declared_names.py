"""Declared names: the classes, methods and functions that the code in a task's text declares, each with the line that does."""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

MAXIMUM_TEXT = 200_000
FENCE = re.compile(r"^(?:```|~~~)[^\n]*$", re.MULTILINE)
DROPPED = re.compile(
    r"\b(?:remov|delet|drop|deprecat|renam|replac|instead of|no longer|get rid|without)", re.IGNORECASE
)
LEAVING = re.compile(
    r"\b(?:deprecated|to be (?:removed|deleted|dropped)|will (?:be removed|go)|no longer)\b", re.IGNORECASE
)
"""What a line or a docstring says of its own name; "remove an item" is what a method does."""


@dataclass(frozen=True, slots=True)
class Declared:
    """One public name; `owner` is the class that it belongs to, or "" for a function or class of a module."""

    owner: str
    name: str
    line: str

    @property
    def dotted(self) -> str:
        """The name with its class."""
        return f"{self.owner}.{self.name}" if self.owner else self.name


def declared_names(text: str) -> list[Declared]:
    """The public names in the fenced code of a task, in order, but for those of which a paragraph of the prose, or their own
    line or docstring, says that they go.

    A block that is no Python, or shows how something is used rather than what is to be there, declares nothing.
    """
    prose: list[str] = []
    found: dict[tuple[str, str], Declared] = {}
    for position, part in enumerate(FENCE.split(text[:MAXIMUM_TEXT])):
        if position % 2 == 0:
            prose += re.split(r"\n\s*\n|\n(?=\s*(?:[-*+]|\d+\.)\s)", part)
            continue
        for one in _in_block(textwrap.dedent(part)):
            found.setdefault((one.owner, one.name), one)
    leaving = "\n".join(paragraph for paragraph in prose if DROPPED.search(paragraph))
    return [one for one in found.values() if not re.search(rf"(?<!\w){re.escape(one.name)}(?!\w)", leaving)]


def _in_block(source: str) -> Iterator[Declared]:
    tree = _parsed(source)
    if tree is None or not all(_declares(node) for node in tree.body):
        return
    lines = source.splitlines()
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and _stays(node, lines):
            yield _one("", node, lines)
            for part in node.body:
                if isinstance(part, ast.FunctionDef | ast.AsyncFunctionDef) and _stays(part, lines):
                    yield _one(node.name, part, lines)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and _stays(node, lines):
            yield _one("", node, lines)


def _parsed(source: str) -> ast.Module | None:
    """The block, where need be with a body for the signature that it ends with."""
    for tried in (source, source.rstrip() + "\n    pass\n", source.rstrip() + "\n        pass\n"):
        try:
            return ast.parse(tried)
        except (SyntaxError, ValueError, RecursionError):
            continue
    return None


def _declares(node: ast.stmt) -> bool:
    """Whether a statement is one of a module's outline: a definition, an import, a constant, or prose."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    kinds = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Import, ast.ImportFrom, ast.AnnAssign)
    return isinstance(node, kinds) or (isinstance(node, ast.Assign) and not isinstance(node.value, ast.Call))


def _one(owner: str, node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> Declared:
    return Declared(owner, node.name, lines[node.lineno - 1].strip())


def _stays(node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef, lines: list[str]) -> bool:
    """Whether a name is public, and neither its line nor its docstring says that it goes."""
    told = f"{lines[node.lineno - 1]}\n{ast.get_docstring(node) or ''}"
    leaves = isinstance(node, ast.ClassDef) or not LEAVING.search(told)
    return not node.name.startswith("_") and leaves
