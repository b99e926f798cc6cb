"""Call: a call that stands alone, made for its effect, is not made."""

from __future__ import annotations

import ast
from collections.abc import Iterator

KIND = "effect"
EXAMPLES = (
    ("a.append(b)", ("pass",)),
    ("async def f(a):\n    await a()", ("async def f(a):\n    pass",)),
    ("a = b()", ()),
    ("'text'", ()),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Statements only."""
    if isinstance(node, ast.Expr):
        value = node.value.value if isinstance(node.value, ast.Await) else node.value
        if isinstance(value, ast.Call):
            yield ast.Pass()
