"""Quote: is a sentence in the task, word for word? White space and typographic marks do not count, letters do."""

from __future__ import annotations

import re

MARKS = str.maketrans({"\u2018": "'", "\u2019": "'", "“": '"', "”": '"', "`": "", "*": ""})
SHORTEST = 12


def in_task(quote: str, task: str) -> bool:
    """Whether `quote` stands in `task`; one that is hardly a sentence says nothing and is not found."""
    wanted = _plain(quote).strip(" .,;:!?\"'")
    if len(wanted) < SHORTEST or " " not in wanted:
        return False
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", _plain(task)) is not None


def _plain(text: str) -> str:
    return " ".join(text.translate(MARKS).split())


def shortened(text: str, limit: int = 300) -> str:
    """The quote on one line, as it is shown."""
    line = " ".join(text.split())
    return line if len(line) <= limit else line[: limit - 1] + "…"
