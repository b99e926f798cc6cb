"""Newly raises: does a patch only get rid of a difference by failing on both sides of it?"""

from __future__ import annotations

from collections.abc import Callable

from pqa.core.errors import GuestLost
from pqa.core.ports import Zygote
from pqa.core.trigger import Trigger
from pqa.instruments.observation import cases_of, observe
from pqa.instruments.outcomes import describe, kind_of


def newly_raises(past: Callable[[], Zygote], patched: Callable[[], Zygote], trigger: Trigger) -> str:
    """For a trigger that compares answers with each other: the call that the branch answered and the copy does not."""
    if trigger.kind != "observation" or not {"relation", "rule"} & set(trigger.expect or {}):
        return ""
    cases = cases_of(trigger)
    try:
        before, now = observe(past(), cases), observe(patched(), cases)
    except GuestLost:
        return ""
    for left, right in zip(before, now, strict=True):
        for one, other in zip(left.outcomes, right.outcomes, strict=False):
            if kind_of(one) == "value" and kind_of(other) in ("raises", "timeout"):
                return f"it {describe(other)} where the branch answered {describe(one)}"
    return ""
