"""Answer: a function gives None where it gave a value, and so does a generator."""

from __future__ import annotations

import ast
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (
    ("def f(a):\n    return a", ("def f(a):\n    return None",)),
    ("def f(a):\n    yield a", ("def f(a):\n    yield None",)),
    ("def f(a):\n    return None", ()),
    ("def f(a):\n    return NotImplemented", ()),
    ("def f(a):\n    return", ()),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """`NotImplemented` is left: what Python makes of None in its place is nearly the same."""
    if not isinstance(node, (ast.Return, ast.Yield)) or node.value is None:
        return
    plain = isinstance(node.value, ast.Constant) and node.value.value is None
    declined = isinstance(node.value, ast.Name) and node.value.id == "NotImplemented"
    if not plain and not declined:
        yield type(node)(value=ast.copy_location(ast.Constant(None), node.value))
