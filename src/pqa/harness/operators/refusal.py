"""Refusal: an exception is not raised."""

from __future__ import annotations

import ast
from collections.abc import Iterator

KIND = "effect"
EXAMPLES = (
    ("raise ValueError(a)", ("pass",)),
    ("raise", ("pass",)),
    ("raise NotImplementedError", ()),
    ("raise NotImplementedError()", ()),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """What is not implemented is no behaviour."""
    if isinstance(node, ast.Raise):
        named = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
        if not (isinstance(named, ast.Name) and named.id == "NotImplementedError"):
            yield ast.Pass()
