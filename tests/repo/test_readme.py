"""The README promises two commands, and every `pqa` command line that the documents show exists with its flags."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

import pytest

SHELL_BLOCK = re.compile(r"^```(?:sh|bash|console|shell)\n(.*?)^```", flags=re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"`(pqa [a-z][^`\n]*)`")
FLAG = re.compile(r"(?<!\S)--[a-z][a-z-]*")


def shell_lines(text: str) -> list[str]:
    """Command lines in shell blocks, without prompt and comment; continued lines are joined."""
    blocks = "\n".join(SHELL_BLOCK.findall(text)).replace("\\\n", " ")
    lines = [re.sub(r"\s+#.*", "", line).strip().removeprefix("$ ") for line in blocks.splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def quick_start(readme: str) -> list[str]:
    section = readme.partition("## Quick start\n")[2].partition("\n## ")[0]
    return shell_lines(section)


def pqa_lines(text: str) -> list[str]:
    return [line for line in shell_lines(text) if line.startswith("pqa ")] + INLINE.findall(text)


def documents(root: Path) -> list[Path]:
    return [root / "README.md", root / "CONTRIBUTING.md", root / "SECURITY.md", *sorted((root / "docs").glob("*.md"))]


def strangers(lines: list[str], commands: dict[str, set[str]]) -> list[str]:
    """The lines that name a command or a flag which `commands` (name -> flags) does not have."""
    unknown = []
    for line in lines:
        word = line.split()[1]
        flags = set(FLAG.findall(line))
        known = commands.get(word, set()) if not word.startswith("-") else {"--help", "--version"}
        if (word not in commands and not word.startswith("-")) or not flags <= known:
            unknown.append(line)
    return unknown


def program(root: Path) -> Any:
    """The typer app; the test is skipped only while no file of pqa.cli speaks of one."""
    package = root / "src/pqa/cli/__init__.py"
    if not package.exists() or not re.search(r"\bapp\b", package.read_text(encoding="utf-8")):
        pytest.skip("pqa.cli has no app yet")
    return importlib.import_module("pqa.cli").app


def commands_of(app: Any) -> dict[str, set[str]]:
    """Each command of the real program with its flags."""
    from typer.main import get_command

    commands: dict[str, Any] = getattr(get_command(app), "commands", {})
    return {
        name: {flag for param in command.params for flag in (*param.opts, *param.secondary_opts)} | {"--help"}
        for name, command in commands.items()
    }


def test_quick_start_is_two_commands(root: Path) -> None:
    assert quick_start((root / "README.md").read_text(encoding="utf-8")) == ["make demo", "make test"]


def test_every_command_line_in_the_documents_exists(root: Path) -> None:
    commands = commands_of(program(root))
    lines = [line for document in documents(root) for line in pqa_lines(document.read_text(encoding="utf-8"))]

    assert strangers(lines, commands) == []


@pytest.mark.slow
def test_every_command_explains_itself(root: Path) -> None:
    from typer.testing import CliRunner

    app = program(root)
    commands = commands_of(app)
    codes = {name: CliRunner().invoke(app, [name, "--help"]).exit_code for name in commands}

    assert codes == dict.fromkeys(commands, 0)


PAGE = """\
Run `pqa show RUN`, then `pqa vanish`:

```sh
# a comment
$ pqa collide one two \\
    --tests checks/   # the locked suite
make demo
```

```python
pqa = 1
```
"""


def test_reader_finds_shell_lines_and_inline_ones() -> None:
    assert pqa_lines(PAGE) == ["pqa collide one two      --tests checks/", "pqa show RUN", "pqa vanish"]


def test_check_names_unknown_commands_and_flags() -> None:
    lines = ["pqa show RUN", "pqa vanish", "pqa collide --tests a --base b", "pqa --version", "pqa --strange"]

    assert strangers(lines, {"show": set(), "collide": {"--tests"}}) == [
        "pqa vanish",
        "pqa collide --tests a --base b",
        "pqa --strange",
    ]
