"""Every mutation operator does to its own examples what they say, and leaves the syntax tree as it was."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

FOLDER = Path(__file__).parents[2] / "src/pqa/harness/operators"
KINDS = {"boundary", "value", "effect"}


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"operator_{path.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


OPERATORS = {path.stem: load(path) for path in sorted(FOLDER.glob("*.py")) if path.stem != "__init__"}
EXAMPLES = [(name, before, after) for name, one in OPERATORS.items() for before, after in one.EXAMPLES]


def mutated(operator: ModuleType, node: ast.AST, tree: ast.AST) -> Iterator[str]:
    """The whole text for each change of each part of a node."""
    for field, value in ast.iter_fields(node):
        for place, part in enumerate(value) if isinstance(value, list) else [(-1, value)]:
            if not isinstance(part, ast.AST):
                continue
            for new in operator.changes(part):
                put(node, field, place, new)
                yield ast.unparse(ast.fix_missing_locations(tree))
                put(node, field, place, part)
            yield from mutated(operator, part, tree)


def put(node: ast.AST, field: str, place: int, part: ast.AST) -> None:
    if place < 0:
        setattr(node, field, part)
    else:
        getattr(node, field)[place] = part


def test_operators_are_found_by_folder() -> None:
    assert list(OPERATORS) == [
        *("answer", "arithmetic", "assignment", "augmented", "boundary", "call", "cleanup", "comparison", "condition"),
        *(
            "default",
            "handling",
            "index",
            "jump",
            "keyword",
            "logical",
            "negation",
            "number",
            "refusal",
            "text",
            "truth",
        ),
    ]


@pytest.mark.parametrize(("name", "before", "after"), EXAMPLES, ids=lambda value: str(value)[:40])
def test_operator_does_what_its_example_says(name: str, before: str, after: tuple[str, ...]) -> None:
    tree = ast.parse(before)

    assert list(mutated(OPERATORS[name], tree, tree)) == [ast.unparse(ast.parse(text)) for text in after]
    assert ast.unparse(tree) == ast.unparse(ast.parse(before))


@pytest.mark.parametrize("name", list(OPERATORS))
def test_operator_shows_also_what_it_leaves(name: str) -> None:
    operator = OPERATORS[name]

    assert operator.KIND in KINDS
    assert any(after for _, after in operator.EXAMPLES)
    assert any(not after for _, after in operator.EXAMPLES)
