"""Negation: a `not` is lost."""

from __future__ import annotations

import ast
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (("not a", ("a",)), ("not (a and b)", ("a and b",)), ("-a", ()))


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """What stood behind the `not`."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield node.operand
