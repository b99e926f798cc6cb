"""Handling: an exception that was handled is raised on."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "effect"
EXAMPLES = (
    ("try:\n    a()\nexcept E:\n    b()", ("try:\n    a()\nexcept E:\n    raise",)),
    ("try:\n    a()\nexcept E:\n    raise", ()),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """The handler does nothing but raise on."""
    if isinstance(node, ast.ExceptHandler) and not isinstance(node.body[0], ast.Raise):
        changed = copy.copy(node)
        changed.body = [ast.copy_location(ast.Raise(exc=None, cause=None), node.body[0])]
        yield changed
