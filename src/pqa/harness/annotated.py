"""Annotated: the kind of a piece of state, as paths such as "dict/sequence/float", from an annotation or a first value."""

from __future__ import annotations

import ast
from typing import Any

MAPPINGS = (
    "dict",
    "Dict",
    "Mapping",
    "MutableMapping",
    "defaultdict",
    "DefaultDict",
    "OrderedDict",
    "Counter",
    "WeakValueDictionary",
)
SEQUENCES = ("list", "List", "deque", "Deque", "Sequence", "MutableSequence", "array")
SETS = ("set", "Set", "frozenset", "FrozenSet", "MutableSet")
SCALARS = ("int", "float", "str", "bytes", "bool", "complex", "Decimal", "Fraction", "datetime", "date", "timedelta")
SIGNS = {"Dict": "dict", "List": "sequence", "ListComp": "sequence", "Set": "set", "SetComp": "set", "DictComp": "dict"}
DEPTH = 6


def paths_of(annotation: Any, prefix: str = "", depth: int = 0) -> set[str]:
    """The paths that an annotation names; nothing where it names no known kind."""
    if depth > DEPTH:
        return set()
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return paths_of(ast.parse(annotation.value, mode="eval").body, prefix, depth + 1)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return set()
    if isinstance(annotation, ast.BinOp):
        return paths_of(annotation.left, prefix, depth + 1) | paths_of(annotation.right, prefix, depth + 1)
    if isinstance(annotation, ast.Subscript):
        return _subscripted(annotation, prefix, depth)
    kind = kind_named(name_of(annotation))
    return {prefix + kind} if kind else set()


def _subscripted(annotation: Any, prefix: str, depth: int) -> set[str]:
    name = name_of(annotation.value)
    inner = annotation.slice
    inner = getattr(inner, "value", inner) if type(inner).__name__ == "Index" else inner
    parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
    if name in ("Optional", "Union", "Final", "ClassVar", "Annotated"):
        kept = parts[:1] if name == "Annotated" else parts
        return {path for each in kept for path in paths_of(each, prefix, depth + 1)}
    kind = kind_named(name)
    if kind == "record" and len(parts) == 2 and isinstance(parts[1], ast.Constant) and parts[1].value is Ellipsis:
        kind, parts = "sequence", parts[:1]
    if not kind:
        return set()
    within = parts[1:] if kind == "dict" else parts
    found = {prefix + kind}
    for each in within:
        found |= paths_of(each, prefix + kind + "/", depth + 1)
    return found


def value_paths(value: Any) -> set[str]:
    """The paths that a first value shows: a display, a constant, or a call of a known type."""
    if value is None:
        return set()
    sign = SIGNS.get(type(value).__name__)
    if sign:
        return {sign}
    if isinstance(value, ast.Tuple):
        return {"record"} | {"record/" + path for each in value.elts for path in value_paths(each)}
    if isinstance(value, ast.Constant):
        name = type(value.value).__name__
        return {name} if name in SCALARS else set()
    if isinstance(value, ast.Call):
        kind = kind_named(name_of(value.func))
        return {kind} if kind else set()
    return set()


def kind_named(name: str) -> str:
    """The kind that a type's name stands for; "" for an unknown one."""
    for kind, names in (("dict", MAPPINGS), ("sequence", SEQUENCES), ("set", SETS), ("record", ("tuple", "Tuple"))):
        if name in names:
            return kind
    if name.endswith(("Lock", "Semaphore", "Condition", "Event", "Queue")):
        return name.lower()
    return name if name in SCALARS else ""


def name_of(node: Any) -> str:
    """The last part of a dotted name."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""
