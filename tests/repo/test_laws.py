"""The import laws hold, and each of them bites: one sabotage per law, in a copy, must break exactly its contracts."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

LAYERS = "Imports go down only"
ATTACKS = "No attack knows another"
STAGES = "No stage knows another"
CORE = "Core is plain data"
PORTS = "Flow and stages reach parts through ports"
HARNESS_ALONE = "The harness imports no pqa"
HARNESS_APART = "Nobody imports the harness"
ACYCLIC = "No cycle anywhere"
CONTRACTS = {LAYERS, ATTACKS, STAGES, CORE, PORTS, HARNESS_ALONE, HARNESS_APART, ACYCLIC}

PLACES = ("cli", "stages", "attacks", "sandbox", "engines", "reports", "ledger", "instruments", "core", "harness")
PAGES = ("__init__", "collision", "wiring", "config", "intake")
# What the half of an instrument that runs inside may import besides the standard library: the project's own runner.
RUNNERS = {"pytest", "_pytest", "pluggy", "coverage"}


@dataclass(frozen=True)
class Sabotage:
    """One violation: text appended to files of the copy, and the contracts that must break."""

    name: str
    files: dict[str, str]
    breaks: set[str]


SABOTAGES = [
    Sabotage(
        "an attack imports an attack",
        {"attacks/one.py": "", "attacks/two.py": "import pqa.attacks.one"},
        {ATTACKS},
    ),
    Sabotage(
        "an attack imports a sandbox",
        {"sandbox/box.py": "", "attacks/one.py": "import pqa.sandbox.box"},
        {LAYERS},
    ),
    Sabotage(
        "a stage imports a stage",
        {"stages/one.py": "", "stages/two.py": "from pqa.stages import one"},
        {STAGES},
    ),
    Sabotage(
        "a stage imports an attack",
        {"attacks/one.py": "", "stages/one.py": "import pqa.attacks.one"},
        {LAYERS, PORTS},
    ),
    Sabotage(
        "a stage imports an engine",
        {"engines/one.py": "", "stages/one.py": "import pqa.engines.one"},
        {LAYERS, PORTS},
    ),
    Sabotage(
        "a stage imports an adversary",
        {"adversaries/one.py": "", "stages/one.py": "import pqa.adversaries.one"},
        {LAYERS, PORTS},
    ),
    Sabotage("core starts processes", {"core/noun.py": "import subprocess"}, {CORE}),
    Sabotage("core reads the clock", {"core/noun.py": "from time import monotonic"}, {CORE}),
    Sabotage("core wants a third party", {"core/noun.py": "import jsonschema"}, {CORE}),
    Sabotage(
        "a lazy import hides in a function",
        {"sandbox/box.py": "", "attacks/one.py": "def attack():\n    import pqa.sandbox.box"},
        {LAYERS},
    ),
    Sabotage(
        "an upward import hides under TYPE_CHECKING",
        {
            "stages/one.py": "",
            "core/noun.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pqa.stages.one",
        },
        {LAYERS},
    ),
    Sabotage("a stray utils.py appears", {"utils.py": ""}, {LAYERS}),
    Sabotage("collision imports an attack", {"attacks/one.py": "", "collision.py": "import pqa.attacks.one"}, {PORTS}),
    Sabotage(
        "a report imports the ledger", {"ledger/rows.py": "", "reports/one.py": "import pqa.ledger.rows"}, {LAYERS}
    ),
    Sabotage(
        "an instrument imports an attack",
        {"attacks/one.py": "", "instruments/one.py": "import pqa.attacks.one"},
        {LAYERS},
    ),
    Sabotage("a stage imports the wiring", {"stages/one.py": "import pqa.wiring"}, {LAYERS, STAGES, PORTS}),
    Sabotage(
        "core has a cycle",
        {"core/left.py": "import pqa.core.right", "core/right.py": "import pqa.core.left"},
        {ACYCLIC},
    ),
    Sabotage("the harness imports pqa", {"harness/one.py": "from pqa.core import severity"}, {HARNESS_ALONE}),
    Sabotage(
        "an instrument imports the harness",
        {"harness/one.py": "", "instruments/one.py": "import pqa.harness.one"},
        {HARNESS_APART},
    ),
]


def copy_of_the_code(root: Path, target: Path) -> Path:
    """A copy of the configuration and of src in which every place that the laws name exists."""
    shutil.copy(root / "pyproject.toml", target)
    package = target / "src" / "pqa"
    shutil.copytree(root / "src" / "pqa", package, ignore=shutil.ignore_patterns("__pycache__"))
    for page in PAGES:
        if not (package / page).is_dir():
            (package / f"{page}.py").touch()
    for place in PLACES:
        (package / place).mkdir(exist_ok=True)
        (package / place / "__init__.py").touch()
    return package


def append(package: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        with (package / name).open("a", encoding="utf-8") as file:
            file.write(f"\n{text}\n")


def broken_contracts(project: Path) -> tuple[set[str], str]:
    """The names of the contracts that import-linter calls broken; every contract must have been looked at."""
    environment = {**os.environ, "PYTHONPATH": str(project / "src"), "COLUMNS": "200", "NO_COLOR": "1"}
    code = (
        "import sys; from importlinter.cli import lint_imports; sys.exit(lint_imports(cache_dir=None, no_cache=True))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], cwd=project, env=environment, capture_output=True, text=True, check=False
    )
    said = dict(re.findall(r"^(.+) (KEPT|BROKEN)$", run.stdout, flags=re.MULTILINE))
    assert set(said) == CONTRACTS, run.stdout + run.stderr
    return {name for name, word in said.items() if word == "BROKEN"}, run.stdout


def test_unsabotaged_code_keeps_every_law(root: Path, tmp_path: Path) -> None:
    copy_of_the_code(root, tmp_path)

    broken, output = broken_contracts(tmp_path)

    assert broken == set(), output


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: sabotage.name)
def test_sabotage_breaks_its_law(root: Path, tmp_path: Path, sabotage: Sabotage) -> None:
    append(copy_of_the_code(root, tmp_path), sabotage.files)

    broken, output = broken_contracts(tmp_path)

    assert broken == sabotage.breaks, output


def test_every_contract_is_sabotaged_by_some_test() -> None:
    assert set().union(*(sabotage.breaks for sabotage in SABOTAGES)) == CONTRACTS


def test_ports_law_names_every_package_of_parts_that_exists(root: Path) -> None:
    contracts = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    (ports,) = [contract for contract in contracts if contract["id"] == "ports"]
    parts = ["attacks", "sandbox", "engines", "reports", "ledger"]
    if (root / "src/pqa/adversaries").exists():
        parts.append("adversaries")

    assert sorted(ports["forbidden_modules"]) == sorted(f"pqa.{part}" for part in parts)


# --- what import-linter cannot see ------------------------------------------------------------------------------------


def foreign_imports(source: str, siblings: set[str]) -> set[str]:
    """Top-level names that a harness file imports although they are neither standard library nor its neighbours."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            names.update(alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").split(".")[0] if node.level == 0 else "." * node.level)
    return names - set(sys.stdlib_module_names) - siblings - RUNNERS


def test_harness_needs_nothing_but_the_standard_library(root: Path) -> None:
    files = sorted((root / "src/pqa/harness").rglob("*.py"))
    siblings = {file.stem for file in files} | {file.parent.name for file in files}

    foreign = {file.name: foreign_imports(file.read_text(encoding="utf-8"), siblings) for file in files}

    assert {name: names for name, names in foreign.items() if names} == {}


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("import os, record\nimport pytest", set()),
        ("import pqa", {"pqa"}),
        ("def run():\n    from pqa.core import branch", {"pqa"}),
        ("import hypothesis", {"hypothesis"}),
        ("from . import record", {"."}),
    ],
)
def test_harness_check_sees_foreign_imports(source: str, names: set[str]) -> None:
    assert foreign_imports(source, {"record"}) == names


def test_no_harness_file_hides_a_module_of_the_standard_library(root: Path) -> None:
    names = {file.stem for file in (root / "src/pqa/harness").glob("*.py")}

    assert names & set(sys.stdlib_module_names) == set()


def ruff_says(root: Path, name: str, source: str) -> list[str]:
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--output-format=concise", "--select=TID251"]
    run = subprocess.run(
        [*command, "--stdin-filename", name, "-"], cwd=root, input=source, capture_output=True, text=True, check=False
    )
    return re.findall(r"`([\w.]+)` is banned", run.stdout)


@pytest.mark.parametrize(
    ("name", "banned"),
    [
        ("src/pqa/stages/one.py", ["importlib.import_module"]),
        ("src/pqa/attacks/one.py", ["importlib.import_module"]),
        ("src/pqa/attacks/__init__.py", []),
    ],
)
def test_imports_by_name_are_for_attack_discovery_alone(root: Path, name: str, banned: list[str]) -> None:
    source = 'import importlib\n\nimportlib.import_module("pqa.sandbox")\n'

    assert ruff_says(root, name, source) == banned


def test_pickle_is_banned(root: Path) -> None:
    assert ruff_says(root, "src/pqa/core/codec.py", "import pickle\n") == ["pickle"]
