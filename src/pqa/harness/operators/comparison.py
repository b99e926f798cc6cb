"""Comparison: a comparison says the opposite."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (
    ("a == b", ("a != b",)),
    ("a < b", ("a >= b",)),
    ("a not in b", ("a in b",)),
    ("a is None", ("a is not None",)),
    ("a + b", ()),
)
OTHER: dict[type, type] = {
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """One comparison of a chain at a time."""
    if not isinstance(node, ast.Compare):
        return
    for place, operator in enumerate(node.ops):
        changed = copy.copy(node)
        changed.ops = [*node.ops[:place], OTHER[type(operator)](), *node.ops[place + 1 :]]
        yield changed
