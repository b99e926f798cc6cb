"""What a suite's outcomes on other branches say: of the tests, and of the branches that fail them."""

from __future__ import annotations

from pqa.core.verdict import TestRun
from pqa.instruments.transplant import Cell, outcome_of
from pqa.instruments.transplant_reading import Grafted, failures

FAMILIES = {"b0": "x", "b1": "y", "b2": "z", "b3": "z"}


def suite(*, owners: tuple[str, ...] = ("b0",), inert: str = "value", **cells: str) -> Grafted:
    found = {name: Cell({"t": outcome} if outcome else {}) for name, outcome in cells.items()}
    return Grafted(owners, ("t",), found, Cell({"t": inert}))


def test_a_failure_counts_only_if_the_test_passes_on_a_third_code():
    assert failures([suite(b1="value", b2="passed")], FAMILIES) == {"b1": (1, 1)}
    assert failures([suite(b1="value", b2="value")], FAMILIES) == {}


def test_a_copy_of_the_own_code_is_no_third_code():
    assert failures([suite(b1="value", b2="passed")], {**FAMILIES, "b2": "x"}) == {}


def test_a_missing_name_is_no_failure():
    assert failures([suite(b1="names", b2="passed", b3="passed")], FAMILIES) == {}


def test_every_branch_needs_a_witness_other_than_itself_and_its_copies():
    assert failures([suite(b1="passed", b2="passed", b3="passed")], FAMILIES) == {
        "b1": (0, 1),
        "b2": (0, 1),
        "b3": (0, 1),
    }
    assert failures([suite(b2="passed", b3="passed")], FAMILIES) == {}


def test_the_same_test_in_two_suites_counts_once():
    first = Grafted(("b0",), ("t",), {"b1": Cell({"t": "value"}), "b2": Cell({"t": "passed"})}, keys={"t": "same"})
    second = Grafted(("b3",), ("t",), {"b0": Cell({"t": "passed"}), "b1": Cell({"t": "value"})}, keys={"t": "same"})

    assert failures([first, second], FAMILIES)["b1"] == (1, 1)


def test_what_passes_everywhere_and_on_stopped_bodies_proves_nothing():
    assert suite(b1="passed", b2="passed", inert="passed").nothing() == ("t",)
    assert suite(b1="passed", b2="passed", inert="value").nothing() == ()
    assert suite(b1="passed", b2="value", inert="passed").nothing() == ()


def test_a_test_is_welded_when_every_other_branch_lacks_its_names():
    assert suite(b1="names", b2="names").welded() == ("t",)
    assert suite(b1="names", b2="value").welded() == ()


def test_a_promise_is_alone_when_every_other_branch_fails_it_by_value():
    assert suite(b1="value", b2="value").alone() == ("t",)
    assert suite(b1="value", b2="passed").alone() == ()


def test_nothing_is_said_where_a_branch_could_not_run_the_suite():
    lost = Grafted(("b0",), ("t",), {"b1": Cell({"t": "value"}), "b2": Cell(trouble="lost")})

    assert (lost.alone(), lost.welded(), lost.nothing()) == ((), (), ())


def test_a_suite_whose_modules_are_not_there_has_no_number():
    assert suite(b1="").passed("b1") is None
    assert suite(b1="value").passed("b1") == 0


def test_reasons_are_told_apart():
    messages = {
        "assert 3 == 4": "value",
        "AttributeError: module 'digits' has no attribute '_SEEN'": "names",
        "TypeError: total() takes 1 positional argument but 2 were given": "names",
        "FileNotFoundError: [Errno 2] No such file or directory: 'data.json'": "untold",
        "ValueError: negative": "value",
    }

    assert {text: outcome_of(TestRun("t", "failed", text)) for text in messages} == messages
    assert outcome_of(TestRun("t", "error", "fixture 'clock' not found")) == "untold"
