"""Condition: a condition always holds, or never."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import Any

KIND = "value"
EXAMPLES = (
    ("if a:\n    b()", ("if True:\n    b()", "if False:\n    b()")),
    ("b if a else c", ("b if True else c", "b if False else c")),
    ("while a:\n    b()", ("while False:\n    b()",)),
    ("[a for a in b if a]", ("[a for a in b if True]",)),
    ("while True:\n    b()", ()),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """No loop is made endless, which would only cost time."""
    if isinstance(node, (ast.If, ast.IfExp, ast.While)) and not isinstance(node.test, ast.Constant):
        for value in (False,) if isinstance(node, ast.While) else (True, False):
            changed: Any = copy.copy(node)
            changed.test = ast.copy_location(ast.Constant(value), node.test)
            yield changed
    elif isinstance(node, ast.comprehension):
        for place, test in enumerate(node.ifs):
            kept = copy.copy(node)
            kept.ifs = [*node.ifs[:place], ast.copy_location(ast.Constant(True), test), *node.ifs[place + 1 :]]
            yield kept
