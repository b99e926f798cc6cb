"""Shingles: refuses a brief that holds a line of a branch; a brief names the branch's path and never its code (S6)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pqa.core.errors import InternalError
from pqa.core.trigger import Json

SHORTEST = 20


def code_lines(source: str) -> dict[int, str]:
    """The lines that are long enough to be told apart, by number, with their white space normalised."""
    lines = {number: _normal(line) for number, line in enumerate(source.splitlines(), 1)}
    return {number: line for number, line in lines.items() if len(line) >= SHORTEST}


def texts_of(document: Json) -> str:
    """All text in a document, keys too, as it reads and not as JSON escapes it."""
    if isinstance(document, Mapping):
        return "\n".join(f"{key}\n{texts_of(item)}" for key, item in document.items())
    if isinstance(document, list | tuple):
        return "\n".join(texts_of(item) for item in document)
    return str(document)


def refuse_code(brief: str, sources: Mapping[str, str], allowed: Iterable[str] = ()) -> None:
    """Raises InternalError that names the file and line whose text is in `brief`.

    `sources` are the branch's files. A line that is also in one of the `allowed` texts (the task, proved findings,
    what every brief says) did not come from the branch.
    """
    told, known = _normal(brief), [_normal(text) for text in allowed]
    for file, source in sources.items():
        for number, line in code_lines(source).items():
            if line in told and not any(line in text for text in known):
                message = f"the brief holds line {number} of '{file}', and a brief never holds code of a branch"
                raise InternalError(message, "report this; nothing was sent")


def _normal(text: str) -> str:
    return " ".join(text.split())
