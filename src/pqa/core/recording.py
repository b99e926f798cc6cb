"""Recording: the calls that the branches' own tests make, as plain encoded values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pqa.core.trigger import Json


@dataclass(frozen=True, slots=True)
class Call:
    """One recorded call. `function` is "module.function", or the method's name inside a `Trace`.

    `outcome` is {"value": V} or {"raises": NAME}; `at` the clock reading in force, if the call read a clock;
    `replayable` is false when an argument has no plain form. Where it `sets`, it is no call: the test gave the attribute
    `function` the value of its one argument.
    """

    function: str
    args: tuple[Json, ...]
    kwargs: Mapping[str, Json]
    outcome: Mapping[str, Json]
    at: float | None = None
    test: str = ""
    replayable: bool = True
    sets: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """One instance's life in a test: how it was built and what was called on it, in order; what was assigned too.

    An argument that served as a clock stands in `args`/`kwargs` as {"$name": "clock"}. `reads` are the public attributes
    of the instance that the tests' code names.
    """

    class_name: str
    args: tuple[Json, ...]
    kwargs: Mapping[str, Json]
    calls: tuple[Call, ...]
    clocked: bool = False
    test: str = ""
    replayable: bool = True
    reads: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Recording:
    """All that one suite called on one branch."""

    calls: tuple[Call, ...] = ()
    traces: tuple[Trace, ...] = ()
    truncated: bool = False
