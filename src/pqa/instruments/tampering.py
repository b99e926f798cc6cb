"""Tampering: what importing a branch's code replaces in the process that tests it: built-ins, assertions, clocks."""

from __future__ import annotations

from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.ports import Zygote
from pqa.core.trigger import Trigger

SECONDS = 30.0
LIES, CLOCK = "lies", "clock"


@dataclass(frozen=True, slots=True)
class Replaced:
    """A name that the branch's code puts something of its own in place of; `way` is "lies" or "clock"."""

    name: str
    way: str


def find_replaced(zygote: Zygote, branch: Branch) -> tuple[Replaced, ...] | None:
    """What tells falsehoods, and clocks; None where it could not be asked. Others change nothing that a test says."""
    done = zygote.run("tampering", {"code": list(branch.code)}, seconds=SECONDS)
    if done.trouble:
        return None
    told = [record for record in done.records if isinstance(record.get("replaced"), str)]
    ways = [(str(record["replaced"]), LIES if record.get("lies") is True else CLOCK, record) for record in told]
    return tuple(Replaced(name, way) for name, way, record in ways if way == LIES or record.get("clock") is True)


def show_tampering(zygote: Zygote, branch: Branch, trigger: Trigger, *, inert: bool) -> tuple[bool | None, str]:
    """Shown: importing the code replaces the name again. An inert double replaces nothing that could be called."""
    if inert:
        return False, "inert"
    found = find_replaced(zygote, branch)
    if found is None:
        return None, "its code could not be imported under watch"
    name = trigger.source or ""
    return any(one.name == name for one in found), f"after the import {name} is " + (
        "the branch's own" if any(one.name == name for one in found) else "the interpreter's"
    )
