"""Prose examples: outcomes that a text states in sentences: "for n = 3 the output should be 6", "Input: ... Output: ..."."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from pqa.core.trigger import Json
from pqa.core.values import encode
from pqa.instruments.example_blocks import Block
from pqa.instruments.stated_example import FILE_NAME, Example, leading_literal, literal

ASSIGNED = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\s*=\s*(?!=)")
STATED = re.compile(
    r"^[\s,.;:]*(?:then\s+)?(?:the\s+|your\s+)?(?:expected\s+)?(?:output|result|answer|function|return value|it|we)?\s*"
    r"(?:should\s+(?:be|return|give)|must\s+(?:be|return)|will\s+(?:be|return)|would\s+(?:be|return)|is|returns?|gives?"
    r"|={1,3}>?|-{1,2}>|→|⇒|➞)\s*:?\s*(?P<want>\S.*?)[.;`\s]*$",
    re.IGNORECASE,
)
INPUT = re.compile(r"^\W*input\W*?\s*[:=][*_\s]*(?P<given>\S.*?)\s*$", re.IGNORECASE)
OUTPUT = re.compile(r"^\W*output\W*?\s*[:=][*_\s]*(?P<want>\S.*?)[.;`\s]*$", re.IGNORECASE)
NEAR = 3


def prose_examples(block: Block, names: Mapping[str, str]) -> Iterator[Example]:
    """What a text about one function states of it: every required argument must be given, by name or in order."""
    dotted = names.get(block.function)
    if dotted is None or block.owner or not block.required:
        return
    lines = block.text.splitlines()
    for number, line in enumerate(lines):
        found = _sentence(line, block) or _pair(lines, number, block)
        if found is not None:
            given, want, text = found
            yield _example(dotted, block, given, want, text)


def _sentence(line: str, block: Block) -> tuple[Mapping[str, Json], Json, str] | None:
    given, rest = _assignments(line)
    if not _fits(given, block):
        return None
    stated = STATED.match(rest)
    want = literal(stated["want"].strip("` ")) if stated is not None else None
    return None if want is None else (given, want, line.strip())


def _pair(lines: list[str], number: int, block: Block) -> tuple[Mapping[str, Json], Json, str] | None:
    """An "Input:" line and the "Output:" line soon after it."""
    opened = INPUT.match(lines[number])
    if opened is None:
        return None
    stated = next((found for line in lines[number + 1 : number + 1 + NEAR] if (found := OUTPUT.match(line))), None)
    want = literal(stated["want"].strip("` ")) if stated is not None else None
    told = opened["given"].strip("` ")
    given, rest = _assignments(told)
    given = given if given and not rest.strip(" ,.;`") else _in_order(told, block)
    return (given, want, lines[number].strip()) if want is not None and _fits(given, block) else None


def _assignments(line: str) -> tuple[dict[str, Json], str]:
    """The `name = literal` of a line, and what comes after the last; none where something else stands between them."""
    given: dict[str, Json] = {}
    marks = list(ASSIGNED.finditer(line))
    rest = ""
    for place, mark in enumerate(marks):
        end = marks[place + 1].start() if place + 1 < len(marks) else len(line)
        found = leading_literal(line[mark.end() : end])
        if found is None:
            return {}, ""
        value, rest = found
        if place + 1 < len(marks) and rest.strip(" ,;`") not in ("", "and"):
            return {}, ""
        given[mark[1]] = value
    return given, rest


def _in_order(text: str, block: Block) -> dict[str, Json]:
    """Literals by position."""
    try:
        call = ast.parse(f"f({text})", mode="eval").body
        values = (
            [ast.literal_eval(one) for one in call.args] if isinstance(call, ast.Call) and not call.keywords else []
        )
        return {name: {"$is": encode(value)} for name, value in zip(block.parameters, values, strict=True)}
    except (SyntaxError, ValueError, TypeError, MemoryError, RecursionError):
        return {}


def _fits(given: Mapping[str, Json], block: Block) -> bool:
    return bool(given) and set(block.required) <= set(given) <= set(block.parameters)


def _example(dotted: str, block: Block, given: Mapping[str, Json], want: Json, text: str) -> Example:
    in_order = [name for name in block.parameters if name in given]
    positional = block.parameters[: len(in_order)] == tuple(in_order)
    values = {name: given[name]["$is"] for name in in_order}
    args, kwargs = (list(values.values()), {}) if positional else ([], values)
    call = {"on": None, "call": dotted, "args": args, "kwargs": kwargs}
    files = any(isinstance(value, str) and FILE_NAME.fullmatch(value) for value in values.values())
    return Example(dotted, text, (), (call,), (want["$is"],), files)
