"""The recorder sees what tests assign to an instance and read from it, as far as it concerns public attributes."""

from __future__ import annotations

import pytest

from pqa.core.recording import Call, Recording
from pqa.instruments.suite import run_suite


@pytest.fixture
def record(plant):
    """Run tests on a module `m` and give the recording."""

    def run(code: str, tests: str) -> Recording:
        branch, zygote = plant({"m.py": code, "tests/test_m.py": tests})
        suite = run_suite(zygote, branch.tests, code=branch.code, record=True, seconds=60)
        assert (suite.status, suite.why) == ("green", ""), suite
        return suite.recording

    return run


def call(function: str, *args: object, outcome: object = None, test: str = "test_m", **more: object) -> Call:
    kwargs = more.pop("kwargs", {})
    return Call(function, args, kwargs, {"value": outcome}, test=f"tests/test_m.py::{test}", **more)  # type: ignore[arg-type]


SHELF = """
class Shelf:
    def __init__(self):
        self.items, self.kind, self._secret = {}, str, 0

    def put(self, name, count=1, kind=None):
        self.items[name] = count

    def take(self, name):
        return self.items.pop(name)

    @property
    def size(self):
        return len(self.items)
"""


def test_what_a_test_assigns_from_outside_is_recorded_where_it_shows(record) -> None:
    seen = record(
        SHELF,
        """
        import unittest

        from m import Shelf

        class TestCase(unittest.TestCase):
            def setUp(self):
                self.shelf = Shelf()

            def test_m(self):
                self.shelf.items = {"book": 2}
                assert self.shelf.take("book") == 2
                self.shelf.items["pen"] = 1
                self.shelf._secret = 3
                self.shelf.put("cup", kind=int)
                assert self.shelf.size == 2
        """,
    )
    name = "TestCase::test_m"
    assert [(trace.calls, trace.reads) for trace in seen.traces] == [
        (
            (
                call("items", {"book": 2}, sets=True, test=name),
                call("take", "book", outcome=2, test=name),
                call("items", {"pen": 1}, sets=True, test=name),
                call("put", "cup", kwargs={"kind": {"$type": "type", "value": "int"}}, test=name),
            ),
            ("items", "size"),
        )
    ]


def test_attributes_that_no_test_names_are_neither_assigned_nor_read(record) -> None:
    seen = record(
        SHELF,
        """
        from m import Shelf

        def test_m():
            shelf = Shelf()
            shelf.put("a")
            shelf.put("b")
        """,
    )
    assert [(trace.calls, trace.reads) for trace in seen.traces] == [((call("put", "a"), call("put", "b")), ())]
