"""Oracle: what makes an observed behaviour wrong, and how severe a finding that rests on it may be (DESIGN 4.2).

This table is the only place that knows caps. `stages.replay` applies it, `score_all` never does.
"""

from __future__ import annotations

from dataclasses import dataclass

from pqa.core.severity import Severity


@dataclass(frozen=True, slots=True)
class Cap:
    """`qualified` is the cap when the oracle's extra conditions hold, `plain` when they do not."""

    qualified: Severity
    plain: Severity
    meaning: str


def _cap(qualified: str, plain: str, meaning: str) -> Cap:
    return Cap(Severity(qualified), Severity(plain), meaning)


CAPS: dict[str, Cap] = {
    "answer": _cap("critical", "critical", "a person answered, or wrote the contract line"),
    "task": _cap("critical", "critical", "a property given with the task, or a locked test"),
    "reference": _cap("critical", "critical", "a trusted implementation answers otherwise, inside the contract"),
    "task-text": _cap("critical", "high", "a sentence of the task, contradicted; critical with a second reader"),
    "example": _cap("critical", "medium", "an example in the task; critical when self-contained and passed by enough"),
    "law": _cap("critical", "critical", "a law of the language, or a declared relation"),
    "relation": _cap(
        "critical", "high", "an inferred relation; critical only for an exact time shift that siblings keep"
    ),
    "loss": _cap("critical", "high", "data lost or unreadable after a fault"),
    "deadlock": _cap("critical", "low", "no progress; critical where sharing is promised"),
    "race": _cap("critical", "low", "a result that no order of calls gives; critical where sharing is promised"),
    "hang": _cap("critical", "high", "no answer where siblings return; critical inside a declared contract"),
    "crash": _cap("critical", "high", "an exception where siblings return; critical inside a declared contract"),
    "breach": _cap("critical", "critical", "a security effect observed in the sandbox"),
    "gaming": _cap("critical", "medium", "the tests or the runner are gamed; critical only when shown by execution"),
    "hollow-suite": _cap("critical", "high", "the branch's own tests stay green on hollowed code"),
    "promise": _cap("high", "high", "the branch contradicts its own annotation or prose"),
    "base": _cap("high", "high", "all other branches agree with the base and this one does not"),
    "siblings": _cap("high", "medium", "most independent branches do otherwise"),
    "mutant": _cap("high", "high", "a mutant with a witness survives the branch's tests"),
    "scaling": _cap("high", "high", "growth worse than the siblings' by a stated factor"),
    "static": _cap("medium", "medium", "a rule found it, nothing was run"),
    "opinion": _cap("medium", "medium", "a concrete condition that was not run"),
}

UNKNOWN = _cap("low", "low", "no known oracle")


def cap_of(oracle: str | None, *, qualified: bool = False, kind: str = "observation") -> Severity:
    """The highest severity that `oracle` can carry; a `program` trigger speaks for itself, so high at most."""
    cap = CAPS.get(oracle or "", UNKNOWN)
    level = cap.qualified if qualified else cap.plain
    return level.at_most(Severity.HIGH) if kind == "program" else level
