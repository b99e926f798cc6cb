"""Iterated: inputs whose lists can be gone through only once, where a signature or the task promises any iterable."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pqa.core.surface import Function
from pqa.instruments.contract import Contract
from pqa.instruments.inputs import Input

ANNOTATED = re.compile(r"\b(Iterable|Iterator|Generator)\b")
MOST = 12
LONGEST = 12


def iterated(contract: Contract, functions: Sequence[Function], prose: str, inputs: Sequence[Input]) -> list[Input]:
    """Some of the inputs inside the contract, with an iterator in place of each list that may be any iterable."""
    free = _free(contract.names, functions, prose)
    found: dict[str, Input] = {}
    for one in inputs:
        args = tuple(
            {"$type": "once", "value": value} if name in free and isinstance(value, list) else value
            for name, value in zip(one.form, one.args, strict=True)
        )
        short = all(not isinstance(value, list) or len(value) <= LONGEST for value in one.args)
        if one.tier == "T0" and short and args != one.args:
            changed = replace(one, args=args, origin="iterated")
            found.setdefault(changed.key, changed)
        if len(found) == MOST:
            break
    return list(found.values())


def _free(names: Sequence[str], functions: Sequence[Function], prose: str) -> set[str]:
    """The parameters that most signatures, or a sentence of the task, call an iterable or an iterator."""
    found = set()
    for name in names:
        stated = [one.annotation for function in functions for one in function.parameters if one.name == name]
        annotated = sum(bool(ANNOTATED.search(text)) for text in stated)
        told = re.search(rf"`{re.escape(name)}`[^.\n]{{0,40}}\b(any iterable|an iterable|iterator|generator)\b", prose)
        if annotated * 2 > len(functions) or told:
            found.add(name)
    return found
