"""Trigger: what is run to show a flaw. Replay: what running it showed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

Json = Any
"""A JSON value: None, bool, int, float, str, list or dict of these; other values as {"$type", "value"}."""


class ReplayStatus(StrEnum):
    """What a replay says of its trigger: five words, never one boolean."""

    SHOWN = "shown"
    NOT_SHOWN = "not-shown"
    FLAKY = "flaky"
    VACUOUS = "vacuous"
    COULD_NOT_CHECK = "could-not-check"


@dataclass(frozen=True, slots=True)
class Trigger:
    """A recipe that shows a flaw (DESIGN 4.1).

    `kind` is "observation" (set-up and calls whose outcomes are compared outside the process that imported
    the branch), "program" (a script that exits 10 or 0), "suite" (one named test of a locked suite, re-run), "hollow"
    (the branch's own suite on hollowed code), "mutant" (the own suite on code with one small change, and calls that this
    change answers otherwise), "guard" (the own suite under the guard's controls), "masked" (calls made where no test
    runs, or with constants of the code changed), "equality" (the answer of calls is compared with what nothing equals),
    "tampering" (`source` names what importing the code must leave alone) or "vain" (tests of its own that pass whatever
    they assert, or whatever the code does).
    `expect` states the *right* behaviour.
    """

    kind: str
    claim: str
    setup: tuple[Mapping[str, Json], ...] = ()
    calls: tuple[Mapping[str, Json], ...] = ()
    expect: Mapping[str, Json] | None = None
    control: Mapping[str, Json] | None = None
    source: str | None = None
    timeout: float = 10.0
    runs: int = 2
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of running a trigger `runs` times in fresh sandboxes, and its controls."""

    status: ReplayStatus
    runs: int = 0
    shown: int = 0
    output: str = ""
    sandbox: str = ""
