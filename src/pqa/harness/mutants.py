"""Mutants: all small changes of one code file that are worth a run, found by its syntax alone and each applied in place."""

from __future__ import annotations
import __future__

import ast
import textwrap
from collections.abc import Iterator
from typing import Any, Optional

import arid
import operators

OPERATORS = operators.found()
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
NO_MUTATE = "pragma: no mutate"
TEXT = 400
BLOCKS = frozenset(("body", "orelse", "finalbody", "handlers", "cases", "decorator_list"))


class Mutant:
    """One change: `new` stands for `old` in `parent`. `root` is the outermost function around it, None where the code runs
    at import; `owner` the statement, `block` the list that holds it."""

    __slots__ = ("block", "field", "name", "new", "old", "operator", "owner", "parent", "place", "root", "scope")

    def __init__(self, operator: str, old: Any, new: Any, parent: Any, slot: tuple[str, int], around: Around) -> None:
        self.operator, self.old, self.new, self.parent = operator, old, new, parent
        self.field, self.place = slot
        self.root, self.owner, self.block = around.root, around.owner, around.block
        self.scope = around.scope
        self.name = ""

    def put(self, node: Any) -> None:
        """Let `node` stand in the place."""
        if self.place < 0:
            setattr(self.parent, self.field, node)
        else:
            getattr(self.parent, self.field)[self.place] = node

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line of the statement, or of the head of one that has a body."""
        return head(self.owner)

    @property
    def span(self) -> tuple[int, int, int, int]:
        """Where the changed part stands: line, column, last line, last column."""
        node = focus(self.old, self.new)[0]
        if not hasattr(node, "lineno"):
            node = self.owner
        if is_block(node):
            first, last = head(node)
            return first, node.col_offset, last, node.col_offset
        return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


class Around:
    """Where the walk is."""

    __slots__ = ("block", "owner", "root", "scope")

    def __init__(self, root: Any, owner: Any, block: Any, scope: str) -> None:
        self.root, self.owner, self.block, self.scope = root, owner, block, scope


class Source:
    """One parsed code file with its mutants; `parents` leads from a root function to the classes around it."""

    def __init__(self, file: str, path: str, content: bytes) -> None:
        self.file, self.path = file, path
        self.tree = ast.parse(content, filename=path)
        self.text = content.decode("utf-8", "replace").splitlines()
        self.kept = {number for number, line in enumerate(self.text, 1) if NO_MUTATE in line}
        self.flags = flags_of(self.tree)
        self.classes: dict[int, tuple[Any, ...]] = {}
        self.roots: list[Any] = []
        self.mutants = self.distinct()

    def record(self, mutant: Mutant, number: int) -> dict[str, Any]:
        """A mutant as plain data."""
        line, column, last, end = mutant.span
        before, after = self.texts(mutant)
        return {
            "id": number, "file": self.file, "line": line, "column": column, "last": last, "end": end,
            "operator": mutant.operator, "kind": kind_of(mutant), "function": mutant.scope,
            "before": before, "after": after, "replacement": replacement(mutant), "imported": mutant.root is None,
        }  # fmt: skip

    def texts(self, mutant: Mutant) -> tuple[str, str]:
        """The changed lines before and after, as a person reads them."""
        line, column, last, end = mutant.span
        lines = [each.encode() for each in self.text[line - 1 : last]] or [b""]
        before = b"\n".join(lines)
        tail = lines[-1][end:] if not is_block(mutant.old) else b""
        after = lines[0][:column] + replacement(mutant).encode() + tail
        return tidied(before), tidied(after)

    def distinct(self) -> list[Mutant]:
        """In the order of the file, without those that read the same."""
        seen: set[tuple[Any, ...]] = set()
        found = []
        around = Around(None, None, None, "")
        for mutant in self.walk(self.tree, around, ()):
            try:
                key = (id(mutant.parent), mutant.field, mutant.place, type(mutant.new), ast.unparse(mutant.new))
            except Exception:
                continue
            if key not in seen and not self.kept.intersection(range(mutant.lines[0], mutant.lines[1] + 1)):
                seen.add(key)
                found.append(mutant)
        return sorted(found, key=lambda mutant: (mutant.span[:2], mutant.operator))

    def walk(self, node: Any, around: Around, classes: tuple[Any, ...], only: str = "") -> Iterator[Mutant]:
        """Every change of every part of a node, or of those in one field."""
        for field, part, place in arid.inner(node):
            if arid.is_arid(part) or (only and field != only):
                continue
            inside = around
            if isinstance(part, (ast.stmt, ast.ExceptHandler)):
                inside = Around(around.root, part, getattr(node, field), around.scope)
            if inside.owner is not None:
                for name, operator in OPERATORS.items():
                    for new in operator.changes(part):
                        yield Mutant(name, part, placed(new, part), node, (field, place), inside)
            yield from self.descend(part, inside, classes)

    def descend(self, part: Any, around: Around, classes: tuple[Any, ...]) -> Iterator[Mutant]:
        """Into a node; the head of a function belongs to what is around it, its body to the function."""
        scope = ".".join(filter(None, (around.scope, str(getattr(part, "name", "")))))
        if isinstance(part, ast.ClassDef):
            inside = Around(around.root, around.owner, around.block, scope)
            yield from self.walk(part, inside, (*classes, part) if around.root is None else classes)
        elif isinstance(part, FUNCTIONS):
            if around.root is None:
                self.classes[id(part)] = classes
                self.roots.append(part)
            yield from self.walk(part, Around(around.root, part, around.block, scope), classes, "args")
            root = around.root if around.root is not None else part
            yield from self.walk(part, Around(root, part, part.body, scope), classes, "body")
        else:
            yield from self.walk(part, around, classes)


def placed(new: Any, old: Any) -> Any:
    """The new node at the place of the old one, all its new parts too."""
    if hasattr(old, "lineno") and not hasattr(new, "lineno"):
        ast.copy_location(new, old)
    return ast.fix_missing_locations(new)


def head(node: Any) -> tuple[int, int]:
    """The lines of a statement, or of the part before its body."""
    if not is_block(node):
        return node.lineno, node.end_lineno or node.lineno
    last = node.lineno
    for field, value in ast.iter_fields(node):
        if field not in BLOCKS:
            for part in value if isinstance(value, list) else [value]:
                ends = (
                    (getattr(each, "end_lineno", None) for each in ast.walk(part)) if isinstance(part, ast.AST) else ()
                )
                last = max([last, *(end for end in ends if end)])
    return node.lineno, last


def focus(old: Any, new: Any) -> tuple[Any, Any]:
    """Of two nodes without a place of their own: the first parts that differ and have one."""
    if hasattr(old, "lineno"):
        return old, new
    for field, value in ast.iter_fields(old):
        other = getattr(new, field, None)
        if isinstance(value, list) and isinstance(other, list):
            for left, right in zip(value, other):
                if left is not right and hasattr(left, "lineno"):
                    return left, right
    return old, new


def kind_of(mutant: Mutant) -> str:
    """What a survivor says about the tests; a number that is compared with is an edge."""
    edge = mutant.operator == "number" and isinstance(mutant.parent, ast.Compare)
    return "boundary" if edge else str(OPERATORS[mutant.operator].KIND)


def is_block(node: Any) -> bool:
    """Whether a node has a body of statements."""
    return isinstance(getattr(node, "body", None), list)


def replacement(mutant: Mutant) -> str:
    """What stands in the place of the changed part; of a block the first lines that differ."""
    new = short(focus(mutant.old, mutant.new)[1])
    if not is_block(mutant.old):
        return new
    lines, old = new.splitlines(), short(mutant.old).splitlines()
    differ = next((at for at, line in enumerate(lines) if at >= len(old) or line != old[at]), 0)
    return lines[0] if differ == 0 else "\n".join([lines[0], *(["..."] if differ > 1 else []), lines[differ]])


def tidied(text: bytes) -> str:
    """Text for a person: no common indentation, bounded."""
    return textwrap.dedent(text.decode("utf-8", "replace"))[:TEXT].strip()


def short(node: Any) -> str:
    """Source text, bounded."""
    try:
        return ast.unparse(node)[:TEXT]
    except Exception:
        return "?"


def flags_of(tree: Any) -> int:
    """The compiler's flags that a file's `from __future__` asks for."""
    flags = 0
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.module == "__future__":
            for alias in node.names:
                feature: Optional[Any] = getattr(__future__, alias.name, None)
                flags |= getattr(feature, "compiler_flag", 0)
    return flags
