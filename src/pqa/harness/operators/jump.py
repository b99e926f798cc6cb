"""Jump: `break` becomes `continue`, and the other way round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (
    ("for a in b:\n    break", ("for a in b:\n    continue",)),
    ("for a in b:\n    continue", ("for a in b:\n    break",)),
    ("for a in b:\n    pass", ()),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """The other one."""
    if isinstance(node, ast.Break):
        yield ast.Continue()
    elif isinstance(node, ast.Continue):
        yield ast.Break()
