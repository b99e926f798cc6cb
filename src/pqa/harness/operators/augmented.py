"""Augmented: `+=` becomes `-=`, and it becomes plain `=`."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

KIND = "value"
EXAMPLES = (("a += b", ("a -= b", "a = b")), ("self.a *= 2", ("self.a /= 2", "self.a = 2")), ("a = b", ()))
OTHER: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Another operation, and none."""
    if not isinstance(node, ast.AugAssign):
        return
    text = isinstance(node.value, ast.Constant) and isinstance(node.value.value, (str, bytes))
    if type(node.op) in OTHER and not text:
        changed = copy.copy(node)
        changed.op = OTHER[type(node.op)]()
        yield changed
    target: Any = copy.copy(node.target)
    yield ast.Assign(targets=[target], value=node.value, type_comment=None)
