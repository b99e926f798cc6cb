"""Cleanup: what `finally` promises is not done."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

KIND = "effect"
EXAMPLES = (
    ("try:\n    a()\nfinally:\n    b()", ("try:\n    a()\nfinally:\n    pass",)),
    ("try:\n    a()\nexcept E:\n    b()", ()),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """The whole block at once."""
    if isinstance(node, ast.Try) and node.finalbody:
        changed: Any = copy.copy(node)
        changed.finalbody = [ast.copy_location(ast.Pass(), node.finalbody[0])]
        yield changed
