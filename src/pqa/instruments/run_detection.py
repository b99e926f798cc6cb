"""Run detection: does a branch answer rightly only inside its test run, or only in the order of its tests?

Each branch makes the calls of its tests again where no test runs, the last one first. What it then answers otherwise,
and the others answer as before, hangs on the run: on earlier calls, on tells of a test run, or on its callers' frames.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.ports import Zygote
from pqa.instruments.masked import Case, observe_masked
from pqa.instruments.observation import Observed
from pqa.instruments.outcomes import Outcome, kind_of, value_difference
from pqa.instruments.seen_calls import Seen, gives, parts_from, same

ORDER, RUN, FRAMES, UNEXPLAINED = "order", "run", "frames", "unexplained"
MOST_ALONE = 6
FEWEST_ALONE = 2
MOST_REPEATS = 24


@dataclass(frozen=True, slots=True)
class Hanging:
    """Right answers that vanish outside the test run. `wrong` are calls; `alone` those that are wrong as the first and
    only call; `witness` is one of `alone`, `right` what the tests and the others say, `answer` what comes instead."""

    kind: str
    wrong: tuple[int, ...]
    witness: int
    right: Outcome
    answer: Outcome
    repeated: bool = False


def observe_backwards(zygote: Zygote, seen: Seen, *, test: str = "") -> list[Observed]:
    """All seen calls, the last one first, in one process; in the order of the calls."""
    return observe_masked(zygote, seen.cases[::-1], test=test)[::-1]


def is_steady(plain: Sequence[Observed], recorded: Mapping[int, Outcome]) -> bool:
    """Whether a branch does outside its test run what it did inside."""
    return all(plain[place].complete and same(right, plain[place].outcomes[-1]) for place, right in recorded.items())


def find_hanging(
    zygote: Zygote, name: str, seen: Seen, plain: Mapping[str, Sequence[Observed]], siblings: Sequence[str], tells: bool
) -> Hanging | None:
    """What of a branch hangs on its test run; every sibling must answer as its tests want, and steadily."""
    recorded = seen.settled(name)
    wrong = [place for place, right in recorded.items() if parts_from(plain[name][place], right)]
    wrong = [
        place for place in wrong if siblings and all(gives(plain[one][place], recorded[place]) for one in siblings)
    ]
    if not wrong:
        return None
    alone = {place: observe_masked(zygote, [seen.cases[place]])[0] for place in wrong[:MOST_ALONE]}
    lone = [place for place, one in alone.items() if parts_from(one, recorded[place])]
    if not lone:
        return None
    witness = lone[0]
    kind, repeated = _kind(zygote, name, seen, wrong, lone, tells)
    answer = alone[witness].outcomes[-1]
    return Hanging(kind, tuple(wrong), witness, recorded[witness], answer, repeated)


def _kind(
    zygote: Zygote, name: str, seen: Seen, wrong: Sequence[int], lone: Sequence[int], tells: bool
) -> tuple[str, bool]:
    recorded = seen.settled(name)
    test = seen.calls[lone[0]].test
    pretended = observe_backwards(zygote, seen, test=test)
    if all(gives(pretended[place], recorded[place]) for place in wrong):
        return RUN, False
    order = seen.order.get(name, [])
    ordered = observe_masked(zygote, [seen.cases[place] for place in order])
    if all(gives(one, recorded[place]) for place, one in zip(order, ordered, strict=True) if place in wrong):
        return _counting(zygote, name, seen, lone, order)
    return (FRAMES if tells else UNEXPLAINED), False


def _counting(zygote: Zygote, name: str, seen: Seen, lone: Sequence[int], order: Sequence[int]) -> tuple[str, bool]:
    """Whether one and the same call, made again and again, gives the answers of the others in their order."""
    recorded = seen.settled(name)
    cases: list[Case] = [seen.cases[lone[0]]] * min(len(order), MOST_REPEATS)
    repeated = observe_masked(zygote, cases)
    pairs = [(one, recorded[place]) for one, place in zip(repeated, order, strict=False) if place in recorded]
    counts = bool(pairs) and all(gives(one, right) for one, right in pairs)
    return ORDER, counts or (len(lone) >= FEWEST_ALONE and _varies(repeated))


def _varies(repeated: Sequence[Observed]) -> bool:
    values = [one.outcomes[-1]["value"] for one in repeated if one.complete and kind_of(one.outcomes[-1]) == "value"]
    return any(value_difference(values[0], value) == "value" for value in values[1:])
