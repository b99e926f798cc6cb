"""Keyword: an argument given by name is left out."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (("f(a, b=1)", ("f(a)",)), ("f(b=1, c=2)", ("f(c=2)", "f(b=1)")), ("f(**a)", ()), ("f(a)", ()))


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """One at a time."""
    if not isinstance(node, ast.Call):
        return
    for place, keyword in enumerate(node.keywords):
        if keyword.arg is not None:
            changed = copy.copy(node)
            changed.keywords = [*node.keywords[:place], *node.keywords[place + 1 :]]
            yield changed
