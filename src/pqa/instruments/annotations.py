"""Annotations: the shapes and the bounds that signatures and docstrings state, for arguments that few calls show."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from pqa.core.surface import Function
from pqa.instruments.shapes import Option, Shape, learn_shape

PLAIN = {
    "int": "int",
    "integer": "int",
    "integers": "int",
    "ints": "int",
    "number": "int",
    "numbers": "int",
    "float": "float",
    "floats": "float",
    "double": "float",
    "str": "str",
    "string": "str",
    "strings": "str",
    "text": "str",
    "strs": "str",
    "bool": "bool",
    "boolean": "bool",
    "booleans": "bool",
    "bytes": "bytes",
    "None": "None",
    "none": "None",
}
LISTS = ("list", "List", "Sequence", "Iterable", "MutableSequence", "Collection", "array", "lists", "arrays")
TUPLES = ("tuple", "Tuple", "tuples")
SETS = {"set": "set", "Set": "set", "frozenset": "frozenset", "FrozenSet": "frozenset", "AbstractSet": "set"}
DICTS = ("dict", "Dict", "Mapping", "MutableMapping", "dictionary", "DefaultDict", "defaultdict", "OrderedDict")
OPEN = (
    "Any",
    "object",
    "Hashable",
    "Iterator",
    "Generator",
    "Sized",
    "Container",
    "Number",
    "Real",
    "Complex",
    "Literal",
    "Union",
    "Optional",
    "Decimal",
    "Fraction",
    "date",
    "time",
    "datetime",
    "timedelta",
    "complex",
    "bytearray",
)
"""Annotations that say nothing of the kind, or whose values can be written down."""
STATED = re.compile(r"(?<![\w.])({0}(?:\s*(?:<=|>=|<|>|≤|≥)\s*{0})+)".format(r"(?:len\(\w+\)|-?\w+)"))


def annotation_shape(text: str) -> Shape:
    """The shape of an annotation's source text; unknown where it says nothing that can be generated."""
    try:
        return _node_shape(ast.parse(text.strip().strip("'\""), mode="eval").body)
    except (SyntaxError, ValueError, RecursionError):
        return Shape()


def _node_shape(node: ast.expr) -> Shape:
    if isinstance(node, ast.Constant):
        return (
            annotation_shape(node.value)
            if isinstance(node.value, str)
            else _single("None")
            if node.value is None
            else Shape()
        )
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _union([_node_shape(node.left), _node_shape(node.right)])
    name, parameters = _name(node), []
    if isinstance(node, ast.Subscript):
        name = _name(node.value)
        parameters = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if name == "Literal":
        return learn_shape(ast.literal_eval(parameter) for parameter in parameters)
    if name in ("Union", "Optional"):
        return _union([*map(_node_shape, parameters), *([_single("None")] if name == "Optional" else [])])
    return _generic_shape(name, parameters)


def _name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _generic_shape(name: str, parameters: list[ast.expr]) -> Shape:
    if name in PLAIN:
        return _single(PLAIN[name])
    inner = [_node_shape(parameter) for parameter in parameters if not _is_ellipsis(parameter)]
    first = inner[0] if inner else Shape()
    if name in LISTS:
        return Shape((Option("list", item=first, high=6),))
    if name in SETS:
        return Shape((Option(SETS[name], item=first, high=6),))
    if name in DICTS:
        return Shape((Option("dict", keys=first, item=inner[1] if len(inner) > 1 else Shape(), high=4),))
    if name in TUPLES:
        if not inner or any(map(_is_ellipsis, parameters)):
            return Shape((Option("tuple", item=first, high=6),))
        fields: tuple[tuple[object, Shape], ...] = tuple(enumerate(inner))
        size = len(inner)
        return Shape(
            (Option("tuple", low=size, high=size, item=_union(inner), fields=fields, required=frozenset(range(size))),)
        )
    return Shape()


def _is_ellipsis(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is Ellipsis


def _single(kind: str) -> Shape:
    samples: dict[str, list[object]] = {
        "int": [0, 10],
        "float": [0.0, 10.0],
        "str": ["", "abcxyz"],
        "bool": [False, True],
        "None": [None],
    }
    shape = learn_shape(samples.get(kind, [b"ab"]))
    return Shape(
        tuple(replace(option, pool=option.pool if kind in ("bool", "None") else ()) for option in shape.options)
    )


def _union(shapes: Sequence[Shape]) -> Shape:
    options: dict[str, Option] = {}
    for shape in shapes:
        if not shape.options:
            return Shape()
        for option in shape.options:
            options.setdefault(option.kind, option)
    return Shape(tuple(options.values()))


def stated_shape(functions: Sequence[Function], index: int, name: str) -> Shape:
    """What most signatures (or else most docstrings) say of the parameter at `index`."""
    texts = [function.parameters[index].annotation for function in functions if index < len(function.parameters)]
    for stated in (texts, [_documented_type(function.doc, name) for function in functions]):
        counts = Counter(text for text in stated if text)
        if counts and counts.most_common(1)[0][1] * 2 > len(functions):
            shape = annotation_shape(counts.most_common(1)[0][0])
            if shape.options:
                return shape
    return Shape()


def unbuildable(functions: Sequence[Function], names: Sequence[str], shapes: Sequence[Shape]) -> str:
    """The first parameter of which no value is known, and whose annotation names a class that has no plain value; or ""."""
    for name, shape in zip(names, shapes, strict=True):
        texts = [one.annotation for function in functions for one in function.parameters if one.name == name]
        if not shape.options and texts and sum(map(_is_opaque, texts)) * 2 > len(texts):
            return name
    return ""


def _is_opaque(text: str) -> bool:
    """Whether an annotation names something that is neither plain, nor a container, nor open to anything."""
    try:
        tree = ast.parse(text.strip().strip("'\""), mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return False
    name = _name(tree.value if isinstance(tree, ast.Subscript) else tree)
    known = (*PLAIN, *LISTS, *TUPLES, *SETS, *DICTS, *OPEN)
    return bool(name) and name not in known and len(name.strip("_")) > 2


def _documented_type(doc: str, name: str) -> str:
    """The type in `:param int x:`, `:param x: int`, `:type x: int`, `x (int): ...` or `x : int`, as an annotation."""
    escaped = re.escape(name)
    forms = (
        rf":param\s+([\w\[\], .|]+?)\s+{escaped}\s*:",
        rf":(?:type|param)\s+{escaped}\s*:\s*([^\n]+)",
        rf"^\s*{escaped}\s*\(([^)\n]+)\)\s*:",
        rf"^\s*{escaped}\s*:\s*([^\n]+)",
    )
    for form in forms:
        found = re.search(form, doc, re.MULTILINE)
        if found:
            return _worded_type(found.group(1))
    return ""


def _worded_type(text: str) -> str:
    """An annotation from words such as "list of int", "a list of lists of strings" or "int, the size"."""
    text = re.sub(r"^(?:an?|the|optional)\s+", "", text.strip())
    words = re.match(r"(\w+)((?:\s+of\s+\w+)*)", text)
    if words is None or "[" in text.split(",")[0]:
        return text.split(",")[0].strip() if "[" not in text else text.strip(" .,")
    chain = [words.group(1), *re.findall(r"of\s+(\w+)", words.group(2))]
    known = [
        word for word in chain if word in PLAIN or word in LISTS or word in TUPLES or word in SETS or word in DICTS
    ]
    if known != chain:
        return ""
    return "[".join(chain) + "]" * (len(chain) - 1)


def stated_bounds(functions: Sequence[Function], prose: str, names: Sequence[str]) -> Iterator[str]:
    """Relations that docstrings or the task write as comparisons of parameters: `0 <= k <= len(lst)`."""
    texts = [prose, *dict.fromkeys(function.doc for function in functions)]
    for text in texts:
        for chain in STATED.findall(text):
            parts = re.split(r"\s*(<=|>=|<|>|≤|≥)\s*", chain)
            for left, operator, right in zip(parts[::2], parts[1::2], parts[2::2], strict=False):
                yield from _comparison(left, {"≤": "<=", "≥": ">="}.get(operator, operator), right, names)


def _comparison(left: str, operator: str, right: str, names: Sequence[str]) -> Iterator[str]:
    flipped = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
    terms = {*names, *(f"len({name})" for name in names)}
    if left in terms and re.fullmatch(r"-?\d+", right):
        yield f"{left} {operator} {right}"
    elif right in terms and re.fullmatch(r"-?\d+", left):
        yield f"{right} {flipped[operator]} {left}"
    elif left in terms and right in terms and left != right:
        yield f"{left} {operator} {right}" if operator in ("<", "<=") else f"{right} {flipped[operator]} {left}"
