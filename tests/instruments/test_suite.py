"""A suite run is green only when everything that the parent sees agrees."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from pqa.core.job import Guest, Interpreter, JobResult
from pqa.core.verdict import SuiteRun, TestRun
from pqa.instruments.suite import PRELOAD, files_with_tests, read_suite, run_suite

CALC = "def add(a, b):\n    return a + b\n\n\ndef never():\n    return 1\n"
GREEN = "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"


def run(plant, files, **options):
    branch, zygote = plant(files)
    options = {"code": branch.code, "seconds": 60, **options}
    return run_suite(zygote, files_with_tests(branch.tests), **options)


def outcomes(suite: SuiteRun) -> dict[str, str]:
    return {test.node_id: test.outcome for test in suite.tests}


def test_a_green_suite_is_green_with_its_tests_and_coverage(plant) -> None:
    suite = run(plant, {"calc.py": CALC, "tests/test_calc.py": GREEN}, coverage=True)
    assert suite == SuiteRun(
        "green",
        tests=(TestRun("tests/test_calc.py::test_add", "passed"),),
        coverage=75.0,
        missed_lines={"calc.py": (6,)},
    )


def test_code_that_no_test_imports_counts_for_coverage(plant) -> None:
    suite = run(plant, {"calc.py": CALC, "other.py": "X = 1\n", "tests/test_calc.py": GREEN}, coverage=True)
    assert (suite.coverage, suite.missed_lines) == (60.0, {"calc.py": (6,), "other.py": (1,)})


def test_every_kind_of_outcome_is_told_apart(plant) -> None:
    suite = run(
        plant,
        {
            "calc.py": CALC,
            "tests/test_all.py": """
            import unittest

            import pytest

            @pytest.fixture
            def broken():
                raise RuntimeError("fixture")

            @pytest.fixture
            def late():
                yield
                raise RuntimeError("teardown")

            @pytest.mark.parametrize("x", [1, 2])
            def test_parametrised(x): assert x == 1
            def test_error(broken): pass
            def test_late(late): pass
            @pytest.mark.skip(reason="later")
            def test_skipped(): pass
            @pytest.mark.xfail
            def test_xfailed(): assert 0
            @pytest.mark.xfail
            def test_xpassed(): pass
            @pytest.mark.xfail(strict=True)
            def test_strict(): pass

            class TestCase(unittest.TestCase):
                def test_good_parts(self):
                    for part in (1, 2):
                        with self.subTest(part=part):
                            self.assertTrue(part)

                def test_bad_part(self):
                    for part in (1, 2):
                        with self.subTest(part=part):
                            self.assertEqual(part, 1)
            """,
        },
    )
    assert suite.status == "red"
    assert outcomes(suite) == {
        "tests/test_all.py::test_parametrised[1]": "passed",
        "tests/test_all.py::test_parametrised[2]": "failed",
        "tests/test_all.py::test_error": "error",
        "tests/test_all.py::test_late": "error",
        "tests/test_all.py::test_skipped": "skipped",
        "tests/test_all.py::test_xfailed": "xfailed",
        "tests/test_all.py::test_xpassed": "passed",
        "tests/test_all.py::test_strict": "failed",
        "tests/test_all.py::TestCase::test_good_parts": "passed",
        "tests/test_all.py::TestCase::test_bad_part": "failed",
    }
    assert {test.node_id: test.message for test in suite.tests}[
        "tests/test_all.py::test_error"
    ] == "RuntimeError: fixture"


@pytest.mark.parametrize(
    ("name", "test", "why"),
    [
        ("ends the process in a test", "import os\ndef test_x(): os._exit(0)\n", "it ended without its end record (exit status 0)"),
        ("ends the process at import", "import os\nos._exit(0)\n", "it ended without its end record (exit status 0)"),
        ("stops pytest", "import pytest\ndef test_x(): pytest.exit('enough', returncode=0)\n", "1 tests were collected and 0 reported"),
        ("skips everything", "import pytest\npytestmark = pytest.mark.skip\ndef test_x(): pass\n", "no test ran: all 1 skipped"),
        ("expects failure only", "import pytest\n@pytest.mark.xfail\ndef test_x(): assert 0\n", "no test passed: 1 of 1 were expected to fail"),
        ("needs what is not there", "import no_such_library\ndef test_x(): pass\n", "the tests need 'no_such_library', which is not installed"),
    ],
)  # fmt: skip
def test_a_suite_is_not_green_when_it(plant, name: str, test: str, why: str) -> None:
    suite = run(plant, {"calc.py": CALC, "tests/test_x.py": test})
    assert (suite.status, suite.why[: len(why)]) == ("could-not-check", why)


REWRITE = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    made = yield
    made.get_result().outcome = "passed"
"""
DROP = """
def pytest_collection_modifyitems(items):
    items[:] = [item for item in items if "bad" not in item.name][:1]
"""
PATCH = "import unittest\nunittest.TestCase.assertEqual = lambda *_: None\n"


@pytest.mark.parametrize("conftest", [REWRITE, DROP, PATCH], ids=["rewrites reports", "drops tests", "patches asserts"])
def test_a_conftest_that_alters_the_runner_is_not_green(plant, conftest: str) -> None:
    test = "import unittest\nclass T(unittest.TestCase):\n    def test_bad(self): self.assertEqual(1, 2)\n    def test_ok(self): pass\n"
    suite = run(plant, {"calc.py": CALC, "tests/conftest.py": conftest, "tests/test_x.py": test})
    assert suite.status == "could-not-check"
    assert suite.why.startswith("the runner is altered: a test that must fail was reported as")


def test_a_harmless_conftest_changes_nothing(plant) -> None:
    conftest = (
        "import pytest\n@pytest.fixture(autouse=True)\ndef home(tmp_path, monkeypatch): monkeypatch.chdir(tmp_path)\n"
    )
    suite = run(plant, {"calc.py": CALC, "tests/conftest.py": conftest, "tests/test_calc.py": GREEN})
    assert suite == SuiteRun("green", tests=(TestRun("tests/test_calc.py::test_add", "passed"),))


def test_a_test_that_cannot_be_read_makes_the_suite_red(plant) -> None:
    suite = run(plant, {"calc.py": CALC, "tests/test_x.py": "from calc import nothing\n"})
    assert (suite.status, outcomes(suite)) == ("red", {"tests/test_x.py": "error"})
    assert "cannot import name 'nothing'" in suite.tests[0].message


def test_no_test_files_are_absent_and_a_file_without_tests_is_empty(plant) -> None:
    assert run(plant, {"calc.py": CALC}).status == "absent"
    assert run(plant, {"calc.py": CALC, "tests/test_x.py": "X = 1\n"}).status == "empty"


def test_a_suite_that_does_not_end_is_stopped_and_not_checked(plant) -> None:
    loop = "def test_x():\n    while True: pass\n"
    suite = run(plant, {"calc.py": CALC, "tests/test_x.py": loop}, seconds=3)
    assert (suite.status, suite.why) == ("could-not-check", "it ran past its time limit")


def test_the_projects_own_options_cannot_deselect_but_its_import_mode_holds(plant) -> None:
    files = {
        "calc.py": CALC,
        "tests/test_calc.py": GREEN,
        "tests/test_bad.py": "def test_bad(): assert 0\n",
        "pyproject.toml": """
        [tool.pytest.ini_options]
        addopts = ["--import-mode=importlib", "--deselect=tests/test_bad.py::test_bad", "--maxfail=1"]
        """,
    }
    suite = run(plant, files)
    assert outcomes(suite) == {"tests/test_bad.py::test_bad": "failed", "tests/test_calc.py::test_add": "passed"}


def test_code_of_another_checkout_is_not_mistaken_for_the_branchs(plant) -> None:
    other = "import sys\nsys.path.insert(0, '/other')\n"
    files = {"calc.py": CALC, "tests/conftest.py": other, "tests/test_calc.py": GREEN}
    branch, zygote = plant(files, other={"calc.py": CALC})
    suite = run_suite(zygote, files_with_tests(branch.tests), code=branch.code, seconds=60)
    assert suite.status == "could-not-check"
    assert suite.why == "tests import /other/calc.py as 'calc', which is not the branch's code"


def test_neither_conftest_nor_plugin_of_the_branch_touches_a_locked_suite(plant) -> None:
    green_maker = """
    def pytest_collection_modifyitems(items):
        items.clear()
    """
    files = {
        "calc.py": "def add(a, b):\n    return a - b\n",
        "conftest.py": green_maker,
        "evil.py": green_maker,
        "evil-1.dist-info/METADATA": "Metadata-Version: 2.1\nName: evil\nVersion: 1\n",
        "evil-1.dist-info/entry_points.txt": "[pytest11]\nevil = evil\n",
        "pytest.ini": "[pytest]\naddopts = -p evil\n",
    }
    locked = {
        "test_calc.py": GREEN,
        "data.txt": "x",
        "test_writes.py": "def test_w(): open('made.txt', 'w').write('x')\n",
    }
    branch, zygote = plant(files, locked=locked)
    suite = run_suite(zygote, ["test_calc.py", "test_writes.py"], code=branch.code, copy_from="/locked", seconds=60)
    assert (suite.status, outcomes(suite)) == (
        "red",
        {"test_calc.py::test_add": "failed", "test_writes.py::test_w": "passed"},
    )


def test_the_bases_code_is_not_tested_instead_of_the_branchs(plant) -> None:
    base = {
        "calc.py": CALC,
        "tests/__init__.py": "",
        "tests/test_calc.py": GREEN,
        "pytest.ini": "[pytest]\npythonpath = .\n",
    }
    branch, zygote = plant({"calc.py": "def add(a, b):\n    return a - b\n"}, base=base)
    options = {"code": branch.code, "copy_from": "/base", "seconds": 60}
    assert run_suite(zygote, ["tests/test_calc.py"], skip=["calc.py"], **options).status == "red"
    assert run_suite(zygote, ["tests/test_calc.py"], **options).status == "could-not-check"


@pytest.fixture
def bare_python() -> Interpreter:
    """An interpreter without pytest."""
    path = "/usr/bin/python3"
    ask = "import sys, importlib.util as u; print(bool(u.find_spec('pytest')), *sys.version_info[:3])"
    found = (
        subprocess.run([path, "-c", ask], capture_output=True, text=True, check=False) if Path(path).exists() else None
    )
    if found is None or not found.stdout.startswith("False"):
        pytest.skip("needs a system Python without pytest")
    major, minor, micro = (int(part) for part in found.stdout.split()[1:])
    return Interpreter(path, (major, minor, micro), ("/usr",))


UNITTESTS = """
import unittest

from calc import add

class TestAdd(unittest.TestCase):
    def test_good(self): self.assertEqual(add(1, 2), 3)
    def test_parts(self):
        for part in (0, 1):
            with self.subTest(part=part):
                self.assertEqual(add(part, 0), 0)
    @unittest.skip("later")
    def test_skipped(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.fail()
"""


def test_unittest_cases_run_where_there_is_no_pytest(plant_tree, real_sandbox, bare_python) -> None:
    branch = plant_tree({"calc.py": CALC, "tests/__init__.py": "", "tests/test_calc.py": UNITTESTS})
    with real_sandbox.open(Guest(branch.snapshot, bare_python, preload=PRELOAD)) as zygote:
        suite = run_suite(zygote, ["tests/test_calc.py"], code=branch.code, record=True, seconds=60)
    name = "tests/test_calc.py::TestAdd::"
    assert (suite.status, outcomes(suite)) == (
        "red",
        {
            f"{name}test_expected": "xfailed",
            f"{name}test_good": "passed",
            f"{name}test_parts": "failed",
            f"{name}test_skipped": "skipped",
        },
    )
    assert [call.args for call in suite.recording.calls] == [(1, 2), (0, 0), (1, 0)]


def test_pytest_functions_are_not_run_where_there_is_no_pytest(plant_tree, real_sandbox, bare_python) -> None:
    branch = plant_tree({"calc.py": CALC, "pytest.py": "", "tests/test_calc.py": GREEN})
    with real_sandbox.open(Guest(branch.snapshot, bare_python, preload=PRELOAD)) as zygote:
        suite = run_suite(zygote, branch.tests, code=branch.code, seconds=60)
    assert (suite.status, suite.why) == (
        "could-not-check",
        "the tests need pytest: install pytest in the interpreter that runs the branch",
    )


def test_without_pytest_the_reader_is_told_what_to_install() -> None:
    result = JobResult(records=({"missing": "pytest"},), complete=True, exit_code=0)
    suite = read_suite(result, code=(), measured=False)
    assert (suite.status, suite.why) == (
        "could-not-check",
        "the tests need pytest: install pytest in the interpreter that runs the branch",
    )


@pytest.mark.parametrize(
    ("records", "why"),
    [
        ([{"collected": ["a", "b"]}, {"test": "a", "outcome": "passed"}, {"exit": 0}], "2 tests were collected and 1 reported; they differ in 'b'"),
        ([{"collected": ["a"]}, {"test": "a", "outcome": "passed"}, {"exit": 1}], "pytest's exit status is 1, but its records say 0"),
        ([{"collected": ["a"]}, {"test": "a", "outcome": "failed"}, {"exit": 0}], "pytest's exit status is 0, but its records say 1"),
        ([{"collected": ["a"]}, {"test": "a", "outcome": "passed"}], "the suite ended without its exit status"),
        ([{"collected": ["a"]}, {"test": "a", "outcome": "great"}, {"exit": 0}], "the suite's records are malformed"),
        ([{"collected": ["a"]}, {"test": "a", "outcome": "passed"}, {"test": "a", "outcome": "passed"}, {"exit": 0}], "a test was reported twice"),
        ([{"collect_error": "a", "message": "m", "missing": None}, {"exit": 0}], "tests could not be read, yet pytest's exit status is 0"),
    ],
)  # fmt: skip
def test_records_that_disagree_are_never_green(records: list[dict[str, object]], why: str) -> None:
    suite = read_suite(JobResult(records=tuple(records), complete=True, exit_code=0), code=(), measured=False)
    assert (suite.status, suite.why) == ("could-not-check", why)
