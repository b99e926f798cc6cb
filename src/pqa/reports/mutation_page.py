"""Mutation page: a mutation report for a terminal: where the tests let changes pass, worst first, with the missing tests."""

from __future__ import annotations

from rich import box
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from pqa.instruments.mutation import Mutant
from pqa.instruments.mutation_report import MutationReport
from pqa.reports.text import plain

ROWS, FUNCTIONS, SHOWN, LINES = 25, 8, 2, 30

NOT_FOUND = "no input was found on which it matters: perhaps it is equivalent"
NOT_SOUGHT = "no missing test was looked for: the budget was used up, or others of its function came first"


def render(report: MutationReport, console: Console) -> None:
    """Print the page; the summary comes last, where the eye rests."""
    survivors = report.survivors()
    counts = report.counts()
    if counts:
        console.print(_table(report))
    for place, several in list(survivors.items())[:FUNCTIONS]:
        _function(console, report, place, several)
    if len(survivors) > FUNCTIONS:
        console.print(f"… and {len(survivors) - FUNCTIONS} more functions with survivors\n")
    for line in _remarks(report):
        console.print(Text(f"  - {line}"))
    console.print(Text(_summary(report), style="bold"))


def _table(report: MutationReport) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("where", overflow="fold")
    for name in ("noticed", "let pass", "not run", "not measured"):
        table.add_column(name, justify="right")
    rows = report.counts()
    for (file, function), count in list(rows.items())[:ROWS]:
        where = f"{plain(file)} {plain(function) + '()' if function else 'at import'}"
        numbers = (count.killed, count.survived, count.uncovered, count.unmeasured)
        style = "bold red" if count.survived and not count.killed else "yellow" if count.survived else ""
        table.add_row(Text(where, style=style), *(str(number) if number else "·" for number in numbers))
    if len(rows) > ROWS:
        table.add_row(f"… {len(rows) - ROWS} more", "", "", "", "")
    return table


def _function(console: Console, report: MutationReport, place: tuple[str, str], several: list[Mutant]) -> None:
    console.print()
    more = f" ({len(several)} changes)" if len(several) > SHOWN else ""
    console.print(Text(f"{plain(place[0])} {plain(place[1]) or 'at import'}{more}", style="bold"))
    for mutant in several[:SHOWN]:
        console.print(Text(f"  line {mutant.line}, {mutant.operator}: every test passes with"))
        for line in mutant.diff.splitlines()[:LINES]:
            console.print(Text(f"    {plain(line, length=160)}", style="red" if line.startswith("-") else "green"))
        missing = report.missing.get(mutant.number)
        if missing is None:
            console.print(Text(f"    {NOT_FOUND if mutant.number in report.sought else NOT_SOUGHT}"))
            continue
        right, changed = plain(missing.right, length=160), plain(missing.changed, length=160)
        console.print(Text(f"    an answer changes from {right} to {changed}; the missing test:"))
        for line in missing.test.splitlines()[:LINES]:
            indent = len(line) - len(line.lstrip())
            console.print(Text(f"      {' ' * indent}{plain(line, length=200)}", style="cyan"), soft_wrap=True)


def _remarks(report: MutationReport) -> list[str]:
    lines = [f"{number} not measured: {plain(why)}" for why, number in list(report.reasons().items())[:6]]
    if report.left_out:
        lines.append(
            f"{report.left_out} changes were left out by the budget of {report.budget:g} s; --budget gives more"
        )
    if report.set_aside():
        lines.append(f"{report.set_aside()} changes are none: the compiler makes the same code of them, or no code")
    if report.run.survey.blind:
        number = len(report.run.survey.blind)
        lines.append(
            f"{number} tests pass even when the code that they run raises: {plain(report.run.survey.blind[0])}"
        )
    if report.run.survey.left_out:
        number = len(report.run.survey.left_out)
        lines.append(f"{number} tests only count in fresh processes: {plain(report.run.survey.left_out[0])}")
    if report.run.trouble:
        lines.append(f"could not go on: {plain(report.run.trouble)}")
    return lines


def _summary(report: MutationReport) -> str:
    total = report.total()
    covered = total.killed + total.survived
    if not total.total:
        return "nothing was changed: there is no code to change" + (
            f" since {plain(report.since)}" if report.since else ""
        )
    measured = covered + total.uncovered
    if total.unmeasured > measured:
        most = f"most small changes could not be measured ({total.unmeasured} of {total.total})"
        return f"{most}, so nothing is said of the suite as a whole; {total.survived} passed every test"
    share = f"{100 * total.killed // covered} %" if covered else "none"
    since = f" on lines changed since {plain(report.since)}" if report.since else ""
    text = (
        f"{total.killed} of {covered} small changes{since} were noticed ({share}); {total.survived} passed every test, "
    )
    text += f"{len(report.missing)} of them with a missing test; {total.uncovered} stand in code that no test runs"
    return text + (f"; {total.unmeasured} could not be measured" if total.unmeasured else "")


class MutationProgress:
    """The steps of a run: one moving line on a terminal, one plain line a step elsewhere."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._bar: Progress | None = None
        self._row: TaskID | None = None
        if console.is_terminal and not console.is_dumb_terminal:
            columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(bar_width=24))
            counted = TextColumn("{task.completed:.0f} of {task.total:.0f}", markup=False)
            self._bar = Progress(*columns, counted, TimeElapsedColumn(), console=console, transient=True)

    def __enter__(self) -> MutationProgress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def begin(self, what: str, total: int) -> None:
        """See `wiring.mutation.Steps`."""
        if self._bar is None:
            self._console.print(f"{what} ({total})" if total > 1 else what)
            return
        if self._row is not None:
            self._bar.remove_task(self._row)
        self._row = self._bar.add_task(what, total=total)

    def advance(self, parts: int) -> None:
        """See `wiring.mutation.Steps`."""
        if self._bar is not None and self._row is not None:
            self._bar.advance(self._row, parts)
