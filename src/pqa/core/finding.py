"""Finding: one claim against a branch. Question: a difference for a person to settle. Note: a run-level remark."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from pqa.core.severity import parse_severity
from pqa.core.trigger import Json, Replay, Trigger


@dataclass(frozen=True, slots=True)
class Finding:
    """One claim against one branch; the first six fields are the seed's (S8) and suffice to build one.

    `severity` is the effective level once a replay has capped it, the claimed one before; a known level is
    normalised to lower case here, and an unknown one is kept so that `score_all` can name it. `qualified` says
    that the conditions of the oracle's upper cap hold (see `core.oracle`). `id` is a fingerprint of what is
    claimed, stable over runs.
    """

    branch_id: str
    severity: str
    category: str
    title: str
    detail: str
    resolved: bool = False
    id: str = ""
    attack: str | None = None
    layer: str | None = None
    oracle: str | None = None
    claimed_severity: str | None = None
    trigger: Trigger | None = None
    replay: Replay | None = None
    location: str | None = None
    adversary: str | None = None
    why_missed: str | None = None
    quote: str | None = None
    qualified: bool = False
    discounted: bool = False
    discount_reason: str | None = None
    root: str | None = None

    def __post_init__(self) -> None:
        level = parse_severity(self.severity)
        if level is not None:
            object.__setattr__(self, "severity", level.value)
        if not self.id:
            object.__setattr__(self, "id", self._fingerprint())

    def _fingerprint(self) -> str:
        parts: list[Json] = [self.branch_id, self.attack, self.oracle, self.category, self.title]
        if self.trigger is not None:
            parts += [list(self.trigger.setup), list(self.trigger.calls), self.trigger.expect, self.trigger.source]
        text = json.dumps(parts, sort_keys=True, default=str)
        return "f" + hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:12]


@dataclass(frozen=True, slots=True)
class Question:
    """A behavioural split with no oracle: asked, never a kill (DESIGN 6.1, 8).

    `kind` is "contract" (may this input happen?) or "value" (which outcome is meant?). `witness` is a case
    {"setup", "calls"}; `outcomes` maps each branch to what it did in words, `observed` to the encoded outcomes of the
    calls; `separates` lists the groups. A `spare` question tells apart what another one does too: it is asked only where
    the answer to that one left things open.
    """

    question_id: str
    kind: str
    text: str
    witness: Mapping[str, Json]
    outcomes: Mapping[str, str]
    separates: tuple[tuple[str, ...], ...]
    answer: Mapping[str, Json] | None = None
    retired: bool = False
    function: str = ""
    relation: str | None = None
    tier: str = "T0"
    observed: Mapping[str, Json] = field(default_factory=dict)
    spare: bool = False

    @property
    def is_open(self) -> bool:
        """Whether it is asked already and waits for an answer; a spare one is not asked yet."""
        return self.answer is None and not self.retired and not self.spare


@dataclass(frozen=True, slots=True)
class Note:
    """A remark on the run that accuses nobody: a broken example, a weak shared suite, what could not be checked."""

    kind: str
    text: str
    branch_id: str | None = None
