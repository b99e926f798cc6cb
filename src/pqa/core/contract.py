"""Contract: the lines and the answers that `.pqa/contract.toml` holds: what may be passed, and what is right there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pqa.core.trigger import Json


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a contract: `seen` of the function's distinct calls, `support` of which the relation speaks of.

    `relation` may begin with "not": that relation is then not required. `source` is learned, declared or person.
    """

    function: str
    relation: str
    seen: int = 0
    support: int = 0
    source: str = "learned"


@dataclass(frozen=True, slots=True)
class Answer:
    """What somebody trusted said to one question: `kind` is "value", "either" or "cannot-happen".

    `witness` is the case {"setup", "calls"}. `values` holds, for a value, what is right for each of its calls, as
    `expect.values` of a trigger does: an encoded value, {"$raises": NAME} or {"$any": true}. `relation` is what the
    witness breaks (T1), `source` "person" or "reference".
    """

    question_id: str
    kind: str
    values: tuple[Json, ...] = ()
    source: str = "person"
    function: str = ""
    relation: str | None = None
    tier: str = "T0"
    witness: Mapping[str, Json] = field(default_factory=dict)

    @property
    def outside(self) -> bool:
        """Whether it leaves open what is right there: no branch is wrong by it."""
        return self.kind != "value"


@dataclass(frozen=True, slots=True)
class Agreed:
    """All that was settled before a run: lines that win over what is learned, and answers."""

    lines: tuple[Line, ...] = ()
    answers: tuple[Answer, ...] = ()

    def frees(self, function: str, relation: str) -> bool:
        """Whether a person's line says that this relation is not required."""
        return any(line.function == function and line.relation == f"not {relation}" for line in self.lines)

    def closed(self, function: str, relation: str | None) -> bool:
        """Whether inputs that break this relation need no question any more: they cannot happen, or nobody minds."""
        if relation is None:
            return False
        stated = any(one.function == function and one.relation == relation for one in self.lines)
        return stated or any(
            one.outside and one.function == function and one.relation == relation for one in self.answers
        )
