"""Text: makes foreign text harmless for a terminal: it can neither move the cursor nor reorder a line."""

from __future__ import annotations

import re
import unicodedata

from rich.console import Console

LENGTH = 2_000
UNCHECKED_WORDS = ("could-not", "not-checked", "not-measured", "not-compared", "stopped", "unstable")
COLOURS = re.compile(r"\x1b\[[0-9;]{0,32}m")
SPACES = frozenset("\n\r\t\v\f\u2028\u2029\x85")


def plain(text: object, *, length: int = LENGTH) -> str:
    """One printable line: colours dropped, line breaks and tabs as spaces, every other control character spelled out.

    Bidirectional and invisible marks count as control characters. The result is not rich markup: print it through
    `Text` or a console of `make_console`, which reads no markup.
    """
    raw = str(text)[: 4 * length]
    shown = "".join(_shown(character) for character in COLOURS.sub("", raw)).strip()
    cut = len(shown) > length or len(str(text)) > len(raw)
    return shown[: length - 1] + "…" if cut else shown


def plain_lines(text: str, *, count: int = 20, length: int = 200) -> list[str]:
    """At most `count` lines, each made plain, blank ones left out; a last line says how many more there were."""
    lines = [line for line in (plain(line, length=length) for line in text.splitlines()) if line]
    more = len(lines) - count
    return [*lines[:count], f"… {more} more {'line' if more == 1 else 'lines'}"] if more > 0 else lines


def is_unchecked(note_kind: object) -> bool:
    """Whether a note of this kind says that something was not checked."""
    return any(word in str(note_kind) for word in UNCHECKED_WORDS)


def percent(share: float) -> str:
    """A percentage as "92 %", rounded down, so that 100 % means all."""
    return f"{int(share + 1e-9)} %"


def make_console(*, stderr: bool = False, width: int | None = None) -> Console:
    """A console that reads no markup and no emoji codes in what it prints; it honours NO_COLOR and a pipe."""
    return Console(stderr=stderr, width=width, markup=False, highlight=False, emoji=False)


def _shown(character: str) -> str:
    if character.isprintable():
        return character
    if character in SPACES or unicodedata.category(character) == "Zs":
        return " "
    return character.encode("unicode_escape").decode("ascii")
