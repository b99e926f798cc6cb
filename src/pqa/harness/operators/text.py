"""Text: a string or bytes literal has another content."""

from __future__ import annotations

import ast
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (("a = 'x'", ("a = 'XXxXX'",)), ("a = ''", ("a = 'XXXX'",)), ("a = b'x'", ("a = b'XXxXX'",)), ("a = 1", ()))


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """Something before and behind."""
    if isinstance(node, ast.Constant) and type(node.value) is str:
        yield ast.Constant("XX" + node.value + "XX")
    elif isinstance(node, ast.Constant) and type(node.value) is bytes:
        yield ast.Constant(b"XX" + node.value + b"XX")
