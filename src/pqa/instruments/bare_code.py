"""Bare code: the words of a source file without what says nothing of how it works: comments, docstrings, imports, annotations,
layout, quotes and all names. Read by its tokens, never parsed: source of a branch can break a parser that runs outside the
sandbox.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator

LEFT_OUT = frozenset({tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER})
BLOCKS = {tokenize.INDENT: "indent", tokenize.DEDENT: "dedent"}
NAME, TEXT = "name", "text"
OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
QUOTES = "\"'"
Words = list[tuple[str, str]]
"""Kind and text of each token of a line: a keyword or an operator is of its own kind."""


def bare_words(source: bytes) -> Iterator[str]:
    """The words of a file as far as they can be read. Read as UTF-8 whatever it declares: a codec that a branch chooses would
    run here, outside the sandbox."""
    line: Words = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(source.decode("utf-8-sig")).readline):
            if token.type == tokenize.NEWLINE:
                yield from _bare(line)
                line = []
            elif token.type in BLOCKS:
                yield BLOCKS[token.type]
            elif token.type not in LEFT_OUT:
                line.append(_word(token))
    except (tokenize.TokenError, SyntaxError, ValueError):
        return


def _word(token: tokenize.TokenInfo) -> tuple[str, str]:
    if token.type == tokenize.NAME and not keyword.iskeyword(token.string):
        return NAME, token.string
    if "STRING" in tokenize.tok_name[token.type]:
        return TEXT, token.string.lstrip("rRbBuUfF").strip(QUOTES)
    return token.string, token.string


def _bare(line: Words) -> Iterator[str]:
    """A logical line without imports, docstrings and annotations, and its end."""
    if not line or line[0][0] in {"import", "from"} or all(kind == TEXT for kind, _ in line):
        return
    words = [NAME if kind == NAME else text for kind, text in line]
    if any(kind == "def" for kind, _ in line[:2]):
        colon = _until(words, ":")
        yield from _unannotated(words[: min(colon, _until(words, "->"))], 1)
        yield from words[colon:]
    elif line[0][0] == NAME and line[0][1] not in {"match", "case"}:
        yield from _unannotated(words, 0)
    else:
        yield from words
    yield "newline"


def _until(words: list[str], wanted: str) -> int:
    """Where a word first stands outside all brackets; the end where it does not."""
    depth = 0
    for place, word in enumerate(words):
        depth += (word in OPENING) - (word in CLOSING)
        if word == wanted and not depth:
            return place
    return len(words)


def _unannotated(words: list[str], level: int) -> Iterator[str]:
    """Without what stands between a colon and the comma, equals sign or bracket that ends it, `level` brackets deep; a colon
    after an equals sign or a `lambda` begins no annotation."""
    depth, skipping, settled = 0, False, False
    for word in words:
        depth -= word in CLOSING
        if depth < level or (depth == level and word in {",", "="}):
            skipping, settled = False, word == "="
        elif depth == level and word == ":" and not settled:
            skipping = True
        if not skipping:
            yield word
        settled = settled or word == "lambda"
        depth += word in OPENING
