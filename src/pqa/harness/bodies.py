"""Bodies: digests of function and class bodies that do not depend on place, layout, docstring or local names; plain literals."""

from __future__ import annotations

import ast
import hashlib
import os
from collections.abc import Iterable
from typing import Any

import local_names

LITERALS, LITERAL_LENGTH = 200, 200
MAXIMUM_SOURCE = 2 << 20
DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

_parsed: dict[str, Any] = {}
_by_line: dict[str, dict[int, Any]] = {}


def parsed(path: str) -> Any:
    """The syntax tree of a file, read once; an empty module when it has none."""
    if path not in _parsed:
        try:
            with open(path, "rb") as source:
                _parsed[path] = ast.parse(source.read(MAXIMUM_SOURCE))
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            _parsed[path] = ast.Module(body=[], type_ignores=[])
    return _parsed[path]


def digest(path: str, line: int) -> str:
    """The digest of the function that begins at `line` (its first decorator counts as its beginning)."""
    if path not in _by_line:
        found: dict[int, Any] = {}
        for node in ast.walk(parsed(path)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                found[min([node.lineno, *(each.lineno for each in node.decorator_list)])] = node
        _by_line[path] = found
    found_node = _by_line[path].get(line)
    return "" if found_node is None else digest_of(found_node)


def class_place(path: str, qualname: str) -> tuple[int, str]:
    """Line and digest of a class, found by its qualified name."""
    node = parsed(path)
    for part in qualname.split("."):
        inner = [each for each in ast.iter_child_nodes(node) if isinstance(each, DEFINITIONS) and each.name == part]
        if not inner:
            return 0, ""
        node = inner[-1]
    return node.lineno, digest_of(node)


def digest_of(node: Any) -> str:
    """A hash of the dump of arguments and body, without docstrings, positions and the names of local variables."""
    parts = [ast.dump(node.args)] if hasattr(node, "args") else [ast.dump(base) for base in node.bases]
    try:
        node = local_names.numbered(node)
        parts += [ast.dump(_without_docstrings(each)) for each in _after_docstring(node.body)]
    except RecursionError:
        return ""
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def rest(source: str, files: Iterable[str]) -> str:
    """A hash of what public functions and classes stand on: all other code of the files, as in `digest_of`; "" where a part
    of it is nested too deeply."""
    parts = []
    try:
        for name in sorted(files):
            body = _after_docstring(parsed(os.path.join(source, name)).body)
            kept = [each for each in body if not isinstance(each, DEFINITIONS) or each.name.startswith("_")]
            parts += [name, *(ast.dump(_without_docstrings(local_names.numbered(each))) for each in kept)]
    except RecursionError:
        return ""
    return hashlib.sha256("\n".join(parts).encode("utf-8", "replace")).hexdigest()[:16]


def _after_docstring(body: list[Any]) -> list[Any]:
    first = body[0] if body else None
    value = first.value if isinstance(first, ast.Expr) else None
    return body[1:] if isinstance(value, ast.Constant) and isinstance(value.value, str) else body


def _without_docstrings(node: Any) -> Any:
    for each in ast.walk(node):
        if isinstance(each, DEFINITIONS):
            each.body = _after_docstring(each.body) or [ast.Pass()]
    return node


def literals(paths: Iterable[str]) -> list[Any]:
    """Plain constants of the source, docstrings left out, in a stable order; bytes as {"$type": "bytes"}."""
    found: dict[tuple[str, str], Any] = {}
    for path in paths:
        tree = parsed(os.path.realpath(path)) if os.path.realpath(path) in _parsed else parsed(path)
        skipped = _not_values(tree)
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and id(node) not in skipped:
                _note(node.value, found)
            if len(found) >= LITERALS:
                return list(found.values())
    return list(found.values())


def _not_values(tree: Any) -> set[int]:
    """Constants that are docstrings or parts of annotations."""
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Expr):
            found.add(id(node.value))
        for annotation in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(annotation, ast.AST):
                found |= {id(each) for each in ast.walk(annotation)}
    return found


def _note(value: Any, found: dict[tuple[str, str], Any]) -> None:
    if type(value) in (str, bytes) and 0 < len(value) <= LITERAL_LENGTH:
        form = value if type(value) is str else {"$type": "bytes", "value": value.decode("latin-1")}
        found.setdefault((type(value).__name__, repr(value)), form)
    elif type(value) is int and abs(value) < 1 << 128:
        found.setdefault(("int", repr(value)), value)
    elif type(value) is float and abs(value) < float("inf"):
        found.setdefault(("float", repr(value)), value)
