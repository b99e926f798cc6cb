"""Terminal: a finished run as a page to read from top to bottom; the choice comes last, where the eye rests."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from pqa.core.verdict import NOT_JUDGED, Choice, Collision
from pqa.reports.board import board
from pqa.reports.comparison import comparison_lines
from pqa.reports.defenses import defense_lines
from pqa.reports.findings import finding_blocks, question_block, worst_first
from pqa.reports.history import calibration, prior_deaths
from pqa.reports.tables import branch_table, kill_matrix
from pqa.reports.text import is_unchecked, plain, plain_lines
from pqa.reports.transplants import transplant_table
from pqa.reports.unchecked import unchecked

CHECK_LINES = 6
BOARD = "Where they part"


def render(collision: Collision, console: Console) -> None:
    """Print the whole run."""
    console.print(_header(collision))
    _section(console, "Branches", [branch_table(collision, width=console.width)])
    _section(console, "Deaths", _deaths(collision))
    _section(console, "Defense", (_indented(line) for line in defense_lines(collision)))
    _section(console, "Earlier deaths", _bullets(prior_deaths(collision)))
    _section(console, BOARD, board(collision, width=console.width))
    _section(console, "Findings", finding_blocks(collision), apart=True)
    _section(
        console,
        "Questions",
        (question_block(asked) for asked in collision.questions if asked.is_open or asked.answer),
        apart=True,
    )
    _section(console, "Notes", _bullets(_notes(collision)))
    _section(console, "Could not be checked", _bullets(unchecked(collision)), style="bold yellow")
    matrix = kill_matrix(collision, worst_first(collision))
    _section(console, "Kill matrix", [matrix] if matrix is not None else [])
    table = transplant_table(collision)
    _section(console, "Tests of one branch on another", [table] if table is not None else [])
    _section(console, "What separates them", (_indented(line) for line in comparison_lines(collision)))
    _section(console, "Calibration", _bullets(calibration(collision)))
    _section(console, "Choice", [choice_lines(collision)])


def render_board(collision: Collision, console: Console) -> None:
    """Print every behavioural split of the run, and nothing else."""
    console.print(_header(collision))
    nothing = [_indented(Text("No split is kept in this run; that says nothing of what was not compared."))]
    _section(console, BOARD, board(collision, width=console.width, everything=True) or nothing)
    _section(console, "Could not be checked", _bullets(unchecked(collision)), style="bold yellow")


def choice_line(collision: Collision) -> str:
    """The outcome in one line."""
    choice = collision.choice
    if choice is not None and choice.branch_id is not None:
        return f"choice: {plain(choice.branch_id)}"
    if choice is not None and choice.reason.startswith(NOT_JUDGED):
        return plain(choice.reason)
    if not any(verdict.alive for verdict in collision.verdicts.values()):
        return "no survivor"
    return "no choice: nothing separates the survivors"


def _header(collision: Collision) -> RenderableType:
    tier = plain(collision.sandbox)
    style = "green" if collision.sandbox == "full" else "bold yellow"
    line = Text.assemble(
        ("pqa", "bold"), f"  run {plain(collision.run_id)} · sandbox ", (tier, style), f" · seed {collision.seed}"
    )
    title = plain(collision.task.title, length=200)
    return Group(line, Text(f"task: {title}")) if title else line


def _section(
    console: Console, heading: str, body: Iterable[RenderableType], *, style: str = "bold", apart: bool = False
) -> None:
    parts = list(body)
    if parts:
        console.print()
        console.print(Text(heading, style=style))
        for number, part in enumerate(parts):
            if apart and number:
                console.print()
            console.print(part)


def _indented(line: Text) -> RenderableType:
    return Padding(line, (0, 0, 0, 2))


def _bullets(lines: Iterable[str]) -> list[RenderableType]:
    return [_hanging(Text("- "), Text(line)) for line in lines]


def _hanging(mark: Text, body: Text) -> RenderableType:
    return Padding(Text.assemble(mark, body), (0, 0, 0, 2))


def _deaths(collision: Collision) -> Iterator[RenderableType]:
    """Each dead branch with its reason, and what a static check said; that its author was sure is said too (S10)."""
    sure = {
        one.branch_id for one in collision.branches if one.conviction is not None and one.conviction.level == "high"
    }
    for name, verdict in collision.verdicts.items():
        if not verdict.alive:
            conviction = " (high conviction)" if name in sure else ""
            reason = plain(verdict.death_reason or "no reason given")
            yield Padding(Text.assemble((plain(name), "bold red"), f"{conviction}  {reason}"), (0, 0, 0, 2))
            for run in collision.checks.get(name, ()):
                if run.status == "failed":
                    lines = [f"{plain(run.command)} says:", *plain_lines(run.output, count=CHECK_LINES)]
                    yield Padding(Text("\n  ".join(lines), style="dim"), (0, 0, 0, 4))


def _notes(collision: Collision) -> list[str]:
    told = [note for note in collision.notes if not is_unchecked(note.kind) and note.kind != "skipped-files"]
    return [f"{plain(note.branch_id)}: {plain(note.text)}" if note.branch_id else plain(note.text) for note in told]


def choice_lines(collision: Collision) -> RenderableType:
    """The choice with its reason, and what would change it."""
    choice = collision.choice
    survivors = [verdict for verdict in collision.verdicts.values() if verdict.alive]
    unjudged = choice is not None and choice.reason.startswith(NOT_JUDGED)
    if collision.verdicts and not survivors and not unjudged:
        return Padding(_no_survivor(choice), (0, 0, 0, 2))
    if choice is None:
        return Padding(Text("No choice was made.", style="bold yellow"), (0, 0, 0, 2))
    chosen = choice.branch_id
    head = (
        Text("No choice", style="bold yellow") if chosen is None else Text(f"Merge {plain(chosen)}", style="bold green")
    )
    verification = None if chosen is None else collision.verifications.get(chosen)
    if verification is not None and not verification.verified:
        head.append(f", although it is {verification.word}", style="bold yellow")
    return Padding(Group(head, Text(plain(choice.reason)), *_choice_details(choice)), (0, 0, 0, 2))


def _no_survivor(choice: Choice | None) -> RenderableType:
    head = Text("No survivor: no branch may be merged.", style="bold red")
    details = _choice_details(choice) if choice is not None else []
    return Group(head, *details)


def _choice_details(choice: Choice) -> list[RenderableType]:
    lines: list[RenderableType] = []
    if choice.runner_up:
        margin = f" ({plain(choice.margin)})" if choice.margin and choice.margin not in choice.reason else ""
        lines.append(Text(f"runner-up: {plain(choice.runner_up)}{margin}"))
    if choice.would_change:
        lines.append(Text("what would change it:"))
        lines += [Padding(Text(f"- {plain(item)}"), (0, 0, 0, 2)) for item in choice.would_change]
    return lines
