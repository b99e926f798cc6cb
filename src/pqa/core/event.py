"""Event: one line of the stream that the terminal, the ledger and every other sink read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """`kind` is one of: run-started, branch-found, stage-started, stage-ended, branch-died, branch-verified,
    attack-started, attack-ended, finding, finding-replayed, question, note, run-ended."""

    kind: str
    branch_id: str | None = None
    data: Mapping[str, Any] = field(default_factory=dict)
