"""Arid: which code is not worth a mutant, because nobody would want a test for it: logging, messages, annotations, `__repr__`."""

from __future__ import annotations

import ast
from collections.abc import Iterator

FUNCTIONS = frozenset(
    ("__repr__", "__str__", "__format__", "__hash__", "__reduce__", "__reduce_ex__", "__sizeof__", "__del__", "__dir__")
)
TALKERS = frozenset(("log", "logger", "logging", "_log", "_logger", "LOG", "LOGGER", "warnings"))
TALK = frozenset(("print", "pprint", "warn", "debug"))
TYPE_MAKERS = frozenset(("TypeVar", "NewType", "ParamSpec", "TypeVarTuple", "namedtuple", "NamedTuple", "TypedDict"))
TYPES = frozenset(("cast", "TypeVar", "NewType", "ParamSpec", "TypeVarTuple"))
SKIPPED_FIELDS: dict[type, frozenset[str]] = {
    ast.arg: frozenset(("annotation",)),
    ast.AnnAssign: frozenset(("annotation",)),
    ast.FunctionDef: frozenset(("returns", "decorator_list", "type_params")),
    ast.AsyncFunctionDef: frozenset(("returns", "decorator_list", "type_params")),
    ast.ClassDef: frozenset(("decorator_list", "bases", "keywords", "type_params")),
    ast.Raise: frozenset(("cause",)),
    ast.FormattedValue: frozenset(("format_spec",)),
}


def is_arid(node: ast.AST) -> bool:
    """Whether neither the node nor anything in it is worth a mutant."""
    if isinstance(node, (ast.Assert, ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal)):
        return True
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name in FUNCTIONS or any(named(each) == "overload" for each in node.decorator_list)
    if isinstance(node, ast.Expr):
        return _is_talk(node.value) or isinstance(node.value, ast.Constant)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        return _is_dull_assignment(node)
    if isinstance(node, ast.If):
        return not node.orelse and (named(node.test) == "TYPE_CHECKING" or _is_main(node.test))
    return isinstance(node, ast.Call) and named(node.func) in TYPES


def inner(node: ast.AST) -> Iterator[tuple[str, ast.AST, int]]:
    """The parts of a node that are worth a look: field, part, and its place in a list or -1."""
    skipped = SKIPPED_FIELDS.get(type(node), frozenset())
    for field, value in ast.iter_fields(node):
        if field in skipped:
            continue
        if isinstance(value, ast.AST):
            if not (isinstance(node, ast.Raise) and isinstance(value, ast.Call)):
                yield field, value, -1
        elif isinstance(value, list):
            for place, part in enumerate(value):
                if isinstance(part, ast.AST) and not (
                    isinstance(node, ast.JoinedStr) and isinstance(part, ast.Constant)
                ):
                    yield field, part, place


def named(node: ast.AST) -> str:
    """The last name of a dotted one, or of what is called."""
    if isinstance(node, ast.Call):
        node = node.func
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_talk(node: ast.AST) -> bool:
    if isinstance(node, ast.Await):
        node = node.value
    if not isinstance(node, ast.Call):
        return False
    function = node.func
    if isinstance(function, ast.Attribute):
        holder = function.value
        return named(holder) in TALKERS and not isinstance(holder, ast.Call)
    return isinstance(function, ast.Name) and function.id in TALK


def _is_dull_assignment(node: ast.AST) -> bool:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    names = [target.id for target in targets if isinstance(target, ast.Name)]
    if names and all(name.startswith("__") and name.endswith("__") for name in names):
        return True
    value = getattr(node, "value", None)
    if value is None:
        return True
    return isinstance(value, ast.Call) and (
        named(value) in TYPE_MAKERS or (named(value) == "getLogger" and bool(names))
    )


def _is_main(node: ast.AST) -> bool:
    return isinstance(node, ast.Compare) and isinstance(node.left, ast.Name) and node.left.id == "__name__"
