"""Mutated: observe with one mutant in the place of its file's code.

job: as for `observe`, and {"file", "index"}: which code file, and which of its mutants.
"""

from __future__ import annotations

from typing import Any, Callable

import mutant_code
import mutant_fresh
import mutation
import observe


def run(job: dict[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> None:
    """Give the mutant to whoever imports the file, then observe."""
    source = mutation.parsed(context.source, str(job["file"]))
    if source is not None:
        mutant = source.mutants[int(job["index"])]
        code = mutant_code.whole(source, mutant, mutant_code.Counter())
        mutant_fresh.give({source.path: lambda: code})
        observe.run(job, emit, context)
