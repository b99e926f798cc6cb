"""Logical: `and` becomes `or`, and the other way round."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (("a and b", ("a or b",)), ("a or b or c", ("a and b and c",)), ("a & b", ()))


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """The whole chain at once."""
    if isinstance(node, ast.BoolOp):
        changed = copy.copy(node)
        changed.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield changed
