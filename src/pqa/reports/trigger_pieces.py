"""Trigger pieces: takes helpers out of the kit's source text, with what they need, for a file that stands alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files

SOURCES = ("trigger_kit.py", "trigger_interpreter.py")


def pieces(names: Iterable[str], extra: Iterable[str] = ()) -> tuple[list[str], str]:
    """The import lines and the code of the named helpers and of all that they use, in the kit's order."""
    code, uses, imports = _kit()
    wanted: set[str] = set()
    queue = list(names)
    while queue:
        name = queue.pop()
        if name not in wanted:
            wanted.add(name)
            queue += [used for used in uses[name] if used in code]
    needed = {used for name in wanted for used in uses[name]}
    lines = _joined({line for name, line in imports.items() if name in needed} | set(extra))
    constants = "\n".join(text for name, text in code.items() if name in wanted and name.isupper())
    blocks = [text for name, text in code.items() if name in wanted and not name.isupper()]
    return lines, "\n\n\n".join([constants, *blocks] if constants else blocks)


def _joined(lines: set[str]) -> list[str]:
    """Sorted import lines, one for each module."""
    plain = sorted(line for line in lines if line.startswith("import "))
    names: dict[str, list[str]] = {}
    for line in sorted(lines - set(plain)):
        module, name = line.removeprefix("from ").split(" import ")
        names.setdefault(module, []).append(name)
    return plain + [f"from {module} import {', '.join(found)}" for module, found in names.items()]


@cache
def _kit() -> tuple[dict[str, str], dict[str, frozenset[str]], dict[str, str]]:
    """By name: the text of each helper, the names it uses, and the line that imports each imported name."""
    code: dict[str, str] = {}
    uses: dict[str, frozenset[str]] = {}
    imports: dict[str, str] = {}
    for source in SOURCES:
        text = (files("pqa.reports") / source).read_text(encoding="utf-8")
        for node in ast.parse(text).body:
            for name, piece in _defined(node, text):
                code[name] = piece
                uses[name] = frozenset(part.id for part in ast.walk(node) if isinstance(part, ast.Name))
            imports |= dict(_imported(node))
    return code, uses, imports


def _defined(node: ast.stmt, text: str) -> Iterator[tuple[str, str]]:
    lines = text.splitlines()
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
        yield node.name, _bare(lines[first - 1 : node.end_lineno])
    elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
        yield node.targets[0].id, _bare(lines[node.lineno - 1 : node.end_lineno])


def _bare(lines: list[str]) -> str:
    """The lines without the marks that only pqa's own linters read."""
    return "\n".join(re.sub(r"  # (noqa|type: ignore).*$", "", line) for line in lines)


def _imported(node: ast.stmt) -> Iterator[tuple[str, str]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, f"import {alias.name}") for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not str(node.module).startswith(("__future__", "pqa.")):
        yield from ((alias.name, f"from {node.module} import {alias.name}") for alias in node.names)
