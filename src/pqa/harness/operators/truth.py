"""Truth: True becomes False, and the other way round."""

from __future__ import annotations

import ast
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (("a = True", ("a = False",)), ("return_value(False)", ("return_value(True)",)), ("a = 1", ()))


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """The literals only."""
    if isinstance(node, ast.Constant) and type(node.value) is bool:
        yield ast.Constant(not node.value)
