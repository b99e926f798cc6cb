"""pqa contract: show what pqa believes may be passed to each function, and overrule it."""

from __future__ import annotations

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pqa.core.contract import Line
from pqa.core.errors import UsageError
from pqa.instruments.contract_file import read_contract, state_line
from pqa.instruments.relations import normal_text
from pqa.reports.text import make_console, plain

FILE = ".pqa/contract.toml"
EPILOG = """\b
Examples:
  pqa contract                                    every line, and where it comes from
  pqa contract --function shop.total              those of one function
  pqa contract set shop.total 'sorted(prices)'    callers keep to it: other inputs are outside
  pqa contract free shop.total 'nonempty(prices)' callers need not keep to it: other inputs count
"""

app = typer.Typer(
    name="contract", epilog=EPILOG, invoke_without_command=True, no_args_is_help=False, rich_markup_mode=None
)
Function = Annotated[str, typer.Argument(metavar="FUNCTION", help="Such as module.function, or module.Class.")]
Relation = Annotated[str, typer.Argument(metavar="RELATION", help="As 'pqa contract' prints it.")]


@app.callback()
def contract(
    context: typer.Context,
    function: Annotated[str | None, typer.Option(metavar="NAME", help="Only this function.")] = None,
) -> None:
    """Show the contract that the branches' tests suggest, or overrule a line of it."""
    if context.invoked_subcommand is None:
        path = Path.cwd() / FILE
        lines = [line for line in _lines(path) if function in (None, line.function)]
        if not lines:
            where = f" of '{function}'" if function else ""
            raise UsageError(f"'{path}' holds no line{where}", "run 'pqa collide' first")
        _show(lines, make_console())


@app.command("set")
def set_line(function: Function, relation: Relation) -> None:
    """Callers keep to this relation; inputs that break it are outside and not asked about."""
    _state(function, _bare(relation))


@app.command("free")
def free_line(function: Function, relation: Relation) -> None:
    """Callers need not keep to this relation; inputs that break it count like any other."""
    _state(function, f"not {_bare(relation)}")


def _bare(relation: str) -> str:
    text = normal_text(relation)
    if not text or text.startswith("not "):
        raise UsageError(
            f"'{relation}' is no relation; expected one as 'pqa contract' prints it", "use 'set' or 'free'"
        )
    return text


def _state(function: str, relation: str) -> None:
    path = Path.cwd() / FILE
    state_line(path, Line(function, relation, source="person"))
    make_console().print(
        Text(f"{plain(function)}: {plain(relation)}; the next 'pqa collide' keeps to it"), soft_wrap=True
    )


def _lines(path: Path) -> list[Line]:
    read_contract(path)  # names what is wrong with the file
    text = path.read_text("utf-8") if path.exists() else ""
    found = tomllib.loads(text).get("line", [])
    return [Line(**{"function": "", "source": "person", **entry}) for entry in found]


def _show(lines: Sequence[Line], console: Console) -> None:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for name in ("function", "relation"):
        table.add_column(name, overflow="fold")
    for name in ("seen", "support"):
        table.add_column(name, justify="right")
    table.add_column("source")
    for line in lines:
        counts = (str(line.seen), str(line.support)) if line.seen else ("", "")
        table.add_row(plain(line.function), plain(line.relation), *counts, line.source)
    console.print(table)
