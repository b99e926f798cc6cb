"""Every attack is whole: a layer, a scope, a question as its docstring, a generator, and a spec with its name."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SCOPES = {"branch", "set"}


def faults(source: str, *, has_spec: bool) -> list[str]:
    """What the text of an attack lacks, in words; it is read, never imported."""
    tree = ast.parse(source)
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    docstring = ast.get_docstring(tree) or ""
    checks = {
        "no spec tests/attacks/NAME.md": has_spec,
        "no LAYER": isinstance(constants.get("LAYER"), str) and bool(constants["LAYER"]),
        'SCOPE is neither "branch" nor "set"': constants.get("SCOPE") in SCOPES,
        "the docstring's first line asks no question": "?" in docstring.partition("\n\n")[0],
        "no generator `attack(brief, tools)`": any(is_attack(node) for node in tree.body),
    }
    return [fault for fault, fine in checks.items() if not fine]


def is_attack(node: ast.stmt) -> bool:
    if not isinstance(node, ast.FunctionDef) or node.name != "attack":
        return False
    yields = any(isinstance(inner, ast.Yield | ast.YieldFrom) for inner in ast.walk(node))
    return yields and [argument.arg for argument in node.args.args] == ["brief", "tools"]


def test_every_attack_is_whole(root: Path) -> None:
    files = sorted(file for file in (root / "src/pqa/attacks").glob("*.py") if not file.name.startswith("_"))
    found = {
        file.stem: faults(file.read_text(), has_spec=(root / f"tests/attacks/{file.stem}.md").exists())
        for file in files
    }

    assert {name: words for name, words in found.items() if words} == {}


def test_every_spec_has_its_attack(root: Path) -> None:
    specs = {file.stem for file in (root / "tests/attacks").glob("*.md")}

    assert specs - {file.stem for file in (root / "src/pqa/attacks").glob("*.py")} == set()


WHOLE = '''"""On which inputs do branches disagree?"""
LAYER = "boundaries"
SCOPE = "set"
def attack(brief, tools):
    yield 1
'''


def test_whole_attack_has_no_fault() -> None:
    assert faults(WHOLE, has_spec=True) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("disagree?", "disagree.", "the docstring's first line asks no question"),
        ("LAYER =", "TIER =", "no LAYER"),
        ('"set"', '"all"', 'SCOPE is neither "branch" nor "set"'),
        ("yield 1", "return [1]", "no generator `attack(brief, tools)`"),
        ("brief, tools", "brief", "no generator `attack(brief, tools)`"),
    ],
)
def test_missing_part_is_named(old: str, new: str, fault: str) -> None:
    assert faults(WHOLE.replace(old, new), has_spec=True) == [fault]


def test_missing_spec_is_named() -> None:
    assert faults(WHOLE, has_spec=False) == ["no spec tests/attacks/NAME.md"]
