"""Write ARCHITECTURE.md from module docstrings, or print it with --print; run by `make map`."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

INTRO = """\
# Architecture

This page is generated from the first line of each module's docstring: do not edit it, run `make map`.

## Flow

```
intake      find the branches, snapshot them, read notes and task
early kill  the project's own static checks, in the sandbox
verify      run each suite under guard; record its calls
attack      every live branch x every attack, in parallel: findings with triggers, and questions
replay      each trigger in a fresh sandbox, with controls, on every sibling
score       an unresolved critical finding kills
compare     findings only, never code
choose      dominance, margin, or an abstention
```

A branch's code runs in one place only: below `sandbox/`, by means of `harness/`. What a process that imported branch
code says is that branch's claim; what pqa believes is what the parent process saw.

## Who may import whom

```
cli | mcp | testing
wiring
collision | config | intake
stages | attacks | adversaries | sandbox | engines | reports | ledger
instruments
core
```

Imports go down only, and nothing on a line imports its neighbour. No attack knows another, no stage knows another. The
flow and the stages reach concrete parts through `core/ports.py`; `wiring.py` alone picks them. `core` is plain data:
standard library, no process, clock, disk or network. `harness/` runs inside the sandbox as bare files: it imports no
pqa, and nobody imports it. The laws are contracts in `pyproject.toml`; `tests/repo/test_laws.py` sabotages each one to
prove that it bites.

## Map
"""

PACKAGES = (
    "cli",
    "core",
    "stages",
    "attacks",
    "instruments",
    "sandbox",
    "engines",
    "adversaries",
    "reports",
    "ledger",
    "harness",
)
IN_ORDER_OF_THE_FLOW = (
    "collision",
    "wiring",
    "config",
    "intake",
    "early_kill",
    "verify",
    "attack",
    "replay",
    "defend",
    "score",
    "compare",
    "choose",
)


def first_line(file: Path) -> str:
    """The first line of the module's docstring, or "" where there is none."""
    if not file.exists():
        return ""
    docstring = ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or ""
    return docstring.partition("\n")[0].strip()


def rank(order: tuple[str, ...], name: str) -> tuple[int, str]:
    """Names in `order` come first, in that order; the others follow by the alphabet."""
    return (order.index(name) if name in order else len(order), name)


def entry(depth: int, name: str, text: str, width: int) -> str:
    return f"{'  ' * depth}{name}".ljust(width) + text


def modules(folder: Path) -> list[Path]:
    files = [file for file in folder.glob("*.py") if file.name != "__init__.py"]
    return sorted(files, key=lambda file: rank(IN_ORDER_OF_THE_FLOW, file.stem))


def packages(folder: Path) -> list[Path]:
    folders = [child for child in folder.iterdir() if (child / "__init__.py").exists()]
    return sorted(folders, key=lambda child: rank(PACKAGES, child.name))


def listing(folder: Path, depth: int) -> list[tuple[int, str, str]]:
    """Depth, name and text of everything below `folder`: its own files first, then its packages."""
    rows = [(depth, file.name, first_line(file)) for file in modules(folder)]
    for package in packages(folder):
        rows.append((depth, f"{package.name}/", first_line(package / "__init__.py")))
        rows += listing(package, depth + 1)
    return rows


def architecture(root: Path) -> str:
    """The whole text of ARCHITECTURE.md."""
    package = root / "src" / "pqa"
    rows = [(0, "src/pqa/", first_line(package / "__init__.py")), *listing(package, 1)]
    width = max(2 * depth + len(name) for depth, name, _ in rows) + 2
    tree = "\n".join(entry(depth, name, text, width).rstrip() for depth, name, text in rows)
    return f"{INTRO}\n```\n{tree}\n```\n"


def main(arguments: list[str]) -> int:
    text = architecture(ROOT)
    if arguments == ["--print"]:
        sys.stdout.write(text)
        return 0
    if arguments:
        sys.stderr.write("usage: architecture.py [--print]\n")
        return 2
    (ROOT / "ARCHITECTURE.md").write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
