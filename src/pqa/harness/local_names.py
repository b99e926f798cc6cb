"""Local names: a syntax tree with the local variables of its functions numbered, so that a renamed copy has the same digest.

Only names that a function stores in its own scope and that nothing else could mean are numbered: none that is also an
argument, an import, a handler's or a pattern's name, or a function's, class's or attribute's anywhere in it, none that is
global, no variable of a comprehension that stands outside it too, and none at all where the code can look its variables up
by name.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator
from typing import Any

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
SCOPES = (*FUNCTIONS, ast.ClassDef, ast.Lambda)
LOOKS_UP = frozenset({"locals", "vars", "eval", "exec", "globals", "dir", "_getframe", "currentframe"})


def numbered(node: Any) -> Any:
    """A copy of a function or class in which local variables are numbered as they appear; raises RecursionError."""
    tree = copy.deepcopy(node)
    for function in _outermost(tree):
        _number(function, 0)
    return tree


def _outermost(node: Any) -> Iterator[Any]:
    """The functions that no other function holds."""
    if isinstance(node, FUNCTIONS):
        yield node
    elif isinstance(node, ast.ClassDef):
        for each in node.body:
            yield from _outermost(each)


def _number(function: Any, count: int) -> int:
    """Number the variables of a function, then those of the functions in it; how many numbers are taken now."""
    if any(_word(each) in LOOKS_UP for each in ast.walk(function)):
        return count
    own = list(_in_order(function.body, SCOPES))
    local = set(_stored(own)) - {name for each in ast.walk(function) for name in _bound_otherwise(each)}
    kept = set(_stored(_in_order(function.body, (*SCOPES, *COMPREHENSIONS))))
    local -= {name for statement in function.body for name in _loose(statement)} - kept
    numbers: dict[str, str] = {}
    for each in _in_order(function.body):
        if isinstance(each, ast.Name) and each.id in local and not each.id.startswith("<"):
            each.id = numbers.setdefault(each.id, f"<{count + len(numbers)}>")
    count += len(numbers)
    for each in own:
        if isinstance(each, FUNCTIONS):
            count = _number(each, count)
    return count


def _word(node: Any) -> str:
    if isinstance(node, ast.Name):
        return str(node.id)
    return str(node.attr) if isinstance(node, ast.Attribute) else ""


def _stored(nodes: Iterable[Any]) -> Iterator[str]:
    return (each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store))


def _loose(node: Any, bound: frozenset[str] = frozenset()) -> Iterator[str]:
    """Names as they stand outside every comprehension that binds them: there they may mean something else."""
    if isinstance(node, ast.Name) and node.id not in bound:
        yield node.id
    if isinstance(node, COMPREHENSIONS):
        yield from _loose(node.generators[0].iter, bound)
        bound |= frozenset(_stored(ast.walk(node)))
    for each in ast.iter_child_nodes(node):
        yield from _loose(each, bound)


def _in_order(body: list[Any], closed: tuple[Any, ...] = ()) -> Iterator[Any]:
    """All nodes below as they stand in the source; those of the `closed` kinds, but not what is in them."""
    for node in body:
        yield node
        if not isinstance(node, closed):
            yield from _in_order(list(ast.iter_child_nodes(node)), closed)


def _bound_otherwise(node: Any) -> Iterator[str]:
    """Names that a node binds, or takes from elsewhere, in another way than by storing to a variable."""
    if isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield (node.asname or node.name).partition(".")[0]
    elif isinstance(node, (ast.Global, ast.Nonlocal)):
        yield from node.names
    elif isinstance(node, ast.ClassDef):
        yield node.name
        yield from _stored(_in_order(node.body, SCOPES))
    else:
        yield from (
            each for each in (getattr(node, "name", None), getattr(node, "rest", None)) if isinstance(each, str)
        )
