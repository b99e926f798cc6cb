"""Index: a computed index is one further on, and a slice ends one later or has no beginning."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "boundary"
EXAMPLES = (
    ("a[b:c]", ("a[b:c + 1]", "a[:c]")),
    ("a[:b]", ("a[:b + 1]",)),
    ("a[i + 1]", ("a[i + 1 + 1]",)),
    ("a[i]", ()),
    ("a[1:]", ("a[:]",)),
)
COMPUTED = (ast.BinOp, ast.UnaryOp)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Literals are the affair of "number"; a bare name may as well be a key."""
    if not isinstance(node, ast.Subscript) or not isinstance(node.ctx, ast.Load):
        return
    place: ast.AST = node.slice
    if isinstance(place, ast.Slice):
        if place.upper is not None and not isinstance(place.upper, ast.Constant):
            yield _with(node, place, upper=_one_more(place.upper))
        if place.lower is not None:
            yield _with(node, place, lower=None)
    elif isinstance(place, COMPUTED) and _is_sum(place):
        changed = copy.copy(node)
        changed.slice = _one_more(place)
        yield changed


def _is_sum(node: ast.AST) -> bool:
    return isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub, ast.FloorDiv, ast.Mod))


def _one_more(node: ast.expr) -> ast.expr:
    return ast.copy_location(ast.BinOp(left=node, op=ast.Add(), right=ast.Constant(1)), node)


def _with(node: ast.Subscript, place: ast.Slice, **parts: object) -> ast.AST:
    changed, other = copy.copy(node), copy.copy(place)
    for name, part in parts.items():
        setattr(other, name, part)
    changed.slice = other
    return changed
