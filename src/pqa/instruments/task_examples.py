"""Task examples: the examples in a task's text, as cases with the outcome that the text states.

Four spellings are read: doctest sessions (`>>> f(1)` and the answer below), `assert f(1) == 2`, a line such as
`f(1) == 2`, `f(1) ==> 2` or `f(1) returns 2`, and sentences ("for n = 1 the output should be 2"). Only calls with literal
arguments and literal answers count: what is left out is never guessed at.
"""

from __future__ import annotations

import ast
import builtins
import doctest
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pqa.core.trigger import Json
from pqa.core.values import encode
from pqa.instruments.example_blocks import Block, example_blocks
from pqa.instruments.prose_examples import prose_examples
from pqa.instruments.stated_example import ANY, FILE_NAME, Example, literal

MAXIMUM_TEXT = 200_000
MAXIMUM_EXAMPLES = 60
ARROW = re.compile(
    r"^\W*(?:assert\s+)?(?P<call>[A-Za-z_][\w.]*\(.*\))"
    r"\s*(?:={2,3}>?|=>|-{1,2}>|➞|→|⇒|#\s*=>|returns?|should return)\s*(?P<want>.+?)[.;`]*$"
)


class Unreadable(Exception):
    """The statement is more than calls with literals."""


def examples_of(text: str, names: Mapping[str, str]) -> list[Example]:
    """The examples of a task's text; `names` maps a bare public name to its dotted one. Duplicates count once."""
    found: dict[str, Example] = {}
    for block in example_blocks(text[:MAXIMUM_TEXT]):
        sessions = _sessions(block.text, names, names.get(block.owner, ""))
        for example in (*sessions, *_lines(block, names), *prose_examples(block, names)):
            found.setdefault(repr((example.setup, example.calls)), example)
    return list(found.values())[:MAXIMUM_EXAMPLES]


def sessions_of(text: str, names: Mapping[str, str]) -> list[Example]:
    """The doctest sessions alone, read strictly: after a statement that is more than calls with literals, nothing of its
    block counts, since it may have changed what comes after; a line with a remark may be no promise at all."""
    found: dict[str, Example] = {}
    for block in example_blocks(text[:MAXIMUM_TEXT]):
        for example in _sessions(block.text, names, strict=True):
            found.setdefault(repr((example.setup, example.calls)), example)
    return list(found.values())[:MAXIMUM_EXAMPLES]


def _sessions(block: str, names: Mapping[str, str], owner: str = "", *, strict: bool = False) -> Iterator[Example]:
    """Doctest sessions: a paragraph of prompts shares its names."""
    try:
        parsed = doctest.DocTestParser().get_examples(textwrap.dedent(block))
    except ValueError:
        return
    session = _Session(names, owner)
    for example in parsed:
        try:
            session.take(example.source.strip())
        except (Unreadable, SyntaxError, ValueError, RecursionError):
            changes = "=" in example.source or (strict and not example.source.startswith(("import ", "from ")))
            session = _Session(names, owner, broken=True) if changes else session
            continue
        want = None if strict and "#" in example.source else _answer(example)
        if want is not None and session.calls and not session.broken:
            yield session.example(example.source.strip(), want)
            session.forget_answers()


def _answer(example: doctest.Example) -> Json | None:
    if example.exc_msg:
        return {"$raises": example.exc_msg.partition(":")[0].strip().rpartition(".")[2]}
    if not example.want.strip():
        return None
    return literal(example.want.strip())


def _lines(block: Block, names: Mapping[str, str]) -> Iterator[Example]:
    for line in block.text.splitlines():
        found = ARROW.match(line.strip().strip("`").removeprefix("Example: `"))
        if found is None or ">>>" in line:
            continue
        session, want = _Session(names, bare=frozenset(block.parameters)), literal(found["want"].strip().strip("`"))
        try:
            session.take(found["call"])
        except (Unreadable, SyntaxError, ValueError, RecursionError):
            continue
        if want is not None and session.calls:
            yield session.example(found["call"], want)


@dataclass(slots=True)
class _Session:
    """What a run of statements has built and called so far. Where `bare` is given, a word that nothing defines, and that is
    none of these parameters, stands for a text whose quotes were left out."""

    names: Mapping[str, str]
    owner: str = ""
    broken: bool = False
    implied: bool = False
    setup: list[Mapping[str, Json]] = field(default_factory=list)
    calls: list[Mapping[str, Json]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)
    files: bool = False
    bare: frozenset[str] | None = None

    def take(self, source: str) -> None:
        """Add one statement; raises Unreadable when it is more than a call or the making of an instance."""
        (statement,) = ast.parse(source).body
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            self._assign(statement.targets[0], statement.value)
        elif isinstance(statement, ast.Expr):
            self.calls.append(self._call(statement.value))
        else:
            raise Unreadable

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Attribute) and isinstance(target.value, ast.Name) and target.value.id in self.known:
            self.calls.append({"on": target.value.id, "set": target.attr, "value": self._value(value)})
            return
        if not isinstance(target, ast.Name) or self.calls:
            raise Unreadable
        if isinstance(value, ast.Call):
            args, kwargs = self._arguments(value)
            item = {"name": target.id, "new": self._dotted(value.func), "args": args, "kwargs": kwargs}
        else:
            item = {"name": target.id, "value": self._value(value)}
        self.setup = [*(one for one in self.setup if one["name"] != target.id), item]
        self.known.add(target.id)

    def _call(self, node: ast.expr) -> Mapping[str, Json]:
        self._imply(node.func if isinstance(node, ast.Call) else node)
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.known:
            return {"on": node.value.id, "get": node.attr, "args": [], "kwargs": {}}
        if not isinstance(node, ast.Call):
            raise Unreadable
        args, kwargs = self._arguments(node)
        method = node.func
        if isinstance(method, ast.Attribute) and isinstance(method.value, ast.Name) and method.value.id in self.known:
            return {"on": method.value.id, "call": method.attr, "args": args, "kwargs": kwargs}
        return {"on": None, "call": self._dotted(method), "args": args, "kwargs": kwargs}

    def _imply(self, node: ast.expr) -> None:
        """Where a name that nothing defines is used like an instance, let it be a new one of the class described."""
        if not (isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name)) or not self.owner or self.setup:
            return
        name = node.value.id
        if name not in self.names and name not in dir(builtins) and name.isidentifier() and name[0].islower():
            self.setup = [{"name": name, "new": self.owner, "args": [], "kwargs": {}}]
            self.known.add(name)
            self.implied = True

    def _arguments(self, node: ast.Call) -> tuple[list[Json], dict[str, Json]]:
        if any(keyword.arg is None for keyword in node.keywords):
            raise Unreadable
        args = [self._value(argument) for argument in node.args]
        return args, {str(keyword.arg): self._value(keyword.value) for keyword in node.keywords}

    def _value(self, node: ast.expr) -> Json:
        if isinstance(node, ast.Name) and node.id in self.known:
            return {"$name": node.id}
        if isinstance(node, ast.Name) and self._is_bare(node.id):
            return node.id
        if isinstance(node, ast.Name | ast.Attribute):
            return {"$type": "public", "value": self._dotted(node)}
        try:
            value = ast.literal_eval(node)
        except (ValueError, TypeError) as error:
            raise Unreadable from error
        self.files = self.files or (isinstance(value, str) and FILE_NAME.fullmatch(value) is not None)
        return encode(value)

    def _is_bare(self, word: str) -> bool:
        known = (*self.names, *dir(builtins))
        return self.bare is not None and word not in self.bare and word not in known

    def _dotted(self, node: ast.expr) -> str:
        if isinstance(node, ast.Name) and node.id in self.names:
            return self.names[node.id]
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in self.names:
            return f"{self.names[node.value.id]}.{node.attr}"
        raise Unreadable

    def example(self, source: str, want: Json) -> Example:
        """All calls so far, of which only the last has a stated answer."""
        answer = want["$is"] if isinstance(want, dict) and "$is" in want else want
        expect: Sequence[Json] = [*([ANY] * (len(self.calls) - 1)), answer]
        first = self.setup[-1].get("new") if self.setup else None
        subject = str(self.calls[-1].get("call") if self.calls[-1]["on"] is None else first or "")
        return Example(subject, source, tuple(self.setup), tuple(self.calls), tuple(expect), self.files, self.implied)

    def forget_answers(self) -> None:
        """A call of a plain function leaves nothing behind; calls on an instance stay, since they change it."""
        self.calls = [call for call in self.calls if call["on"] is not None]
