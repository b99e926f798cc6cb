"""Masked: run calls without the tells of a test run, or with false ones, and with constants of the code changed.

The source of a trigger of this kind is JSON: {"changes": {file: [places]}}. Without changes it is shown when a call does
otherwise than expected where no test runs; with them, when the expected answers come and vanish with the constants.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from types import TracebackType

from pqa.core.job import JobResult
from pqa.core.ports import Conversation, Zygote
from pqa.core.trigger import Json, Trigger
from pqa.instruments.observation import Observed, breaks, case_of, observe
from pqa.instruments.outcomes import describe_vector

Case = Mapping[str, Json]
Places = tuple[tuple[int, ...], ...]
Changes = Mapping[str, Places]
CALL_SECONDS = 0.3
SECONDS = 20.0


class _Masked:
    """A zygote whose observations are masked."""

    def __init__(self, zygote: Zygote, more: Mapping[str, Json]) -> None:
        self._zygote = zygote
        self._more = more

    def run(self, kind: str, job: Mapping[str, Json], *, seconds: float) -> JobResult:
        """An observation with the mask on; no other job is asked for."""
        return self._zygote.run("masked" if kind == "observe" else kind, {**job, **self._more}, seconds=seconds)

    def converse(self, kind: str, job: Mapping[str, Json], *, seconds: float) -> Conversation:
        """As it is."""
        return self._zygote.converse(kind, job, seconds=seconds)

    def close(self) -> None:
        """It belongs to somebody else."""

    def __enter__(self) -> Zygote:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def observe_masked(
    zygote: Zygote,
    cases: Sequence[Case],
    *,
    test: str = "",
    changes: Changes | None = None,
    call_seconds: float = CALL_SECONDS,
) -> list[Observed]:
    """One `Observed` a case; as if `test` called it, or as if there were no test run."""
    if not cases:
        return []
    more: dict[str, Json] = {
        "test": test,
        "changes": {name: list(map(list, at)) for name, at in (changes or {}).items()},
    }
    return observe(_Masked(zygote, more), cases, call_seconds=call_seconds, seconds=SECONDS)


def masked_source(changes: Changes | None = None) -> str:
    """The source of a trigger that is shown under a mask."""
    return json.dumps({"changes": {name: list(map(list, at)) for name, at in (changes or {}).items()}}, sort_keys=True)


def show_masked(zygote: Zygote, trigger: Trigger, *, inert: bool) -> tuple[bool | None, str]:
    """Run such a trigger again. An inert double answers nothing, so nothing can vanish."""
    if inert:
        return False, "inert"
    try:
        told = json.loads(trigger.source or "")["changes"]
        changes = {str(name): tuple(tuple(map(int, at)) for at in places) for name, places in told.items()}
    except (ValueError, TypeError, KeyError, AttributeError):
        return None, "the trigger is malformed"
    cases, expect = [case_of(trigger)], trigger.expect or {}
    plain = observe_masked(zygote, cases, call_seconds=2.0)
    words = f"where no test runs: {_words(plain)}"
    if not changes:
        return breaks(expect, plain), words
    changed = observe_masked(zygote, cases, changes=changes, call_seconds=2.0)
    words += f"\nwith {sum(map(len, changes.values()))} constants of its code changed: {_words(changed)}"
    holds, vanishes = breaks(expect, plain), breaks(expect, changed)
    return None if holds is None or vanishes is None else not holds and vanishes, words


def _words(observed: Sequence[Observed]) -> str:
    return "; ".join(one.trouble or describe_vector(one.outcomes) for one in observed)
