"""Topology: a mend and a rewrite stay themselves, a patch that becomes its sibling does not; read from real trees."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pqa.core.branch import Branch
from pqa.core.ports import Zygote
from pqa.instruments.anatomy import Anatomy, read_anatomy
from pqa.instruments.suppression import silenced
from pqa.instruments.topology import changed, distance

Plant = Callable[..., tuple[Branch, Zygote]]
COUNTER = """
class Counter:
    def __init__(self):
        self._counts: dict[str, int] = {}

    def add(self, key):
        self._counts[key] = self._counts.get(key, 0) + 1
        return self._counts[key] > 2
"""
REWRITTEN = """
import collections


class Counter:
    def __init__(self):
        self._seen = collections.defaultdict(int)

    def add(self, key):
        return self._grow(key) >= 3

    def _grow(self, key):
        self._seen[key] += 1
        return self._seen[key]
"""
LOG = """
class Counter:
    def __init__(self):
        self._log: list[str] = []

    def add(self, key):
        self._log.append(key)
        return self._log.count(key) > 2
"""
CASES = [
    {
        "setup": [{"name": "subject", "new": "counter.Counter", "args": [], "kwargs": {}}],
        "calls": [{"on": "subject", "call": "add", "args": ["ada"], "kwargs": {}}],
    }
]


def anatomy(plant: Plant, source: str, name: str) -> Anatomy:
    branch, zygote = plant({"counter.py": source}, name, ())
    return read_anatomy(zygote, branch, CASES)


def test_what_a_branch_keeps_is_read_from_its_code_and_seen_in_its_instances(plant: Plant) -> None:
    found = anatomy(plant, REWRITTEN, "b0")

    assert (found.kinds, found.written) == (frozenset({"dict#1", "dict/int#1"}), frozenset({"dict#1"}))
    assert (found.names, found.calls) == (frozenset({"Counter._seen"}), frozenset({"Counter.add->Counter._grow"}))
    assert (found.imports, found.functions) == (
        frozenset({"collections"}),
        frozenset({"Counter.__init__", "Counter.add", "Counter._grow"}),
    )
    assert (found.deciding, found.suppressions, found.trouble) == ({"3": 1}, {}, "")


def test_a_mend_and_a_rewrite_with_the_same_state_stay_themselves(plant: Plant) -> None:
    past, log = anatomy(plant, COUNTER, "b0"), anatomy(plant, LOG, "b1")
    mended = anatomy(plant, COUNTER.replace("> 2", ">= 2"), "b2")

    assert changed(past, mended, {"b1": log}) == ""
    assert changed(past, anatomy(plant, REWRITTEN, "b3"), {"b1": log}) == ""
    assert distance(past, mended) == 0


def test_a_patch_that_becomes_its_sibling_is_told_by_its_name(plant: Plant) -> None:
    past, log = anatomy(plant, COUNTER, "b0"), anatomy(plant, LOG, "b1")
    hidden = LOG.replace("_log", "_counts").replace("list[str] = []", "list[str] = list()")

    assert changed(past, anatomy(plant, hidden, "b2"), {"b1": log}) == "topology: nearer to b1 than to its own past"
    assert changed(past, log, {"b1": log, "b4": past}) == "topology: nearer to b1 than to its own past"
    assert changed(past, log, {}) == ""


def test_another_declared_axis_is_another_topology() -> None:
    past = Anatomy(axis="counter")

    assert changed(past, replace(past, axis="log"), {}) == "topology: its declared axis was 'counter' and is now 'log'"
    assert changed(past, replace(past, axis=""), {}) == ""


def test_each_way_of_silencing_is_seen_and_what_was_there_before_is_not(plant: Plant) -> None:
    quiet = """
import contextlib


def read(path):
    try:
        return open(path).read()  # type: ignore
    except OSError:
        pass
    with contextlib.suppress(ValueError):
        return int(path)  # noqa
"""
    tests = "import pytest\n\n\n@pytest.mark.skip\ndef test_it():\n    pass\n"
    branch, zygote = plant({"counter.py": quiet, "tests/test_counter.py": tests}, "b0", ())
    found = read_anatomy(zygote, branch, [])

    assert silenced(Anatomy(), found) == [
        "it adds '# noqa'", "it adds '# type: ignore'", "it adds 'except: pass'", "it adds 'skip'", "it adds 'suppress'",
    ]  # fmt: skip
    assert silenced(found, found) == []
