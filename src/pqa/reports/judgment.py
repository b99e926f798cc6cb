"""Judgment page: the digests side by side, what is asked of them, and the order that a weighing gave, marked as such."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.table import Table
from rich.text import Text

from pqa.core.judgment import STANDING, Idea, Judgment
from pqa.reports.text import plain, plain_lines

ABREAST = 3
DIGEST_LINES = 400
HOW = """\
To weigh them, write a JSON file and run: pqa judge --weighing FILE
  [{"idea_id": "%s", "criterion": "%s", "score": 7, "reason": "..."}, ...]
or only an order:
  {"order": [%s], "reason": "..."}"""


def render(judgment: Judgment, console: Console) -> None:
    """Print it all; a choice comes last."""
    console.print(Text(f"pqa judge  {len(judgment.ideas)} ideas · {STANDING}", style="bold"), soft_wrap=True)
    for start in range(0, len(judgment.ideas), ABREAST):
        console.print()
        console.print(_abreast(judgment.ideas[start : start + ABREAST]))
    console.print()
    console.print(Text("Criteria", style="bold"))
    for criterion in judgment.criteria:
        more = "  not weighed" if criterion in judgment.unweighed else ""
        console.print(Text(f"  {plain(criterion)}{more}"))
    console.print()
    if judgment.weighing is None:
        console.print(Text(judgment.words, style="bold yellow"), soft_wrap=True)
        console.print(Text(_how(judgment)), soft_wrap=True)
        return
    console.print(Text(f"Order ({STANDING})", style="bold"))
    for line in _order(judgment):
        console.print(Text(line), soft_wrap=True)
    console.print()
    console.print(Text(plain(judgment.words), style="bold"), soft_wrap=True)


def _abreast(ideas: tuple[Idea, ...]) -> Table:
    table = Table(box=None, pad_edge=False, padding=(0, 3, 0, 0), header_style="bold", expand=False)
    for idea in ideas:
        table.add_column(plain(idea.idea_id), overflow="fold", ratio=1)
    table.add_row(*(Text(plain(idea.title), style="italic") for idea in ideas))
    table.add_row(*(Text("\n".join(plain_lines(idea.digest, count=DIGEST_LINES, length=2_000))) for idea in ideas))
    return table


def _order(judgment: Judgment) -> Iterator[str]:
    weighing = judgment.weighing
    titles = {idea.idea_id: plain(idea.title) for idea in judgment.ideas}
    for place in judgment.places:
        score = "" if place.score is None else f"  {place.score:g}"
        yield f"  {place.rank}. {place.idea_id}{score}  {titles[place.idea_id]}"
        for weight in weighing.weights if weighing is not None else ():
            if weight.idea_id == place.idea_id:
                yield f"       {plain(weight.criterion)} {weight.score:g}: {plain(weight.reason)}"
    if weighing is not None and weighing.reason:
        yield f"  because {plain(weighing.reason)}"


def _how(judgment: Judgment) -> str:
    names = ", ".join(f'"{idea.idea_id}"' for idea in judgment.ideas)
    return HOW % (judgment.ideas[0].idea_id, plain(judgment.criteria[0]), names)
