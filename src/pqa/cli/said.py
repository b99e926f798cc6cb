"""Said: an answer in somebody's words, checked against its question, and what it does to the run."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from pqa.core.contract import Answer
from pqa.core.finding import Question
from pqa.core.trigger import Json
from pqa.core.values import decode, encode
from pqa.instruments.answering import rights_of
from pqa.stages.answer import answer_of, inside, is_finding

WORDS = {
    "either": "either",
    "cannot-happen": "cannot-happen",
    "cannot happen": "cannot-happen",
    "yes": "yes",
    "no": "no",
}
KINDS = ("value", "either", "cannot-happen")


class Listener(Protocol):
    """What takes answers: `wiring.Asking`."""

    def say(self, given: Answer) -> None:
        """Take a settled answer."""

    def permit(self, question: Question, *, allowed: bool) -> None:
        """Take yes or no to a contract question."""

    def second(self, question: Question, *, agrees: bool) -> None:
        """Take yes or no to a question about a finding."""


@dataclass(frozen=True, slots=True)
class Said:
    """`kind` is value, either, cannot-happen, yes or no."""

    question: Question
    kind: str
    values: tuple[Json, ...] = ()

    def tell(self, listener: Listener) -> None:
        """Pass it on."""
        if is_finding(self.question):
            listener.second(self.question, agrees=self.kind == "yes")
        elif self.kind in ("yes", "no"):
            listener.permit(self.question, allowed=self.kind == "yes")
        elif self.kind == "value" and self.question.tier != "T0":
            listener.permit(self.question, allowed=True)
            listener.say(answer_of(inside(self.question), self.kind, self.values))
        else:
            listener.say(answer_of(self.question, self.kind, self.values))


def expectation(question: Question) -> str:
    """What may be said to a question."""
    if is_finding(question):
        return '"yes" or "no"'
    groups = " or ".join(f'{{"group": "{group[0]}"}}' for group in question.separates)
    more = '"yes", "no", ' if question.kind == "contract" else ""
    return f'{more}"either", "cannot-happen", {groups or "a group"}, or {{"kind": "value", "value": ...}}'


def parse(question: Question, document: Json) -> Said:
    """The answer that a JSON document gives; raises ValueError for one that does not fit the question."""
    if isinstance(document, str):
        return _word(question, document)
    if not isinstance(document, Mapping) or is_finding(question):
        raise ValueError("no answer to this question")
    if "group" in document:
        return as_branch(question, document["group"])
    kind = document.get("kind")
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of answer")
    if kind != "value":
        return Said(question, kind)
    if "value" not in document:
        raise ValueError("its value is missing")
    return Said(question, "value", _values(question, document["value"]))


def _word(question: Question, text: str) -> Said:
    kind = WORDS.get(text.strip().lower())
    closed = is_finding(question)
    if kind is None or ((kind in ("yes", "no")) != closed and not (question.kind == "contract" and not closed)):
        raise ValueError(f"{text!r} does not answer it")
    return Said(question, kind)


def as_branch(question: Question, name: object) -> Said:
    """As this branch does."""
    if not isinstance(name, str) or name not in question.observed:
        known = ", ".join(question.observed)
        raise ValueError(f"{name!r} is no branch of it; those are {known}")
    return Said(question, "value", rights_of(question.observed[name], len(question.witness["calls"])))


def literal(question: Question, text: str) -> Said:
    """Another value, written as a Python literal; one a call, in a list, where there are several calls."""
    try:
        value = encode(ast.literal_eval(text))
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError) as error:
        raise ValueError(f"{text!r} is no Python literal") from error
    return Said(question, "value", _values(question, value))


def _values(question: Question, value: Json) -> tuple[Json, ...]:
    count = len(question.witness["calls"])
    if count == 1:
        return (_checked(value),)
    if not isinstance(value, list) or len(value) != count:
        raise ValueError(f"expected a list with one value for each of its {count} calls")
    return tuple(map(_checked, value))


def _checked(value: Json) -> Json:
    if isinstance(value, dict) and set(value) in ({"$any"}, {"$raises"}):
        return value
    decode(value)
    return value


def numbered(groups: Sequence[Sequence[str]], text: str) -> str | None:
    """The first branch of the group that a number names."""
    number = int(text) if text.isascii() and text.isdigit() else 0
    return groups[number - 1][0] if 1 <= number <= len(groups) else None
