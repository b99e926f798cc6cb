"""Assignment: what is kept in an attribute or a place is not kept; a variable holds None."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "effect"
EXAMPLES = (
    ("self.a = b", ("pass",)),
    ("a[b] = c", ("pass",)),
    ("a = b", ("a = None",)),
    ("a = None", ()),
    ("a, b = c", ()),
    ("del a[b]", ("pass",)),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """One target only: to unpack None raises at once."""
    if isinstance(node, ast.Delete) and not any(isinstance(target, ast.Name) for target in node.targets):
        yield ast.Pass()
    if not isinstance(node, (ast.Assign, ast.AnnAssign)) or node.value is None:
        return
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    if all(isinstance(target, (ast.Attribute, ast.Subscript)) for target in targets):
        yield ast.Pass()
    elif all(isinstance(target, ast.Name) for target in targets) and not _is_none(node.value):
        changed = copy.copy(node)
        changed.value = ast.copy_location(ast.Constant(None), node.value)
        yield changed


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None
