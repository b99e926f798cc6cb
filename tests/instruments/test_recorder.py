"""The recorder sees the calls that tests make on the branch, and changes nothing."""

from __future__ import annotations

import sys

import pytest

from pqa.core.recording import Call, Recording, Trace
from pqa.instruments.recorder import pool, read_recording
from pqa.instruments.suite import run_suite

FORM = {"name": "clock", "id": 0, "answers": []}
GENERATOR = {"value": {"$type": "other", "value": "generator"}}


def call(function: str, *args: object, outcome: object = None, test: str = "test_m", **more: object) -> Call:
    result = (
        outcome if isinstance(outcome, dict) and ("value" in outcome or "raises" in outcome) else {"value": outcome}
    )
    return Call(function, args, more.pop("kwargs", {}), result, test=f"tests/test_m.py::{test}", **more)  # type: ignore[arg-type]


def test_arguments_are_recorded_as_they_were_passed(record) -> None:
    seen = record(
        """
        def f(a, b=1, *rest, only=2, **more):
            return a
        """,
        """
        from m import f

        def test_m():
            f(1)
            f(1, 1)
            f(1, b=1)
            f(a=1, b=5)
            f(1, 2, 3, 4)
            f(1, only=2)
            f(1, only=3, further=4)
            f(*[1], **{"b": 7})
        """,
    )
    assert seen.calls == (
        call("m.f", 1, outcome=1),
        call("m.f", 1, 1, outcome=1),
        call("m.f", 1, 1, outcome=1),
        call("m.f", 1, 5, outcome=1),
        call("m.f", 1, 2, 3, 4, outcome=1),
        call("m.f", 1, outcome=1, kwargs={"only": 2}),
        call("m.f", 1, outcome=1, kwargs={"only": 3, "further": 4}),
        call("m.f", 1, 7, outcome=1),
    )
    assert (seen.traces, seen.truncated) == ((), False)


def test_arguments_are_recorded_before_the_call_changes_them(record) -> None:
    seen = record(
        "def drain(items):\n    items.clear()\n    return (1, {2})\n",
        "from m import drain\n\ndef test_m():\n    drain([1, 2])\n",
    )
    outcome = {"value": {"$type": "tuple", "value": [1, {"$type": "set", "value": [2]}]}}
    assert seen.calls == (call("m.drain", [1, 2], outcome=outcome),)


def test_iterators_are_not_consumed(record) -> None:
    seen = record(
        "def total(items):\n    return sum(items)\n",
        "from m import total\n\ndef test_m():\n    assert total(iter([1, 2])) == 3\n",
    )
    value = {"$type": "other", "value": "list_iterator"}
    assert seen.calls == (call("m.total", value, outcome=3, replayable=False),)


def test_only_calls_from_outside_the_branch_count(record) -> None:
    seen = record(
        """
        import functools

        @functools.lru_cache
        def fib(n):
            return n if n < 2 else fib(n - 1) + fib(n - 2)

        def _hidden():
            return fib(3)

        def visible():
            return [_hidden(), sorted([2, 1], key=key)]

        def key(x):
            return x
        """,
        """
        import m

        def test_m():
            m.visible()
            m._hidden()
            assert m.fib(4) == 3
            assert sorted([1], key=m.key) == [1]
        """,
    )
    assert seen.calls == (
        call("m.visible", outcome=[2, [1, 2]]),
        call("m.fib", 4, outcome=3),
        call("m.key", 1, outcome=1),
    )


def test_decorated_functions_go_by_their_own_names(record) -> None:
    seen = record(
        """
        import functools

        def logged(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                return function(*args, **kwargs)
            return wrapper

        def plain(function):
            def wrapper(*args, **kwargs):
                return function(*args, **kwargs)
            return wrapper

        @logged
        def one(a, b=2): return a

        @plain
        def two(a, b=2): return a

        class C:
            @logged
            def three(self, a): return a
        """,
        """
        from m import C, one, two

        def test_m():
            assert (one(1), one(2, b=3), two(4), C().three(5)) == (1, 2, 4, 5)
        """,
    )
    assert seen.calls == (call("m.one", 1, outcome=1), call("m.one", 2, 3, outcome=2), call("m.two", 4, outcome=4))
    assert [(trace.class_name, trace.calls) for trace in seen.traces] == [("m.C", (call("three", 5, outcome=5),))]


def test_exceptions_are_recorded_by_name(record) -> None:
    seen = record(
        """
        class Odd(ValueError): pass

        def f(x):
            if x: raise Odd(x)

        class Strict:
            def __init__(self, x):
                if x: raise Odd(x)
        """,
        """
        import unittest

        import pytest

        from m import Strict, f

        def test_m():
            with pytest.raises(ValueError):
                f(1)
            pytest.raises(ValueError, f, 2)
            try:
                f(3)
            except ValueError as error:
                assert repr(error)
            f(0)
            with pytest.raises(ValueError):
                Strict(1)

        class TestCase(unittest.TestCase):
            def test_m(self):
                with self.assertRaises(ValueError):
                    f(4)
        """,
    )
    odd = {"raises": "Odd"}
    assert seen.calls == (
        call("m.Strict", 1, outcome=odd),
        call("m.f", 1, outcome=odd),
        call("m.f", 2, outcome=odd),
        call("m.f", 3, outcome=odd),
        call("m.f", 0),
        call("m.f", 4, outcome=odd, test="TestCase::test_m"),
    )
    assert seen.traces == ()


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="newer interpreters say which exception leaves a frame")
def test_an_exception_that_leaves_no_trace_has_no_name(record) -> None:
    seen = record(
        "def f():\n    raise ValueError\n",
        "from m import f\n\ndef test_m():\n    try:\n        f()\n    except ValueError:\n        pass\n",
    )
    assert seen.calls == (call("m.f", outcome={"raises": "?"}),)


def test_generators_and_coroutines_are_recorded_once(record) -> None:
    seen = record(
        """
        async def helper(x): return x

        def count(n):
            yield from range(n)

        async def later(x):
            return await helper(x)
        """,
        """
        import asyncio

        from m import count, later

        def test_m():
            assert list(count(3)) == [0, 1, 2]
            assert asyncio.run(later(5)) == 5
        """,
    )
    assert seen.calls == (call("m.count", 3, outcome=GENERATOR), call("m.later", 5, outcome=GENERATOR))


LIMITER = """
import time


class Limiter:
    def __init__(self, limit, window, clock=time.monotonic):
        self.limit, self.window, self.clock = limit, window, clock
        self.hits = []

    def allow(self, key):
        now = self.clock()
        self.hits = [hit for hit in self.hits if now - hit < self.window]
        if len(self.hits) >= self.limit:
            return False
        self.hits.append(now)
        return True

    def __len__(self):
        return len(self.hits)

    @property
    def free(self):
        return self.limit - len(self.hits)

    @classmethod
    def single(cls, window):
        return cls(1, window)

    @staticmethod
    def parse(text):
        return text.split("/")
"""


@pytest.mark.parametrize(
    "clock", ["Clock()", "lambda: Clock.now", "Clock.read", "Clock().method", "mock.Mock(side_effect=Clock())"]
)
def test_a_clock_is_known_by_being_read(record, clock: str) -> None:
    seen = record(
        LIMITER,
        f"""
        from unittest import mock

        from m import Limiter

        class Clock:
            now = 100.0
            def __call__(self): return Clock.now
            def method(self): return Clock.now
            @staticmethod
            def read(): return Clock.now

        def test_m():
            limiter = Limiter(1, window=10, clock={clock})
            limiter.allow("a")
            Clock.now = 109.5
            limiter.allow("a")
            assert len(limiter) == 1
            Clock.now = 110.0
            limiter.allow("b")
        """,
    )
    calls = (
        call("allow", "a", outcome=True, at=100.0),
        call("allow", "a", outcome=False, at=109.5),
        call("__len__", outcome=1, at=109.5),
        call("allow", "b", outcome=True, at=110.0),
    )
    test = "tests/test_m.py::test_m"
    assert seen.traces == (Trace("m.Limiter", (1, 10, {"$name": "clock"}), {}, calls, clocked=True, test=test),)


def test_a_callable_that_gives_no_number_is_no_clock(record) -> None:
    seen = record(LIMITER, "from m import Limiter\n\ndef test_m():\n    Limiter(1, 2, lambda: 'x').single(3)\n")
    assert [(trace.args[2], trace.clocked, trace.replayable) for trace in seen.traces] == [
        ({"$type": "callable", "value": {**FORM, "otherwise": {"value": "x"}}}, False, True)
    ]
    assert seen.calls == (call("m.Limiter.single", 3, outcome={"value": {"$type": "other", "value": "Limiter"}}),)


def test_a_default_clock_is_no_argument(record) -> None:
    tests = "from m import Limiter\n\ndef test_m():\n    Limiter(1, 2.5).allow('a')\n    Limiter.parse('a/b')\n"
    seen = record(LIMITER, tests)
    assert seen.traces == (
        Trace("m.Limiter", (1, 2.5), {}, (call("allow", "a", outcome=True),), test="tests/test_m.py::test_m"),
    )
    assert seen.calls == (call("m.Limiter.parse", "a/b", outcome=["a", "b"]),)


def test_instances_from_fixtures_data_classes_and_bare_classes_are_traced(record) -> None:
    seen = record(
        """
        from dataclasses import dataclass

        @dataclass
        class Point:
            x: int
            y: int = 0
            def norm(self): return abs(self.x) + abs(self.y)

        class Bare:
            def double(self, x): return 2 * x

        class Base:
            def __init__(self, n): self.n = n
            def get(self): return self.n

        class Child(Base): pass
        """,
        """
        import pytest

        from m import Bare, Child, Point

        @pytest.fixture
        def point(): return Point(1, -2)

        def test_m(point):
            assert point.norm() == 3
            assert Bare().double(2) == 4
            assert Child(7).get() == 7
        """,
    )
    test = "tests/test_m.py::test_m"
    assert seen.traces == (
        Trace("m.Point", (1, -2), {}, (call("norm", outcome=3),), test=test),
        Trace("m.Bare", (), {}, (call("double", 2, outcome=4),), test=test),
        Trace("m.Child", (7,), {}, (call("get", outcome=7),), test=test),
    )


def test_a_trace_ends_before_a_call_that_has_no_plain_form(record) -> None:
    seen = record(
        """
        class Bag:
            def __init__(self): self.items = []
            def put(self, x): self.items.append(x)
            def size(self): return len(self.items)
            def __eq__(self, other): return self is other
            __hash__ = None
        """,
        """
        from m import Bag

        def test_m():
            bag = Bag()
            bag.put(1)
            assert not bag == object()
            assert bag.size() == 1
            bag.put(object())
            assert bag.size() == 2
        """,
    )
    assert [trace.calls for trace in seen.traces] == [(call("put", 1), call("size", outcome=1))]


def test_what_a_package_offers_goes_by_its_public_name(plant) -> None:
    files = {
        "pkg/__init__.py": "from pkg._core import parse\nfrom pkg.more import other\n",
        "pkg/_core.py": "def parse(x): return x\n",
        "pkg/more.py": "def other(x): return x\n",
        "tests/test_m.py": "import pkg\n\ndef test_m():\n    pkg.parse(1)\n    pkg.other(2)\n",
    }
    branch, zygote = plant(files)
    suite = run_suite(zygote, branch.tests, code=branch.code, record=True, seconds=60)
    assert suite.recording.calls == (call("pkg.parse", 1, outcome=1), call("pkg.more.other", 2, outcome=2))


def test_more_than_the_caps_is_truncated(record) -> None:
    seen = record(
        "def f(x):\n    return x\n", "from m import f\n\ndef test_m():\n    for x in range(500):\n        f(x)\n"
    )
    assert (len(seen.calls), seen.truncated) == (400, True)


def test_a_test_that_makes_very_many_calls_is_followed_only_for_a_while(record) -> None:
    seen = record(
        "class C:\n    def __init__(self): self.n = 0\n    def step(self):\n        self.n += 1\n        return self.n\n",
        """
        import pytest

        from m import C

        @pytest.fixture(scope="module")
        def shared(): return C()

        def test_m(shared):
            shared.step()
            for _ in range(200_000): len("")
            shared.step()

        def test_after(shared):
            assert shared.step() == 3
            assert C().step() == 1
        """,
    )
    assert [trace.calls for trace in seen.traces] == [
        (call("step", outcome=1),),
        (call("step", outcome=1, test="test_after"),),
    ]
    assert seen.truncated


def test_malformed_records_are_dropped() -> None:
    good = {
        "call": "m.f",
        "args": [1],
        "kwargs": {},
        "outcome": {"value": 1},
        "at": None,
        "test": "t",
        "replayable": True,
    }
    bad = [
        {**good, key: value}
        for key, value in [("call", 1), ("args", "x"), ("kwargs", []), ("outcome", {}), ("replayable", 1)]
    ]
    trace = {**good, "trace": "m.C", "calls": [good, 3]}
    del trace["call"]
    expected = Recording((Call("m.f", (1,), {}, {"value": 1}, test="t"),), (), truncated=True)
    assert read_recording([good, *bad, trace, {"recorded": 1, "truncated": "no"}]) == expected
    assert pool([expected, Recording()]) == expected
