"""Time shift: answers of a clocked class must not depend on where its clock starts; measured, with its exactness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.ports import Zygote
from pqa.core.trigger import Json
from pqa.instruments.observation import Observed, breaks, observe, shifted
from pqa.instruments.sequences import Construction, dyadic, exact

Case = Mapping[str, Json]
FAR = 4096.0


@dataclass(frozen=True, slots=True)
class Shift:
    """A case and the amount by which its clock is moved."""

    case: Case
    amount: float


def shifts_of(cases: Sequence[Case]) -> list[Shift]:
    """Every exact case with shifts that cut its constructor's numbers, none of which is a whole multiple of them."""
    found = []
    for case in cases:
        if not exact(case) or not any(call.get("at") is not None for call in case["calls"]):
            continue
        made = case["setup"][-1]
        numbers = Construction(tuple(made["args"]), made["kwargs"]).numbers or (1.0,)
        amounts = sorted({dyadic(number / part) for number in numbers for part in (2, 16)} - {0.0})
        found += [Shift(case, amount) for amount in amounts]
    return found


def measure(zygote: Zygote, shifts: Sequence[Shift], *, seconds: float) -> list[tuple[bool | None, Observed]]:
    """For each shift: whether the branch's answers change (None: could not check), and its outcomes unshifted."""
    cases = [case for shift in shifts for case in (shift.case, shifted(shift.case, shift.amount))]
    observed = observe(zygote, cases, seconds=seconds)
    pairs = [observed[index : index + 2] for index in range(0, len(observed), 2)]
    expect = {"relation": "time-shift"}
    return [(breaks(expect, pair), pair[0]) for pair in pairs]


def far(shift: Shift) -> Shift:
    """The same shift a long time after zero, where a clock's first reading cannot be mistaken for 'never'."""
    return Shift(shifted(shift.case, FAR * _grid(shift.case)), shift.amount)


def _grid(case: Case) -> float:
    """A whole number that keeps edges of the constructor's numbers where they are: their product, bounded."""
    made = case["setup"][-1]
    product = 1.0
    for number in Construction(tuple(made["args"]), made["kwargs"]).numbers:
        product *= number if number == int(number) and product * number <= 1e6 else 1.0
    return product
