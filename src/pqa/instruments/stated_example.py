"""Stated example: one outcome that a text states for a case, whatever spelling it was read from."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from pqa.core.trigger import Json
from pqa.core.values import encode

ANY: dict[str, Json] = {"$any": True}
FILE_NAME = re.compile(r"[\w./-]*\.(txt|csv|json|xml|db|docx?|pdf|xlsx?|html?|zip|log|dat|ini|ya?ml)$")
LONGEST = 400


@dataclass(frozen=True, slots=True)
class Example:
    """One stated outcome: `expect` holds one entry a call, {"$any": true} where the text says nothing.

    Where the text never builds the instance that it calls, `implied`, a new one of the class that it describes is meant.
    """

    subject: str
    text: str
    setup: tuple[Mapping[str, Json], ...]
    calls: tuple[Mapping[str, Json], ...]
    expect: tuple[Json, ...]
    touches_files: bool = False
    implied: bool = False


def literal(text: str) -> Json | None:
    """The encoded literal, wrapped so that None can be told from nothing."""
    try:
        return {"$is": encode(ast.literal_eval(text))}
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def leading_literal(text: str) -> tuple[Json, str] | None:
    """The longest literal that a text begins with, wrapped, and what comes after it."""
    text = text[:LONGEST].lstrip()
    for cut in range(len(text), 0, -1):
        told = text[:cut].rstrip()
        found = None if text[cut : cut + 1].isalnum() or told.endswith(",") else literal(told)
        if found is not None:
            return found, text[cut:]
    return None
