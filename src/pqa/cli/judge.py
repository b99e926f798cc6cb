"""pqa judge: in decide mode there is no code; a person weighs the ideas, pqa adds up and says that nothing was verified."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from pqa.config import JudgeRequest
from pqa.core import codec
from pqa.core.judgment import judgment_to_json
from pqa.reports import json_file, judgment
from pqa.reports.text import make_console

EPILOG = """\b
Examples:
  pqa judge                                   the ideas in .pqa/ideas/*.md, side by side
  pqa judge --weighing weighing.json          and the order that a weighing gives
  pqa judge --ideas a.md --ideas b.md --weighing - --json -

\b
A weighing is a JSON list of
  {"idea_id": "a", "criterion": "risk", "score": 7, "reason": "..."}
with scores from 0 to 10, or {"order": ["a", "b"], "reason": "..."}.
Criteria are the list under a heading "Criteria" in the task.

\b
Exit status:
  0  the ideas were shown or weighed; nothing is ever verified
  2  usage, or the task is in build mode
"""

Ideas = Annotated[list[str] | None, typer.Option("--ideas", metavar="FILE...", help="Default: .pqa/ideas/*.md")]
Weighing = Annotated[str | None, typer.Option(metavar="FILE|-", help="How a person weighs them; '-' is stdin.")]
Task = Annotated[str | None, typer.Option(metavar="FILE", help="What was asked. Default: .pqa/task.md")]
Json = Annotated[str | None, typer.Option(metavar="FILE|-", help="Write it as JSON; '-' is stdout.")]


def judge(ideas: Ideas = None, weighing: Weighing = None, task: Task = None, json: Json = None) -> None:
    """Weigh the ideas of a question that no code answers."""
    from pqa import wiring

    if json is not None:
        json_file.check_target(json)
    judged = wiring.judge(JudgeRequest(Path.cwd(), tuple(ideas or ()), weighing, task))
    if json is not None:
        json_file.write_text(codec.dump(judgment_to_json(judged)), json)
    if json == json_file.STANDARD_OUTPUT:
        make_console(stderr=True).print(judged.words, soft_wrap=True)
    else:
        judgment.render(judged, make_console())
