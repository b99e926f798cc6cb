"""Transplants: how many tests of each branch's suite pass on each other branch, as a small table."""

from __future__ import annotations

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from pqa.core.evidence import Evidence
from pqa.core.verdict import Collision
from pqa.reports.text import plain

OF_SUITE = "suite-of:"


def transplant_table(collision: Collision) -> RenderableType | None:
    """A row a suite, a column a branch: passed of all, or n/a where the suite asks for names that the branch lacks or
    could not be run; None where no suite was transplanted."""
    rows: dict[str, dict[str, Evidence]] = {}
    for item in collision.evidence:
        if isinstance(item, Evidence) and item.measure.startswith(OF_SUITE):
            rows.setdefault(item.measure.removeprefix(OF_SUITE), {})[item.branch_id] = item
    if not rows:
        return None
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="dim")
    names = [branch.branch_id for branch in collision.branches]
    for heading in ("suite of", *map(plain, names)):
        table.add_column(heading, overflow="fold")
    for owners, cells in rows.items():
        table.add_row(plain(owners), *(_cell(cells.get(name), name in owners.split(",")) for name in names))
    return Padding(table, (0, 0, 0, 2))


def _cell(item: Evidence | None, own: bool) -> Text:
    if item is None:
        return Text("n/a", style="dim")
    passed = item.of - int(item.count)
    return Text(f"{passed}/{item.of}", style="dim" if own else "green" if passed == item.of else "yellow")
