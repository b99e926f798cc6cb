"""Arithmetic: an operation becomes a related one, and a sign is lost."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (
    ("a + b", ("a - b",)),
    ("a * b", ("a / b",)),
    ("a // b", ("a / b",)),
    ("a & b", ("a | b",)),
    ("-a", ("+a",)),
    ("'%s' % a", ()),
    ("a + 'x'", ()),
)
OTHER: dict[type, type] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
}
NO_NUMBERS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Dict)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Not where an operand is plainly no number: that raises at once and teaches nobody anything."""
    if isinstance(node, ast.BinOp) and not (_is_text(node.left) or _is_text(node.right)):
        changed = copy.copy(node)
        if type(node.op) in OTHER:
            changed.op = OTHER[type(node.op)]()
            yield changed
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and not isinstance(node.operand, ast.Constant):
        yield ast.UnaryOp(op=ast.UAdd(), operand=node.operand)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, NO_NUMBERS) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))
