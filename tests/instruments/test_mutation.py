"""The mutation engine agrees with a fresh process, reaches every kind of function, and says what it could not measure."""

from __future__ import annotations

import pytest

from pqa.instruments.hollow import own_suite
from pqa.instruments.mutation import KILLED, NOT_MEASURED, SURVIVED, UNCOVERED, Mutation
from pqa.instruments.mutation_run import MutationRun, confirm, in_turn, judge


def never() -> bool:
    return False


def measured(plant, files: dict[str, str], *, fresh: bool = True) -> MutationRun:
    branch, zygote = plant(files)
    with Mutation(zygote, own_suite(branch), seconds=300) as mutation:
        run = MutationRun(mutation.survey(), mutation.mutants())
        if not run.survey.trouble:
            judge(mutation, run, in_turn(run.mutants, {}, 0), over=never)
            if fresh:
                confirm(mutation, run, over=never)
    return run


def alive(run: MutationRun) -> list[str]:
    return [f"{one.function}: {one.after}" for one in run.with_status(SURVIVED)]


KINDS = {
    "a function": ("def f(a):\n    return a + 1\n", "assert m.f(1) == 2"),
    "a decorated function": (
        "import functools\ndef same(g):\n    @functools.wraps(g)\n    def inner(*a):\n        return g(*a)\n    return inner\n"
        "@same\ndef f(a):\n    return a + 1\n",
        "assert m.f(1) == 2",
    ),
    "a cached function": (
        "import functools\n@functools.lru_cache\ndef f(a):\n    return a + 1\n",
        "assert m.f(1) == 2",
    ),
    "a method": ("class C:\n    def f(self, a):\n        return a + 1\n", "assert m.C().f(1) == 2"),
    "a method with super": (
        "class B:\n    def f(self, a):\n        return a\nclass C(B):\n    def f(self, a):\n        return super().f(a) + 1\n",
        "assert m.C().f(1) == 2 and m.B().f(3) == 3",
    ),
    "a private name": (
        "class C:\n    def __init__(self):\n        self.__x = 1\n    def f(self):\n        return self.__x\n",
        "assert m.C().f() == 1",
    ),
    "a property": ("class C:\n    @property\n    def f(self):\n        return 2 + 1\n", "assert m.C().f == 3"),
    "a class method": ("class C:\n    @classmethod\n    def f(cls):\n        return 2 + 1\n", "assert m.C.f() == 3"),
    "a static method": ("class C:\n    @staticmethod\n    def f():\n        return 2 + 1\n", "assert m.C.f() == 3"),
    "a closure": (
        "def outer(k):\n    def f(a):\n        return a + k\n    return f\nadd = outer(2)\n",
        "assert m.add(1) == 3",
    ),
    "a dataclass method": (
        "import dataclasses\n@dataclasses.dataclass\nclass C:\n    a: int\n    def f(self):\n        return self.a + 1\n",
        "assert m.C(1).f() == 2",
    ),
    "an async function": ("async def f(a):\n    return a + 1\n", "import asyncio; assert asyncio.run(m.f(1)) == 2"),
    "a generator": ("def f(a):\n    yield a + 1\n", "assert list(m.f(1)) == [2]"),
    "a nested function": ("def f(a):\n    def g(b):\n        return b + 1\n    return g(a)\n", "assert m.f(1) == 2"),
    "a constant": ("LIMIT = 3\ndef f():\n    return LIMIT\n", "assert m.f() == 3 and m.LIMIT == 3"),
    "a class body": ("class C:\n    size = 3\n", "assert m.C.size == 3"),
    "a default argument": ("def f(a=3):\n    return a\n", "assert m.f() == 3"),
}


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_kind_of_code_is_reached(plant, kind: str) -> None:
    code, check = KINDS[kind]
    run = measured(plant, {"m.py": code, "tests/test_m.py": f"import m\n\ndef test_m():\n    {check}\n"})

    assert run.survey.trouble == ""
    assert run.mutants
    assert alive(run) == []
    assert len(run.with_status(KILLED)) == len(run.mutants)


@pytest.mark.parametrize("kind", list(KINDS))
def test_nothing_is_noticed_where_nothing_is_compared(plant, kind: str) -> None:
    code, check = KINDS[kind]
    blind = f"import m\n\ndef test_m():\n    try:\n        {check.replace('; ', chr(10) + '        ')}\n    except Exception:\n        pass\n"
    run = measured(plant, {"m.py": code, "tests/test_m.py": blind})

    assert run.survey.trouble == ""
    assert run.with_status(KILLED) == []
    assert run.with_status(SURVIVED)


UNITTEST = """
import unittest
import m

class Test(unittest.TestCase):
    def test_f(self):
        for n in (1, 5):
            with self.subTest(n=n):
                self.assertEqual(m.f(n), n + 1)
"""


def test_failures_that_unittest_keeps_are_seen(plant) -> None:
    run = measured(plant, {"m.py": "def f(a):\n    return a + 1\n", "tests/test_m.py": UNITTEST}, fresh=False)

    assert alive(run) == []
    assert len(run.with_status(KILLED)) == len(run.mutants)


def test_endless_loop_is_not_measured_and_no_kill(plant) -> None:
    code = "def f(n):\n    total = 0\n    while n > 0:\n        total += n\n        n -= 1\n    return total\n"
    run = measured(plant, {"m.py": code, "tests/test_m.py": "import m\n\ndef test_m():\n    assert m.f(3) == 6\n"})

    endless = [one.after for one in run.with_status(NOT_MEASURED)]
    assert "n += 1" in endless
    assert "n -= 0" in endless
    assert {run.verdicts[one.number].why for one in run.with_status(NOT_MEASURED)} == {
        "a test used far more processor time than on the unchanged code"
    }


def test_code_that_no_test_runs_is_said_so(plant) -> None:
    code = "def f(a):\n    return a + 1\n\ndef g(a):\n    return a - 1\n"
    run = measured(plant, {"m.py": code, "tests/test_m.py": "import m\n\ndef test_m():\n    assert m.f(1) == 2\n"})

    assert {one.function for one in run.with_status(UNCOVERED)} == {"g"}
    assert {one.function for one in run.with_status(KILLED)} == {"f"}


@pytest.mark.parametrize(
    ("tests", "trouble"),
    [
        (
            "def test_m():\n    assert m.f(1) == 3",
            "the suite is not green on the unchanged code: tests/test_m.py::test_m",
        ),
        (
            "def test_m():\n    try:\n        m.f(1)\n    except BaseException:\n        pass",
            "the runner sees no failure of tests of the kind Function",
        ),
    ],
)
def test_broken_control_makes_all_verdicts_void(plant, tests: str, trouble: str) -> None:
    run = measured(plant, {"m.py": "def f(a):\n    return a + 1\n", "tests/test_m.py": f"import m\n{tests}\n"})

    assert run.survey.trouble == trouble
    assert run.verdicts == {}


def test_no_change_survives_where_tests_start_other_processes(plant) -> None:
    code = "def f(a):\n    return a + 1\n\ndef g(a):\n    return a - 1\n"
    tests = "import subprocess, sys\nimport m\n\ndef test_m():\n    subprocess.run([sys.executable, '-c', ''])\n    assert m.f(1) > 0\n"
    run = measured(plant, {"m.py": code, "tests/test_m.py": tests})

    assert run.survey.trouble == ""
    assert alive(run) == []
    assert run.with_status(UNCOVERED) == []
    assert {run.verdicts[one.number].why for one in run.with_status(NOT_MEASURED)} == {
        "its tests start other processes, in which nothing is changed"
    }
    assert run.with_status(KILLED)
