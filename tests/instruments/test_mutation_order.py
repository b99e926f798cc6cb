"""A test that needs the ones before it is no witness: where it alone noticed a change, a fresh process has the word."""

from __future__ import annotations

import pytest

from pqa.instruments.hollow import own_suite
from pqa.instruments.mutation import FRESH, KILLED, SURVIVED, Mutation
from pqa.instruments.mutation_run import MutationRun, confirm, judge

CODE = "_seen = []\n\ndef note(name):\n    _seen.append(name)\n\ndef seen():\n    return list(_seen)\n\ndef loose(n):\n    return n + 1\n"
NEEDS = (
    "import m\n\ndef test_note():\n    m.note('x')\n\ndef test_seen():\n    assert m.seen() == ['x']\n    m.loose(1)\n"
)
SPOILS = (
    "import m\n\ndef test_seen():\n    assert m.seen() == []\n    m.loose(1)\n\n"
    "def test_note():\n    m.note('x')\n    assert 'x' in m.seen()\n"
)
EITHER = (
    "import m\n\ndef test_note():\n    m.note('x')\n\ndef test_seen():\n    assert 'x' in m.seen()\n    m.loose(1)\n\n"
    "def test_note_again():\n    m.note('x')\n"
)
OUTSIDE = (
    "import os\nimport m\n\ndef test_note(tmp_path_factory):\n    os.umask(0o27)\n    m.note('x')\n    assert m.seen()\n\n"
    "def test_mask():\n    before = os.umask(0o22)\n    assert before == 0o27\n    m.loose(1)\n    os.umask(0o27)\n"
)


@pytest.mark.parametrize("tests", [NEEDS, SPOILS, EITHER, OUTSIDE], ids=["needs", "spoils", "either", "outside"])
def test_changes_that_only_the_order_of_tests_would_notice_survive(plant, tests: str) -> None:
    branch, zygote = plant({"m.py": CODE, "tests/test_m.py": tests})
    with Mutation(zygote, own_suite(branch), seconds=300) as mutation:
        run = MutationRun(mutation.survey(), mutation.mutants())
        loose = [one for one in run.mutants if one.function == "loose"]
        judge(mutation, run, loose, over=lambda: False)
        first = {run.verdicts[one.number].status for one in loose}
        confirm(mutation, run, over=lambda: False)

    assert (run.survey.trouble, run.survey.left_out) == ("", ())
    assert KILLED not in first
    assert first <= {FRESH, SURVIVED}
    assert {run.verdicts[one.number].status for one in loose} == {SURVIVED}
