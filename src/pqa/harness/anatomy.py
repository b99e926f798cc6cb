"""Anatomy: what a tree's code is made of, by its syntax alone; no line of it is run, so that nothing of it can lie.

job: {"code": [...], "tests": [...]}. One record a file: {"file", "state": [[class, attribute, [paths]]], "calls",
"imports", "functions", "deciding": [value...], "suppressions": [name...], "statements": [digest...]}.
"""

from __future__ import annotations

import ast
import hashlib
import io
import os
import re
import tokenize
from collections.abc import Iterator, Mapping
from typing import Any, Optional

import annotated
import bodies

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
MAXIMUM = 4_000
MAXIMUM_SOURCE = 2 << 20
COMMENTS = {
    "# noqa": re.compile(r"#\s*(?:ruff:\s*|flake8:\s*)?noqa\b", re.I),
    "# type: ignore": re.compile(r"#\s*(?:type|pyright|mypy):\s*ignore\b", re.I),
    "# pragma: no cover": re.compile(r"#\s*pragma:\s*no\s*(?:cover|mutate)\b", re.I),
    "# nosec": re.compile(r"#\s*(?:nosec\b|pylint:\s*disable\b)", re.I),
}
SKIPS = ("skip", "skipif", "skipIf", "skipUnless", "skipTest", "xfail", "expectedFailure", "importorskip")
SILENCERS = ("suppress", "filterwarnings", "simplefilter")
MUTATORS = (
    "append",
    "add",
    "update",
    "setdefault",
    "pop",
    "insert",
    "extend",
    "clear",
    "remove",
    "appendleft",
    "popleft",
)
NOT_STRUCTURE = ("__future__", "typing", "typing_extensions", "collections.abc", "abc")


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """One record a file, in order."""
    for name in [*job["code"], *job.get("tests", ())]:
        emit(record(name, os.path.join(context.source, name)))


def record(name: str, path: str) -> dict[str, Any]:
    """The anatomy of one file."""
    tree = bodies.parsed(path)
    functions = dict(functions_of(tree))
    return {
        "file": name,
        "state": [*attributes_of(tree), *globals_of(tree)][:MAXIMUM],
        "calls": sorted({edge for owner, node in functions.items() for edge in calls_of(owner, node, functions)})[
            :MAXIMUM
        ],
        "imports": sorted(set(imports_of(tree)))[:MAXIMUM],
        "functions": sorted(functions)[:MAXIMUM],
        "deciding": list(deciding(tree))[:MAXIMUM],
        "suppressions": [*suppressions(tree), *comments(path)][:MAXIMUM],
        "statements": list(statements(tree))[:MAXIMUM],
    }


def functions_of(node: Any, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Functions and methods by qualified name."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, FUNCTIONS):
            yield prefix + child.name, child
            yield from functions_of(child, prefix + child.name + ".")
        elif isinstance(child, ast.ClassDef):
            yield from functions_of(child, prefix + child.name + ".")
        else:
            yield from functions_of(child, prefix)


def attributes_of(tree: Any) -> Iterator[list[Any]]:
    """[class, attribute, kind paths] of what methods put on `self`, and of annotated names in class bodies."""
    for kind in ast.walk(tree):
        if not isinstance(kind, ast.ClassDef):
            continue
        found: dict[str, set[str]] = {}
        for each in kind.body:
            if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name):
                found.setdefault(each.target.id, set()).update(annotated.paths_of(each.annotation))
        for node in ast.walk(kind):
            for name, paths in assigned(node):
                found.setdefault(name, set()).update(paths)
        for name, paths in sorted(found.items()):
            yield [kind.name, name, sorted(paths)]


def assigned(node: Any) -> Iterator[tuple[str, set[str]]]:
    """What one statement puts on `self`."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for target in targets:
        for each in target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]:
            if (
                isinstance(each, ast.Attribute)
                and isinstance(each.value, ast.Name)
                and each.value.id in ("self", "cls")
            ):
                paths = annotated.paths_of(node.annotation) if isinstance(node, ast.AnnAssign) else set()
                yield each.attr, paths or annotated.value_paths(node.value)


def globals_of(tree: Any) -> Iterator[list[Any]]:
    """Module-level containers that some code changes: state, where an untouched table is none."""
    changed = {name for node in ast.walk(tree) for name in [changed_name(node)] if name}
    for node in tree.body:
        targets = (
            node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        )
        for target in targets:
            if isinstance(target, ast.Name) and target.id in changed and node.value is not None:
                paths = annotated.paths_of(node.annotation) if isinstance(node, ast.AnnAssign) else set()
                yield ["", target.id, sorted(paths or annotated.value_paths(node.value))]


def changed_name(node: Any) -> Optional[str]:
    """The name whose content a node changes, if it does."""
    if isinstance(node, ast.Global):
        return node.names[0]
    holder = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, (ast.Store, ast.Del)):
        holder = node.value
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in MUTATORS:
        holder = node.func.value
    return holder.id if isinstance(holder, ast.Name) else None


def calls_of(owner: str, function: Any, functions: Mapping[str, Any]) -> Iterator[str]:
    """ "owner->callee" for calls of the tree's own functions and methods."""
    family = owner.rpartition(".")[0]
    for node in ast.walk(function):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in functions:
            yield owner + "->" + called.id
        if (
            isinstance(called, ast.Attribute)
            and isinstance(called.value, ast.Name)
            and called.value.id in ("self", "cls")
        ):
            name = family + "." + called.attr
            if name in functions:
                yield owner + "->" + name


def imports_of(tree: Any) -> Iterator[str]:
    """Modules, and names out of modules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module not in NOT_STRUCTURE:
            yield from ((node.module or ".") + "." + alias.name for alias in node.names)


def deciding(tree: Any) -> Iterator[Any]:
    """Constants that code decides by: compared with, keys of dicts, members of sets, matched, assigned at the top."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Compare):
            yield from constants(node)
        elif isinstance(node, ast.Dict):
            yield from (value for key in node.keys if key is not None for value in constants(key))
        elif isinstance(node, ast.Set) or type(node).__name__ in ("MatchValue", "MatchSingleton"):
            yield from constants(node)
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr in ("startswith", "endswith", "get")
        ):
            yield from (value for each in node.args[:1] for value in constants(each))
    for statement in tree.body:
        if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is not None:
            yield from constants(statement.value)


def constants(node: Any) -> Iterator[Any]:
    """Plain numbers and texts below a node; a minus belongs to its number."""
    negative = {
        id(each.operand) for each in ast.walk(node) if isinstance(each, ast.UnaryOp) and isinstance(each.op, ast.USub)
    }
    for each in ast.walk(node):
        value: Any = each.value if isinstance(each, ast.Constant) else None
        if type(value) in (int, float) and abs(value) < 1e300:
            yield -value if id(each) in negative else value
        elif type(value) is str and len(value) <= 200:
            yield value


def suppressions(tree: Any) -> Iterator[str]:
    """Exceptions that are swallowed, tests that are skipped, warnings that are silenced."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ExceptHandler) and all(is_nothing(each) for each in node.body):
            yield "except: pass"
        elif isinstance(node, ast.Attribute) and node.attr in SKIPS:
            yield node.attr
        elif isinstance(node, ast.Call):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called in SILENCERS:
                yield called


def is_nothing(node: Any) -> bool:
    """Whether a statement does nothing at all."""
    return isinstance(node, (ast.Pass, ast.Continue)) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    )


def comments(path: str) -> Iterator[str]:
    """Comments that silence a checker."""
    try:
        with open(path, "rb") as source:
            tokens = list(tokenize.tokenize(io.BytesIO(source.read(MAXIMUM_SOURCE)).readline))
    except (OSError, tokenize.TokenError, SyntaxError, ValueError, IndentationError):
        return
    for token in tokens:
        if token.type == tokenize.COMMENT:
            yield from (name for name, mark in COMMENTS.items() if mark.search(token.string))


def statements(tree: Any) -> Iterator[str]:
    """A digest of every statement, of a compound one's head only; docstrings left out."""
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not is_nothing(node):
            kept = {
                name: value
                for name, value in ast.iter_fields(node)
                if name not in ("body", "orelse", "finalbody", "handlers")
            }
            parts = [type(node).__name__, *(dumped(value) for value in kept.values())]
            yield hashlib.sha256("|".join(parts).encode("utf-8", "replace")).hexdigest()[:12]


def dumped(value: Any) -> str:
    """One field of a statement as text."""
    if isinstance(value, list):
        return ",".join(dumped(each) for each in value)
    return ast.dump(value) if isinstance(value, ast.AST) else repr(value)
