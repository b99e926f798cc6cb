"""Number: a number is one more, and one less."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (("a + 1", ("a + 2", "a + 0")), ("a = 0", ("a = 1", "a = -1")), ("a = 2.5", ("a = 3.5",)), ("a = True", ()))


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Whole numbers both ways, others one way."""
    if not isinstance(node, ast.Constant):
        return
    if type(node.value) is int:
        yield ast.Constant(node.value + 1)
        yield ast.Constant(node.value - 1)
    elif type(node.value) is float and math.isfinite(node.value) and node.value + 1.0 != node.value:
        yield ast.Constant(node.value + 1.0)
