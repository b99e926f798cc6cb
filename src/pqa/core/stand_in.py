"""Stand-in: what takes the place of arguments that are no plain values: callables, public names, iterators."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from pqa.core.trigger import Json

ANSWERS_SHOWN = 3


@dataclass(frozen=True, slots=True)
class PublicName:
    """A function or class of the branch itself, passed as an argument, by its dotted name."""

    text: str

    @property
    def words(self) -> str:
        """As it is written where its module is imported: with its class, if it stands in one."""
        owner, _, name = self.text.rpartition(".")
        inner = owner.rpartition(".")[2]
        return f"{inner}.{name}" if inner[:1].isupper() else name


@dataclass(frozen=True, slots=True)
class Once:
    """Items that can be gone through a single time; `text` is the canonical JSON of their list."""

    text: str

    def items(self) -> list[Json]:
        """The encoded items, a new list each time."""
        found: list[Json] = json.loads(self.text)
        return found


@dataclass(frozen=True, slots=True)
class _Formed:
    """What is told by a form: `text` is its canonical JSON."""

    text: str

    def form(self) -> dict[str, Json]:
        """The form as plain data, a new copy each time."""
        found: dict[str, Json] = json.loads(self.text)
        return found


@dataclass(frozen=True, slots=True)
class Made(_Formed):
    """An object of a class of the branch, made anew; its form is {"class", "args", "kwargs"}, encoded."""

    @property
    def class_name(self) -> str:
        """The dotted name of its class."""
        return str(self.form()["class"])

    def words(self, source_text: Callable[[Json], str]) -> str:
        """The call that makes it."""
        form = self.form()
        parts = [source_text(one) for one in form["args"]]
        parts += [f"{key}={source_text(one)}" for key, one in form["kwargs"].items()]
        return f"{self.class_name.rpartition('.')[2]}({', '.join(parts)})"


@dataclass(frozen=True, slots=True)
class StandIn(_Formed):
    """A callable that answers as one of the tests did; `harness/stand_ins.py` describes its form and carries it out."""

    def expression(self, source_text: Callable[[Json], str]) -> str:
        """The stand-in as a Python expression; "" where it answers by what it is given, or by turns."""
        form = self.form()
        answer = form.get("otherwise") or {}
        if form.get("answers") or form.get("script") or not {"value", "echo"} & answer.keys():
            return ""
        return (
            f"lambda *args: args[{answer['echo']}]"
            if "echo" in answer
            else f"lambda *_: {source_text(answer['value'])}"
        )

    def words(self, source_text: Callable[[Json], str]) -> str:
        """The stand-in for a person: its name and what it answers, the general answer last."""
        form = self.form()

        def said(answer: Json) -> str:
            if answer is None:
                return "as in the tests"
            if "raises" in answer:
                return f"raises {answer['raises']}"
            if "echo" in answer:
                return f"its argument {answer['echo'] + 1}"
            if "part" in answer:
                return f"the first {answer['part'][1]} of its argument {answer['part'][0] + 1}"
            return source_text(answer["value"])

        parts = [f"call {place + 1}: {said(answer)}" for place, answer in enumerate(form.get("script") or []) if answer]
        known = form.get("answers") or []
        parts += [f"({', '.join(map(source_text, args))}): {said(answer)}" for args, _, answer in known[:ANSWERS_SHOWN]]
        parts += ["..."] if len(known) > ANSWERS_SHOWN else []
        if form.get("otherwise") is not None:
            parts.append(f"always {said(form['otherwise'])}" if not parts else f"else {said(form['otherwise'])}")
        return f"<{form.get('name') or 'callable'} answers {'; '.join(parts) or 'nothing known'}>"
