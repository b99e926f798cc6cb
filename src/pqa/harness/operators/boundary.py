"""Boundary: a comparison that lets its edge in keeps it out, and the other way round."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "boundary"
EXAMPLES = (
    ("a < b", ("a <= b",)),
    ("a >= b", ("a > b",)),
    ("0 <= a < b", ("0 < a < b", "0 <= a <= b")),
    ("a == b", ()),
)
OTHER: dict[type, type] = {ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """One comparison of a chain at a time."""
    if not isinstance(node, ast.Compare):
        return
    for place, operator in enumerate(node.ops):
        if type(operator) in OTHER:
            changed = copy.copy(node)
            changed.ops = [*node.ops[:place], OTHER[type(operator)](), *node.ops[place + 1 :]]
            yield changed
