"""Default: an argument that is left out is None instead of its default."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

KIND = "value"
EXAMPLES = (
    ("def f(a, b=1): pass", ("def f(a, b=None): pass",)),
    ("def f(*, b='x', c): pass", ("def f(*, b=None, c): pass",)),
    ("def f(a=None): pass", ()),
)


def changes(node: ast.AST) -> Iterator[ast.AST]:
    """One default at a time; literals are the affair of others too."""
    if not isinstance(node, ast.arguments):
        return
    for field in ("defaults", "kw_defaults"):
        values = getattr(node, field)
        for place, value in enumerate(values):
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                changed = copy.copy(node)
                none = ast.copy_location(ast.Constant(None), value)
                setattr(changed, field, [*values[:place], none, *values[place + 1 :]])
                yield changed
