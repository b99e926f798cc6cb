"""Tests that are nothing but a call are called; all others go through pytest's hooks; both notice the same."""

from __future__ import annotations

import pytest

from pqa.instruments.hollow import own_suite
from pqa.instruments.mutation import FRESH, KILLED, Mutation
from pqa.instruments.mutation_run import MutationRun, batches, judge

CODE = "def f(a):\n    return a + 1\n\ndef g(a):\n    return a * 2\n"
HEAD = "import os\nimport sys\nimport pytest\nimport m\n\n"


def judged(plant, files: dict[str, str]) -> MutationRun:
    branch, zygote = plant({"m.py": CODE, **files})
    with Mutation(zygote, own_suite(branch), seconds=300) as mutation:
        run = MutationRun(mutation.survey(), mutation.mutants())
        judge(mutation, run, run.mutants, over=lambda: False)
    return run


CALLED = {
    "a function": ("def test_m():\n    assert (m.f(1), m.g(3)) == (2, 6)\n", 1),
    "parameters": (
        "@pytest.mark.parametrize(('a', 'b'), [(1, 2), pytest.param(4, 5, id='four')])\n"
        "def test_m(a, b):\n    assert m.f(a) == b and m.g(a) == a + a and m.g(5) == 10\n",
        2,
    ),
    "methods": (
        "class TestM:\n    seen = 0\n"
        "    def test_f(self):\n        self.seen += 1\n        assert (self.seen, m.f(1)) == (1, 2)\n"
        "    @pytest.mark.parametrize('a', [3])\n"
        "    def test_g(self, a):\n        self.seen += 1\n        assert (self.seen, m.g(a)) == (1, 6)\n"
        "    @staticmethod\n    def test_static():\n        assert m.f(1) == 2\n",
        3,
    ),
    "output and the name of the test": (
        "def test_m():\n    print('out', m.f(1))\n    assert os.environ['PYTEST_CURRENT_TEST'].endswith('::test_m (call)')\n"
        "    assert (m.f(1), m.g(3)) == (2, 6)\n",
        1,
    ),
}
HOOKED = {
    "a fixture": "@pytest.fixture\ndef one():\n    return 1\n\ndef test_m(one):\n    assert (m.f(one), m.g(3)) == (2, 6)\n",
    "a fixture of pytest": "def test_m(monkeypatch):\n    assert (m.f(1), m.g(3)) == (2, 6)\n",
    "an automatic fixture": (
        "@pytest.fixture(autouse=True)\ndef one():\n    m.ONE = 1\n    yield\n    del m.ONE\n\n"
        "def test_m():\n    assert (m.f(m.ONE), m.g(3)) == (2, 6)\n"
    ),
    "set-up of the module": (
        "def setup_module():\n    m.ONE = 1\n\ndef test_m():\n    assert (m.f(m.ONE), m.g(3)) == (2, 6)\n"
    ),
    "set-up of a method": (
        "class TestM:\n    def setup_method(self):\n        self.one = 1\n"
        "    def test_m(self):\n        assert (m.f(self.one), m.g(3)) == (2, 6)\n"
    ),
    "indirect parameters": (
        "@pytest.fixture\ndef twice(request):\n    return 2 * request.param\n\n"
        "@pytest.mark.parametrize('twice', [2], indirect=True)\n"
        "def test_m(twice):\n    assert (m.f(twice), m.g(twice + 1)) == (5, 10)\n"
    ),
    "a mark": (
        "@pytest.mark.skipif(sys.platform == 'nowhere', reason='no')\ndef test_m():\n    assert (m.f(1), m.g(3)) == (2, 6)\n"
    ),
    "an answer of its own": (
        "@pytest.mark.filterwarnings('ignore')\ndef test_m():\n    assert (m.f(1), m.g(3)) == (2, 6)\n    return 1\n"
    ),
    "a look at the caller": (
        "def test_m():\n    frame, names = sys._getframe(), []\n"
        "    while frame:\n        names.append(frame.f_code.co_name)\n        frame = frame.f_back\n"
        "    assert 'pytest_pyfunc_call' in names\n    assert (m.f(1), m.g(3)) == (2, 6)\n"
    ),
}


@pytest.mark.parametrize("kind", list(CALLED))
def test_plain_tests_are_called_and_notice_every_change(plant, kind: str) -> None:
    text, called = CALLED[kind]
    run = judged(plant, {"tests/test_m.py": HEAD + text})

    assert (run.survey.trouble, run.survey.called, run.survey.left_out) == ("", called, ())
    assert len(run.with_status(KILLED)) == len(run.mutants) > 4


@pytest.mark.parametrize("kind", list(HOOKED))
def test_tests_that_need_pytest_go_through_its_hooks(plant, kind: str) -> None:
    run = judged(plant, {"tests/test_m.py": HEAD + HOOKED[kind]})

    assert (run.survey.trouble, run.survey.called, run.survey.left_out) == ("", 0, ())
    assert len(run.with_status(KILLED)) == len(run.mutants) > 4


HOOK = "import m\n\ndef pytest_runtest_call(item):\n    m.ONE = 1\n"
PACKAGE = "import m\n\ndef setup_module():\n    m.ONE = 1\n"
USES_ONE = "def test_m():\n    assert (m.f(m.ONE), m.g(3)) == (2, 6)\n"


@pytest.mark.parametrize(
    "where", [{"tests/conftest.py": HOOK}, {"tests/__init__.py": PACKAGE}], ids=["hook", "package"]
)
def test_hooks_and_packages_of_the_suite_are_heeded(plant, where: dict[str, str]) -> None:
    run = judged(plant, {"tests/test_m.py": HEAD + USES_ONE, **where})

    assert (run.survey.trouble, run.survey.called, run.survey.left_out) == ("", 0, ())
    assert len(run.with_status(KILLED)) == len(run.mutants) > 4


FIRST = """
@pytest.fixture(scope="module")
def opened():
    m.OPEN = True
    yield
    m.OPEN = False

def test_with(opened):
    assert m.OPEN and m.f(1) == 2

def test_between():
    assert m.OPEN and m.g(3) == 6

def test_again(opened):
    assert m.OPEN and m.f(5) == 6
"""
SECOND = "def test_after():\n    assert not m.OPEN and m.g(4) == 8\n\ndef test_last(tmp_path):\n    assert not m.OPEN\n"


def test_called_tests_between_others_see_what_those_set_up_and_tear_down(plant) -> None:
    run = judged(plant, {"tests/test_a.py": HEAD + FIRST, "tests/test_b.py": HEAD + SECOND})

    assert (run.survey.trouble, run.survey.tests, run.survey.left_out) == ("", 5, ())
    assert {one.function for one in run.with_status(KILLED)} == {"f"}
    assert {one.function for one in run.with_status(FRESH)} == {"g"}  # by tests alone that need those before them
    assert len(run.with_status(KILLED)) + len(run.with_status(FRESH)) == len(run.mutants) > 4


def test_batches_grow_where_changes_are_judged_quickly_and_shrink_where_slowly(plant) -> None:
    run = judged(plant, {"tests/test_m.py": HEAD + "def test_m():\n    assert m.f(1) == 2\n"})
    many = run.mutants * 60
    clock = iter([0.0, 0.1, 0.1, 0.2, 0.2, 0.3, 0.3, 20.0, 20.0, 40.0, 40.0, 60.0, *[60.0] * 50])
    sizes = [len(batch) for batch in batches(many, lambda: next(clock))]

    assert sizes[:7] == [25, 50, 100, 100, 50, 25, 12]
    assert sum(sizes) == len(many)
