"""Example blocks: the parts of a task's text that examples are read from, with what each of them is about."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

Definition = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Block:
    """A docstring with the class that it is part of and the function that it describes; or the prose around the code, with
    the one function that the code declares. `required` are the parameters without a default."""

    text: str
    owner: str = ""
    function: str = ""
    parameters: tuple[str, ...] = ()
    required: tuple[str, ...] = ()


def example_blocks(text: str) -> list[Block]:
    """Docstrings of fenced Python, each for itself, and last the prose around the fences."""
    rest: list[str] = []
    found: list[Block] = []
    declared: list[Definition] = []
    for position, part in enumerate(re.split(r"^(?:```|~~~)[^\n]*$", text, flags=re.MULTILINE)):
        tree = _parsed(part) if position % 2 else None
        docstrings = list(_docstrings(tree)) if tree is not None else []
        declared += [node for node in tree.body if isinstance(node, Definition)] if tree is not None else []
        found += docstrings
        if not docstrings:
            rest.append(part)
    alone = declared[0] if len(declared) == 1 else None
    return [*found, _about("\n".join(rest), "", alone)]


def _parsed(source: str) -> ast.Module | None:
    for tried in (source, source.rstrip() + "\n    pass\n"):
        try:
            return ast.parse(tried)
        except (SyntaxError, ValueError, RecursionError):
            continue
    return None


def _docstrings(tree: ast.Module) -> Iterator[Block]:
    owners = {
        id(part): node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for part in (node, *node.body)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | Definition):
            found = ast.get_docstring(node)
            if found:
                yield _about(found, owners.get(id(node), ""), node if isinstance(node, Definition) else None)


def _about(text: str, owner: str, node: Definition | None) -> Block:
    if node is None or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
        return Block(text, owner)
    parameters = [one.arg for one in (*node.args.posonlyargs, *node.args.args)]
    required: Sequence[str] = parameters[: len(parameters) - len(node.args.defaults)]
    return Block(text, owner, node.name, tuple(parameters), tuple(required))
