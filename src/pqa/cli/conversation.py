"""Conversation: the open questions, one after another, in a terminal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from rich.console import Console
from rich.text import Text

from pqa.cli.said import Listener, Said, as_branch, literal, numbered, parse
from pqa.core.finding import Question
from pqa.reports.text import plain
from pqa.stages.answer import is_finding

TEXT_LENGTH = 1200


class Interview(Listener, Protocol):
    """What asks and listens: `wiring.Asking`."""

    def open_questions(self) -> list[Question]:
        """What is still to be asked, in order."""


def converse(interview: Interview, console: Console, read: Callable[[str], str]) -> None:
    """Ask until nothing is open; a question that is skipped is not asked again. Ctrl-C and Ctrl-D keep what was said."""
    skipped: set[str] = set()
    try:
        while questions := [one for one in interview.open_questions() if one.question_id not in skipped]:
            said = _ask(questions[0], len(questions), console, read)
            if said is None:
                skipped.add(questions[0].question_id)
            else:
                said.tell(interview)
    except (KeyboardInterrupt, EOFError):
        console.print("\nstopped; the answers so far are kept")


def _ask(question: Question, remaining: int, console: Console, read: Callable[[str], str]) -> Said | None:
    _show(question, remaining, console)
    while True:
        text = read("> ").strip()
        if text == "skip":
            return None
        try:
            return understand(question, text)
        except ValueError as error:
            console.print(Text(f"{plain(str(error), length=300)}; {_choices(question)}"))


def understand(question: Question, text: str) -> Said:
    """What somebody typed; raises ValueError when it answers nothing."""
    words = {"either", "cannot happen", "cannot-happen", "yes", "no"}
    if text.lower() in words or is_finding(question):
        return parse(question, text)
    name = numbered(question.separates, text)
    return literal(question, text) if name is None else as_branch(question, name)


def _show(question: Question, remaining: int, console: Console) -> None:
    console.print()
    console.print(Text(f"{remaining} to ask: {plain(question.text, length=TEXT_LENGTH)}", style="bold"))
    for number, group in enumerate(question.separates, 1):
        told = plain(question.outcomes.get(group[0], "unknown"), length=300)
        console.print(Text.assemble((f"  {number}", "cyan"), f"  {told}   {plain(', '.join(group))}"))
    console.print(Text(f"  {_choices(question)}", style="dim"))


def _choices(question: Question) -> str:
    if is_finding(question):
        return "yes, no or skip"
    calls = len(question.witness["calls"])
    value = "another value" if calls == 1 else f"a list of {calls} values, one a call"
    start = "yes or no; or " if question.kind == "contract" else ""
    return f"{start}a number, {value}, either, cannot happen, skip"
