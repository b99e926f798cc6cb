"""Evidence: measures short of a finding that the choice may weigh, and never an accusation."""

from __future__ import annotations

from dataclasses import dataclass

UNLIKENESS = "unlikeness"
"""The measure that only tells apart branches which did the same on all that was tried."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One count against one branch: `measure` is "failed-examples" or another that `stages.choose` names."""

    branch_id: str
    attack: str
    measure: str
    count: float
    of: int


@dataclass(frozen=True, slots=True)
class Parting:
    """How often the branches parted into just these groups on inputs of one tier.

    `crashed` says of each group whether it ended in an exception that was not raised on purpose, or did not return;
    `irregular` on how many of these inputs its answer broke what holds wherever all answer alike and another group keeps.
    Kept by groups and not by branch, so that it can be counted anew among those that live.
    """

    attack: str
    tier: str
    groups: tuple[tuple[str, ...], ...]
    crashed: tuple[bool, ...]
    count: int
    irregular: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Kinship:
    """Branches whose code is the same up to names and layout: they count once. `first` is the one they are counted as."""

    branch_id: str
    first: str


Weighed = Evidence | Parting | Kinship
