"""Verification says green only for what came out green twice."""

from __future__ import annotations

from pqa.core.verdict import SuiteRun, Verification
from pqa.stages.verify import recording_of, verify

CALC = "def add(a, b):\n    return a + b\n"
WRONG = "def add(a, b):\n    return a - b\n"
GREEN = "from calc import add\n\ndef test_add():\n    assert add(1, 2) == 3\n"


def check(plant, files, *, locked=None, base=None, **options) -> tuple[Verification, list[object]]:
    mounted = {name: content for name, content in (("locked", locked), ("base", base)) if content is not None}
    branch, zygote = plant(files, **mounted)
    events: list[object] = []
    given = {"locked": sorted(locked)} if locked is not None else {}
    if base is not None:
        given |= {"base_tests": [name for name in sorted(base) if name.startswith("tests/")], "base_code": ["calc.py"]}
    return verify(branch, zygote=zygote, seconds=60, emit=events.append, **given, **options), events


def test_a_branch_with_green_tests_is_verified_with_coverage_and_recording(plant) -> None:
    verification, events = check(plant, {"calc.py": CALC, "tests/test_calc.py": GREEN})
    assert (verification.word, verification.own.status, verification.own.coverage) == ("verified", "green", 100.0)
    assert [call.function for call in recording_of(verification).calls] == ["calc.add"]
    assert (verification.locked, verification.base) == (None, None)
    [event] = events
    suite = {"status": "green", "why": "", "tests": 1, "failed": 0, "skipped": 0}
    assert (event.kind, event.branch_id) == ("branch-verified", "b0")
    assert event.data == {"word": "verified", "coverage": 100.0, "suites": {"own": suite}}


def test_a_branch_with_a_failing_test_is_red(plant) -> None:
    verification, _ = check(plant, {"calc.py": WRONG, "tests/test_calc.py": GREEN})
    assert (verification.word, verification.own.status, verification.own.tests[0].message) == (
        "red",
        "red",
        "assert -1 == 3\n +  where -1 = add(1, 2)",
    )


def test_a_branch_without_tests_is_unverified(plant) -> None:
    verification, _ = check(plant, {"calc.py": CALC})
    assert (verification.word, verification.own.status, verification.has_tests) == ("UNVERIFIED", "absent", False)


def test_a_locked_suite_verifies_a_branch_without_tests_and_gives_the_coverage(plant) -> None:
    verification, events = check(plant, {"calc.py": CALC}, locked={"test_calc.py": GREEN})
    assert verification.locked is not None
    assert (verification.word, verification.locked.status, verification.locked.coverage) == ("verified", "green", 100.0)
    assert [call.test for call in recording_of(verification).calls] == ["test_calc.py::test_add"]
    assert events[0].data["coverage"] == 100.0


def test_a_failing_locked_suite_makes_a_green_branch_red(plant) -> None:
    own = "from calc import add\n\ndef test_add():\n    assert add(0, 0) == 0\n"
    verification, _ = check(plant, {"calc.py": WRONG, "tests/test_calc.py": own}, locked={"test_calc.py": GREEN})
    assert verification.locked is not None
    assert (verification.word, verification.own.status, verification.locked.status) == ("red", "green", "red")


def test_the_bases_tests_are_run_on_the_branchs_code(plant) -> None:
    base = {"calc.py": CALC, "tests/__init__.py": "", "tests/test_calc.py": GREEN}
    wrong, _ = check(plant, {"calc.py": WRONG}, base=base)
    assert wrong.base is not None
    assert (wrong.base.status, wrong.base.tests[0].node_id) == ("red", "tests/test_calc.py::test_add")


def test_a_test_that_comes_out_differently_is_flaky(plant) -> None:
    unstable = """
    import os

    import pytest

    @pytest.mark.parametrize("coin", range(30))
    def test_coin(coin):
        assert os.urandom(1)[0] % 2

    def test_fine():
        pass
    """
    verification, _ = check(plant, {"calc.py": CALC, "tests/test_calc.py": unstable})
    assert (verification.own.status, verification.word) == ("flaky", "UNVERIFIED")
    assert verification.own.flaky
    assert all(name.startswith("tests/test_calc.py::test_coin[") for name in verification.own.flaky)


def test_a_test_that_only_the_recorder_disturbs_is_not_flaky(plant) -> None:
    files = {
        "calc.py": "class Node:\n    def __init__(self): self.next = None\n",
        "tests/test_calc.py": """
        import gc
        import weakref

        from calc import Node

        def test_released():
            node = Node()
            seen = weakref.ref(node)
            del node
            gc.collect()
            assert seen() is None
        """,
    }
    verification, _ = check(plant, files)
    assert (verification.own.status, verification.word) == ("green", "verified")
    assert verification.own.why == (
        "judged by two runs without recording and coverage, since with them it comes out differently: "
        "some tests depend on not being watched"
    )


def test_a_suite_that_ends_its_process_is_unverified(plant) -> None:
    verification, _ = check(plant, {"calc.py": CALC, "tests/test_calc.py": "import os\ndef test_x(): os._exit(0)\n"})
    assert verification.own == SuiteRun("could-not-check", why="it ended without its end record (exit status 0)")
    assert (verification.word, verification.red) == ("UNVERIFIED", False)


def test_a_suite_whose_tests_are_all_skipped_is_unverified(plant) -> None:
    skipped = "import pytest\n\n@pytest.mark.skip\ndef test_x(): pass\n"
    verification, _ = check(plant, {"calc.py": CALC, "tests/test_calc.py": skipped})
    assert (verification.own.status, verification.own.why) == ("could-not-check", "no test ran: all 1 skipped")
    assert verification.word == "UNVERIFIED"
