"""Burst: how many calls a method of a clocked class lets through within one span, against what its constructor was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.surface import Parameter
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.outcomes import Outcome

Case = Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Burst:
    """The most True answers of one call within a half-open span of `span` seconds, and the two constructor arguments."""

    method: str
    count: int
    span: float
    span_name: str
    limit: int
    limit_name: str

    @property
    def over(self) -> bool:
        """Whether more came through within the span than the limit names."""
        return self.count > self.limit

    @property
    def times(self) -> str:
        """The count in words, against the limit."""
        ratio = self.count / self.limit
        return {2.0: "twice the limit"}.get(ratio, f"{ratio:.3g} times the limit")


def admitted_at_once(outcomes: Sequence[Outcome]) -> int | None:
    """How many of the same calls at one instant were answered True before the first False; None if it is no such method."""
    answers = [outcome.get("value") for outcome in outcomes]
    if not all(isinstance(answer, bool) for answer in answers) or True not in answers or False not in answers:
        return None
    count = answers.index(False)
    return count if answers == [True] * count + [False] * (len(answers) - count) else None


def argument_names(
    parameters: Sequence[Parameter], args: Sequence[Json], kwargs: Mapping[str, Json]
) -> dict[str, Json]:
    """Constructor arguments by parameter name."""
    names = [parameter.name for parameter in parameters]
    bound = dict(zip(names, args, strict=False))
    return {**bound, **kwargs}


def measure(case: Case, outcomes: Sequence[Outcome], arguments: Mapping[str, Json], limit: int) -> Burst | None:
    """The worst burst of a case, when exactly one argument is `limit` and exactly one other number can be the span."""
    numbers = {
        name: value
        for name, value in arguments.items()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    limits = [name for name, value in numbers.items() if value == limit]
    spans = [name for name in numbers if name not in limits[:1] and numbers[name] > 0]
    if len(limits) != 1 or len(spans) != 1:
        return None
    span = float(numbers[spans[0]])
    best: tuple[int, str] = (0, "")
    for name, times in _accepted(case, outcomes).items():
        worst = max((sum(start <= time < start + span for time in times) for start in times), default=0)
        best = max(best, (worst, name))
    return Burst(best[1], best[0], span, spans[0], limit, limits[0]) if best[0] else None


def _accepted(case: Case, outcomes: Sequence[Outcome]) -> dict[str, list[float]]:
    """Times of True answers by method, over calls with one and the same arguments."""
    groups: dict[tuple[str, str], list[float]] = {}
    for call, outcome in zip(case["calls"], outcomes, strict=False):
        if outcome.get("value") is True and "call" in call and call.get("at") is not None:
            key = (str(call["call"]), canonical([call["args"], call["kwargs"]]))
            groups.setdefault(key, []).append(float(call["at"]))
    return {name: times for (name, _), times in sorted(groups.items(), key=lambda item: len(item[1]))}
