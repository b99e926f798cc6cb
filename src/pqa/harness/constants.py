"""Constants: which plain values stand in a tree's conditions and tables, by its syntax alone; no line of it is run.

job: {"code": [...]}. One record a file: {"file", "keys": [{"place", "value", "group", "beside": [places]}], "tells":
[names by which code looks at who runs it]}. A place is [line, column, end line, end column]. "beside" are the plain
answers that a key leads to. Assertions, docstrings, demonstrations and defaults are left out.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Optional

import bodies
import values

MAXIMUM_KEYS, MAXIMUM_SIZE = 3_000, 20_000
DISPLAYS = (ast.List, ast.Tuple, ast.Set)
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
TELLS = ("_getframe", "_current_frames", "currentframe", "getouterframes", "f_back", "f_locals", "extract_stack")
TOLD = ("pytest", "_pytest", "unittest", "PYTEST_CURRENT_TEST", "PYTEST_VERSION", "test_")


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """One record a file, in order."""
    for name in job["code"]:
        tree = bodies.parsed(os.path.join(context.source, name))
        reader = Reader()
        try:
            reader.visit(tree)
        except RecursionError:
            continue
        emit({"file": name, "keys": reader.keys[:MAXIMUM_KEYS], "tells": sorted(set(tells(tree)))})


def place(node: Any) -> list[int]:
    """Where a node stands."""
    return [node.lineno, node.col_offset, node.end_lineno, node.end_col_offset]


def plain(node: Any) -> Optional[list[Any]]:
    """[the encoded value] of an expression that is a literal; None for any other, or one too large."""
    if not isinstance(node, (ast.Constant, ast.UnaryOp, ast.Dict, *DISPLAYS)):
        return None
    try:
        form = values.Encoder().encode(ast.literal_eval(node))
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError, values.TooLarge):
        return None
    return [form] if len(json.dumps(form)) <= MAXIMUM_SIZE else None


class Reader(ast.NodeVisitor):
    """Collects keys: literals that are compared with, looked up by, listed in a table or asked for in a condition."""

    def __init__(self) -> None:
        self.keys: list[dict[str, Any]] = []
        self.owner = "module"
        self.inside = False

    def key(self, node: Any, group: str, beside: Iterable[Any]) -> None:
        """Note one literal, and those inside it."""
        found = plain(node)
        if found is not None:
            places = [place(each) for each in beside]
            self.keys.append({"place": place(node), "value": found[0], "group": group, "beside": places})

    def visit_FunctionDef(self, node: Any) -> None:
        before = self.owner, self.inside
        self.owner, self.inside = f"{node.name}:{node.lineno}", True
        for each in node.body:
            self.visit(each)
        self.owner, self.inside = before

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Assert(self, node: Any) -> None:
        """A demonstration."""

    def visit_Expr(self, node: Any) -> None:
        if self.inside and not isinstance(node.value, ast.Constant):
            self.generic_visit(node)

    def visit_If(self, node: Any) -> None:
        if any(isinstance(each, ast.Name) and each.id == "__name__" for each in ast.walk(node.test)):
            return
        self.condition(node.test, answers(node.body))
        for each in (*node.body, *node.orelse):
            self.visit(each)

    def visit_IfExp(self, node: Any) -> None:
        self.condition(node.test, [node.body] if plain(node.body) is not None else [])
        self.visit(node.body)
        self.visit(node.orelse)

    def visit_match_case(self, node: Any) -> None:
        found = answers(node.body)
        for each in ast.walk(node.pattern):
            if type(each).__name__ == "MatchValue":
                self.key(getattr(each, "value"), self.owner, found)  # noqa: B009 - no such node in Python 3.9
        for each in node.body:
            self.visit(each)

    def condition(self, test: Any, found: list[Any]) -> None:
        """The literals of a condition, those in its displays included."""
        for each in ast.walk(test):
            if isinstance(each, (ast.List, ast.Tuple, ast.Set)) and not constant_only(each):
                continue
            if isinstance(each, (ast.Constant, ast.UnaryOp, *DISPLAYS)):
                self.key(each, self.owner, found)

    def visit_Compare(self, node: Any) -> None:
        self.condition(node, [])

    def visit_Dict(self, node: Any) -> None:
        group = f"{node.lineno}:{node.col_offset}"
        for each, value in zip(node.keys, node.values):
            if each is not None:
                self.key(each, group, [value] if plain(value) is not None else [])
            self.visit(value)

    def table(self, node: Any) -> None:
        """A list, tuple or set: of keys, or of rows that begin with one."""
        group = f"{node.lineno}:{node.col_offset}"
        for each in node.elts:
            self.key(each, group, [])
            if isinstance(each, (ast.Tuple, ast.List)) and len(each.elts) > 1:
                self.key(each.elts[0], group + "/rows", [one for one in each.elts[1:] if plain(one) is not None])
            self.visit(each)

    visit_List = visit_Tuple = visit_Set = table


def constant_only(node: Any) -> bool:
    """Whether a display is a literal."""
    return plain(node) is not None


def answers(body: Iterable[Any]) -> list[Any]:
    """The literals that the statements of a body return or assign."""
    returned = [each.value for each in body if isinstance(each, (ast.Return, ast.Assign)) and each.value is not None]
    return [value for value in returned if plain(value) is not None]


def tells(tree: Any) -> Iterator[str]:
    """Names by which code looks at its callers, or at whether a test runner is there."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (node.attr in TELLS or (node.attr == "stack" and is_inspect(node))):
            yield node.attr
        elif isinstance(node, ast.Name) and node.id in TELLS:
            yield node.id
        elif isinstance(node, ast.alias) and node.name.split(".")[0] in ("pytest", "_pytest"):
            yield node.name
        elif isinstance(node, ast.Constant) and node.value in TOLD:
            yield str(node.value)


def is_inspect(node: Any) -> bool:
    """Whether an attribute is taken from `inspect`."""
    return isinstance(node.value, ast.Name) and node.value.id == "inspect"
