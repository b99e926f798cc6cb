"""pqa ask on planted branches in the real sandbox: who answers, what it makes of the run, what a later collide keeps to."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import subprocess
import sys
from dataclasses import replace

import pytest
from rich.console import Console

from pqa import cli
from pqa.cli import ask as command
from pqa.cli.conversation import converse
from pqa.config import AskRequest
from pqa.core import codec
from pqa.core.contract import Answer

TASK = "# Shop\n\nThe total of a list of prices, with a discount from the fifth price on.\n"
TEST = """
from shop import total

def test_few_prices():
    assert total([1, 2, 3]) == 6
    assert total([5]) == 5
    assert total([2, 2]) == 4
    assert total([7, 1]) == 8
    assert total([9]) == 9
    assert total([3, 3, 3, 3]) == 12
"""
RIGHT = "def total(prices):\n    return sum(prices) - (1 if len(prices) > 4 else 0)\n"
WRONG = "def total(prices):\n    return sum(prices) - (2 if len(prices) > 4 else 0)\n"
TWIN = "def total(prices):\n    amount = sum(prices)\n    return amount - 1 if len(prices) >= 5 else amount\n"


def plant(project, **branches):
    (project / ".pqa").mkdir(exist_ok=True)
    (project / ".pqa/task.md").write_text(TASK)
    for name, code in branches.items():
        folder = project / ".pqa/branches" / name
        folder.mkdir(parents=True)
        (folder / "shop.py").write_text(code)
        (folder / "test_shop.py").write_text(TEST)


def collide(project, *more):
    flags = ["--attacks", "differential,answers,reference", "--json", "run.json", *more]
    code = cli.run(["collide", *flags])
    return code, codec.load((project / "run.json").read_text())


def states(run):
    return {name: verdict.alive for name, verdict in run.verdicts.items()}


@pytest.fixture(scope="module")
def collided(tmp_path_factory):
    """Two right branches and a wrong one, collided once: one question tells them apart."""
    folder = tmp_path_factory.mktemp("collided")
    plant(folder, b0=RIGHT, b1=WRONG, b2=TWIN)
    with contextlib.chdir(folder):
        code, run = collide(folder)
    assert (code, states(run)) == (0, {"b0": True, "b1": True, "b2": True})
    assert [(one.separates, one.spare) for one in run.questions] == [
        ((("b0", "b2"), ("b1",)), False),
        ((("b0", "b2"), ("b1",)), True),
    ]
    return folder, run


@pytest.fixture
def split(collided, project, monkeypatch):
    """That run, in a project of its own."""
    folder, run = collided
    shutil.copytree(folder, project, dirs_exist_ok=True)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    return run


def interview(project, run, *typed):
    """What is on the screen when somebody types this, and the run after it."""
    from pqa import wiring

    words = iter(typed)

    def read(prompt):
        try:
            return next(words)
        except StopIteration:
            raise KeyboardInterrupt from None

    screen = io.StringIO()
    with wiring.Asking(AskRequest(project, run)) as asking:
        converse(asking, Console(file=screen, width=400), read)
        return screen.getvalue(), asking.keep()


def test_trusted_implementations_answer_and_the_branch_that_differs_dies_by_replay(project, split):
    for name in ("trusted0", "trusted1"):
        (project / name).mkdir()
        (project / name / "shop.py").write_text(TWIN)
    code = cli.run(["ask", "--answer-from", "trusted0", "--answer-from", "trusted1", "--json", "out.json"])
    run = codec.load((project / "out.json").read_text())
    assert (code, states(run)) == (0, {"b0": True, "b1": False, "b2": True})
    (finding,) = run.findings
    assert (finding.branch_id, finding.oracle, finding.severity, finding.attack) == (
        "b1",
        "answer",
        "critical",
        "answers",
    )
    assert finding.replay.status.value == "shown"
    assert run.kill_matrix[finding.id] == {"b0": "not-shown", "b1": "shown", "b2": "not-shown"}
    assert run.questions[0].answer["kind"] == "value"
    stored = project / ".pqa/runs" / run.run_id
    assert codec.load((stored / "run.json").read_text()) == run


def test_answer_becomes_a_regression_test_that_is_red_on_the_wrong_branch_only(project, split):
    (project / "trusted").mkdir()
    (project / "trusted/shop.py").write_text(RIGHT)
    cli.run(["ask", "--answer-from", "trusted", "--json", "out.json"])
    test = project / ".pqa/runs" / split.run_id / "regressions" / f"test_answer_{split.questions[0].question_id}.py"
    codes = {}
    for name in ("b0", "b1", "b2"):
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(test)]
        environment = {"PYTHONPATH": str(project / ".pqa/branches" / name)}
        codes[name] = subprocess.run(command, env=environment, capture_output=True, check=False).returncode
    assert codes == {"b0": 0, "b1": 1, "b2": 0}


def test_later_collide_keeps_to_the_answer_and_does_not_ask_again(project, split, capsys):
    (project / "trusted").mkdir()
    (project / "trusted/shop.py").write_text(RIGHT)
    cli.run(["ask", "--answer-from", "trusted"])
    _, run = collide(project)
    assert states(run) == {"b0": True, "b1": False, "b2": True}
    assert [(one.branch_id, one.attack, one.severity) for one in run.findings] == [("b1", "answers", "critical")]
    assert [one for one in run.questions if one.answer is None] == []


@pytest.mark.parametrize("trusted", [("raises", "raises"), (RIGHT, WRONG)], ids=["all refuse", "they differ"])
def test_trusted_implementations_that_refuse_or_differ_accuse_nobody(project, split, trusted):
    refusing = "def total(prices):\n    raise ValueError('no')\n"
    flags = []
    for number, code in enumerate(trusted):
        (project / f"t{number}").mkdir()
        (project / f"t{number}/shop.py").write_text(refusing if code == "raises" else code)
        flags += ["--answer-from", f"t{number}"]
    assert cli.run(["ask", *flags, "--json", "out.json"]) == 0
    run = codec.load((project / "out.json").read_text())
    kind = "cannot-happen" if trusted[0] == "raises" else "either"
    assert (states(run), run.findings) == ({"b0": True, "b1": True, "b2": True}, ())
    assert [one.answer for one in run.questions] == [
        {"kind": kind, "value": None}
    ] * 2  # the spare one is asked then, too


def test_file_of_answers_is_taken_as_one_branch_does(project, split):
    answers = [{"question_id": split.questions[0].question_id, "answer": {"group": "b2"}}]
    (project / "answers.json").write_text(json.dumps(answers))
    assert cli.run(["ask", "--answers", "answers.json", "--json", "out.json"]) == 0
    assert states(codec.load((project / "out.json").read_text())) == {"b0": True, "b1": False, "b2": True}


def test_answer_to_a_question_that_an_earlier_answer_made_needless_changes_nothing(project, split):
    from pqa import wiring

    with wiring.Asking(AskRequest(project, replace(split, questions=()))) as asking:
        asking.say(Answer("q0", "value", (99,)))
        assert (asking.collision.questions, asking.given) == ((), [])


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("maybe", "entry 2, question 'QID': 'maybe' does not answer it; expected"),
        ({"kind": "wrong"}, "entry 2, question 'QID': 'wrong' is no kind of answer; expected"),
        ({"kind": "value"}, "entry 2, question 'QID': its value is missing; expected"),
        ({"group": "b9"}, "entry 2, question 'QID': 'b9' is no branch of it; those are b0, b1, b2; expected"),
        ("yes", "entry 2, question 'QID': 'yes' does not answer it; expected"),
    ],
)
def test_bad_answer_is_named_and_nothing_is_applied(project, split, capsys, answer, said):
    name = split.questions[0].question_id
    before = (project / ".pqa/runs" / split.run_id / "run.json").read_text()
    entries = [{"question_id": name, "answer": "either"}, {"question_id": name, "answer": answer}]
    (project / "answers.json").write_text(json.dumps(entries))
    assert cli.run(["ask", "--answers", "answers.json"]) == 2
    assert capsys.readouterr().err.startswith("pqa: " + said.replace("QID", name))
    assert (project / ".pqa/runs" / split.run_id / "run.json").read_text() == before
    assert "[[answer]]" not in (project / ".pqa/contract.toml").read_text()


def test_unknown_question_is_named_with_those_that_there_are(project, split, capsys):
    (project / "answers.json").write_text(json.dumps([{"question_id": "q0", "answer": "either"}]))
    assert cli.run(["ask", "--answers", "answers.json"]) == 2
    known = ", ".join(one.question_id for one in split.questions)
    assert (
        capsys.readouterr().err
        == f"pqa: entry 1: the run has no question 'q0'; expected one of: {known}\nnext: nothing was applied\n"
    )


def test_without_a_terminal_nothing_is_asked_and_the_run_is_still_written(project, split, capsys, monkeypatch):
    def never(prompt):
        raise AssertionError("it asked")

    monkeypatch.setattr("builtins.input", never)
    assert cli.run(["ask", "--json", "out.json"]) == 0
    assert "1 questions are open" in capsys.readouterr().err
    assert codec.load((project / "out.json").read_text()).questions == split.questions


def test_person_picks_a_group_by_its_number(project, split):
    screen, run = interview(project, split, "1")
    assert re.search(r"1 to ask: total\(.*which is meant, is either fine, or can it not happen\?", screen)
    assert re.search(r"  1  \d+   b0, b2\n  2  \d+   b1\n", screen)
    assert states(run) == {"b0": True, "b1": False, "b2": True}
    assert 'source = "person"' in (project / ".pqa/contract.toml").read_text()


def test_person_gives_another_value_that_kills_all(project, split):
    _, run = interview(project, split, "what?", "99")
    assert states(run) == {"b0": False, "b1": False, "b2": False}


def test_skipped_question_stays_open_and_an_interruption_keeps_what_was_said(project, split):
    screen, run = interview(project, split, "skip")
    assert [one.answer for one in run.questions] == [None, None]
    assert screen.count("to ask:") == 1
    screen, run = interview(project, split)
    assert "stopped; the answers so far are kept" in screen
    assert states(run) == {"b0": True, "b1": True, "b2": True}


def test_where_either_is_fine_one_more_call_is_asked_about_and_then_no_more(project, split):
    screen, run = interview(project, split, "either", "either")
    first, spare = (one.text for one in split.questions)
    assert (first in screen, spare in screen, screen.count("to ask:")) == (True, True, 2)
    assert states(run) == {"b0": True, "b1": True, "b2": True}
    assert run.choice is not None
    assert run.choice.abstained is False


def test_the_further_call_settles_what_the_first_left_open(project, split):
    _, run = interview(project, split, "either", "1")
    assert states(run) == {"b0": True, "b1": False, "b2": True}


def test_both_sources_of_answers_are_refused(project, capsys):
    assert cli.run(["ask", "--answers", "a.json", "--answer-from", "t"]) == 2
    assert capsys.readouterr().err == "pqa: --answers and --answer-from are both given\nnext: give one of them\n"
    assert command.ask.__doc__ == "Answer the questions of a run."


@pytest.fixture
def unasked(project, monkeypatch):
    """Two branches that differ only where no test goes: on an empty list."""
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    plant(project, b0=RIGHT, b1=RIGHT.replace("return", "return None if not prices else"))
    _, run = collide(project)
    assert [(one.kind, one.relation) for one in run.questions] == [("contract", "nonempty(prices)")]
    return run


def test_person_says_that_an_input_cannot_happen_and_is_not_asked_again(project, unasked):
    _, run = interview(project, unasked, "no")
    assert [one.answer for one in run.questions] == [{"kind": "cannot-happen", "value": None}]
    assert (
        'relation = "nonempty(prices)"\nseen = 0\nsupport = 0\nsource = "person"'
        in (project / ".pqa/contract.toml").read_text()
    )
    _, later = collide(project)
    assert (states(later), later.questions) == ({"b0": True, "b1": True}, ())


def test_person_says_that_an_input_may_happen_and_its_value_then_kills(project, unasked):
    screen, run = interview(project, unasked, "yes", "0")
    assert screen.count("1 to ask") == 2
    assert states(run) == {"b0": True, "b1": False}
    assert 'relation = "not nonempty(prices)"' in (project / ".pqa/contract.toml").read_text()


def test_person_who_picks_a_group_of_a_contract_question_says_that_its_input_may_happen(project, unasked):
    _, run = interview(project, unasked, "1")
    assert sorted(states(run).values()) == [False, True]
    assert 'relation = "not nonempty(prices)"' in (project / ".pqa/contract.toml").read_text()


def trusted(project, **codes):
    for name, code in codes.items():
        (project / name).mkdir()
        (project / name / "shop.py").write_text(code)
    flags = [flag for name in codes for flag in ("--answer-from", name)]
    code = cli.run(["ask", *flags, "--json", "run.json"])
    return code, codec.load((project / "run.json").read_text())


def severities(run):
    return [(one.branch_id, one.severity) for one in run.findings]


def test_trusted_answer_beyond_the_contract_kills_where_a_branch_confirms_it(project, unasked):
    code, run = trusted(project, trusted=TWIN)
    assert (code, states(run), severities(run)) == (0, {"b0": True, "b1": False}, [("b1", "critical")])


def test_trusted_answer_beyond_the_contract_that_no_branch_gives_weighs_and_kills_nobody(project, unasked):
    code, run = trusted(project, trusted=TWIN.replace("amount =", "amount = 3 if not prices else"))
    assert (code, states(run)) == (0, {"b0": True, "b1": True})
    assert severities(run) == [("b0", "medium"), ("b1", "medium")]


def test_trusted_answers_beyond_the_contract_kill_where_two_give_the_same(project, unasked):
    odd = TWIN.replace("amount =", "amount = 3 if not prices else")
    code, run = trusted(project, trusted=odd, other=odd.replace("amount", "result"))
    assert (code, states(run)) == (1, {"b0": False, "b1": False})


UNCALLED = """
class Shelf:
    def __init__(self):
        self.items = []

    def put(self, name):
        self.items.append(name)

    def first(self, name):
        return {}
"""
PUT = """
from shelf import Shelf

def test_put():
    shelf = Shelf()
    shelf.put("pen")
    shelf.put("cup")
    assert shelf.items == ["pen", "cup"]
"""


@pytest.fixture
def unnamed(project, monkeypatch):
    """Three branches that part on a method that no test calls, and that is therefore outside the contract."""
    (project / ".pqa").mkdir(exist_ok=True)
    (project / ".pqa/task.md").write_text(
        "# Shelf\n\n`first(name)` is the place of the first item of that name, or -1.\n"
    )
    looked = "self.items.index(name) if name in self.items else -1"
    for name, body in {
        "b0": looked,
        "b1": f"({looked}) + 1",
        "b2": f"-1 if name not in self.items else {looked}",
    }.items():
        folder = project / ".pqa/branches" / name
        folder.mkdir(parents=True)
        (folder / "shelf.py").write_text(UNCALLED.format(body))
        (folder / "test_shelf.py").write_text(PUT)
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    _, run = collide(project)
    assert {(one.kind, one.tier, one.relation) for one in run.questions} == {("value", "T1", None)}
    return run


def test_value_for_a_method_that_no_test_calls_says_that_it_may_be_called_and_kills(project, unnamed):
    _, run = interview(project, unnamed, "1")
    assert states(run) == {"b0": True, "b1": False, "b2": True}
    assert not (project / ".pqa/contract.toml").read_text().count('source = "person"\nrelation')


def test_trusted_answer_for_a_method_that_no_test_calls_kills_where_a_branch_confirms_it(project, unnamed):
    shutil.copytree(project / ".pqa/branches/b2", project / "trusted")
    cli.run(["ask", "--answer-from", "trusted", "--json", "run.json"])
    assert states(codec.load((project / "run.json").read_text())) == {"b0": True, "b1": False, "b2": True}
