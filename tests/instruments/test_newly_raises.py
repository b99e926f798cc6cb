"""Newly raises: a patch that gives no answer where the branch gave one has not mended what compares answers."""

from __future__ import annotations

from pqa.core.trigger import Trigger
from pqa.instruments.newly_raises import newly_raises

CALLS = tuple({"on": None, "call": "near.near", "args": list(args), "kwargs": {}} for args in ((1, 5), (5, 1)))
RULE = Trigger("observation", "near", calls=CALLS, expect={"rule": {"name": "symmetric", "same": [[0, 1]]}})


def test_a_patch_that_raises_in_a_rule_is_told_from_one_that_mends(plant) -> None:
    _, past = plant({"near.py": "def near(a, b):\n    return b - a < 2\n"}, "past")
    _, mended = plant({"near.py": "def near(a, b):\n    return abs(a - b) < 2\n"}, "mended")
    _, silent = plant({"near.py": "def near(a, b):\n    raise TypeError\n"}, "silent")
    assert newly_raises(lambda: past, lambda: mended, RULE) == ""
    assert newly_raises(lambda: past, lambda: silent, RULE) == "it raises TypeError where the branch answered False"
