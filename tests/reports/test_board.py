"""The divergence board: one line a split, worst first; a handful on the page, all of them on request; harmless."""

from __future__ import annotations

import re
from dataclasses import replace

from pqa.core.evidence import Parting
from pqa.core.finding import Finding, Question
from pqa.core.trigger import Trigger
from pqa.reports.board import Row, board, rows_of
from pqa.reports.terminal import render, render_board
from pqa.reports.text import make_console


def call(name, *args, on=None):
    return {"on": on, "call": name, "args": list(args), "kwargs": {}}


STACK = {"name": "subject", "new": "stack.Stack", "args": [], "kwargs": {}}
PUSH, POP, SIZE = (call(*words, on="subject") for words in (("push", 1), ("pop",), ("size",)))
POPPED = Question(
    "q1",
    "value",
    "which is meant?",
    {"setup": [STACK], "calls": [PUSH, POP, SIZE]},
    {"b0": "[None, 1, 0]", "b1": "[None, None, 0]", "b2": "[None, 1, 0]"},
    (("b0", "b2"), ("b1",)),
    function="stack.Stack",
    observed={
        "b0": [{"value": None}, {"value": 1}, {"value": 0}],
        "b1": [{"value": None}, {"value": None}, {"value": 0}],
    },
)
ADDED = Finding(
    "b1",
    "high",
    "value",
    "add(1, 2) gives 4",
    "d",
    id="fadd",
    oracle="reference",
    trigger=Trigger("observation", "c", calls=(call("sums.add", 1, 2),), expect={"values": [3]}),
)
MATRIX = {"fadd": {"b0": "not-shown", "b1": "shown", "b2": "not-shown"}}


def lines(collision, capsys, *, width=100, whole=False):
    (render_board if whole else render)(collision, make_console(width=width))
    text = [re.sub(r"(?<=\S) {2,}", "  ", line).rstrip() for line in capsys.readouterr().out.splitlines()]
    found = text[text.index("Where they part") + 1 :]
    return found[: found.index("")]


def test_a_split_ends_at_the_first_call_that_tells_the_branches_apart(run):
    bare = replace(run, findings=(), questions=(POPPED,))
    assert rows_of(bare) == [
        Row(
            "stack.Stack",
            "after subject = Stack(); subject.push(1); subject.pop()",
            ((("b0", "b2"), "1"), (("b1",), "None")),
            "open",
            "subject.pop()",
        )
    ]


def test_what_an_oracle_decided_comes_first_and_is_named(run, capsys):
    both = replace(run, questions=(POPPED,), findings=(ADDED,), kill_matrix=MATRIX)
    assert lines(both, capsys) == [
        "  where  smallest witness  who says what  decided by",
        "  sums.add  (1, 2)  b0 b2: 3 | b1: otherwise  reference",
        "  stack.Stack  Stack(); .push(1); .pop()  b0 b2: 1 | b1: None  open",
    ]


def test_a_finding_and_a_question_about_the_same_calls_are_one_line(run):
    asked = replace(
        POPPED,
        function="sums.add",
        witness={"setup": [], "calls": [call("sums.add", 1, 2)]},
        observed={"b0": [{"value": 3}], "b1": [{"value": 4}]},
    )
    both = replace(run, questions=(asked,), findings=(ADDED,), kill_matrix=MATRIX)
    assert [(row.sayings, row.decided) for row in rows_of(both)] == [
        (((("b0", "b2"), "3"), (("b1",), "4")), "reference")
    ]


def test_a_flaw_that_all_branches_share_is_no_split(run):
    shared = {"fadd": dict.fromkeys(("b0", "b1", "b2"), "shown")}
    assert rows_of(replace(run, questions=(), findings=(ADDED,), kill_matrix=shared)) == []


def test_an_answered_and_a_settled_question_say_so(run):
    told = [
        replace(POPPED, answer={"kind": "either"}),
        replace(POPPED, answer={"kind": "value", "value": [1]}),
        replace(POPPED, retired=True),
    ]
    found = rows_of(replace(run, findings=(), questions=tuple(told)))
    assert [row.decided for row in found] == ["answer: either", "answer", "settled"]


def test_partings_without_a_question_are_counted_and_their_input_is_said_to_be_gone(run, capsys):
    partings = (
        Parting("differential", "T1", (("b0",), ("b1", "b2")), (True, False), 2),
        Parting("differential", "T0", (("b0", "b1"), ("b2",)), (False, False), 30),
        Parting("differential", "T0", (("b0", "b2"), ("b1",)), (False, False), 9),
    )
    bare = replace(run, findings=(), questions=(POPPED,), evidence=partings)
    assert lines(bare, capsys)[2:] == [
        "  –  30 inputs inside the contract, none kept  b0 b1 | b2  open",
        "  –  2 inputs just outside it, none kept  b0: fails | b1 b2  open",
    ]


def many(run, count):
    asked = [replace(POPPED, question_id=f"q{number}", function=f"stack.Stack{number}") for number in range(count)]
    return replace(run, findings=(), questions=tuple(asked))


def test_a_page_shows_a_handful_and_says_where_the_rest_is(run, capsys):
    found = lines(many(run, 12), capsys)
    assert len(found) == 7
    assert found[-1] == "  and 7 more; pqa show r1 --board shows all"


def test_the_whole_board_shows_every_split_and_what_was_not_checked(run, capsys):
    assert len(lines(many(run, 12), capsys, whole=True)) == 13
    render_board(many(run, 12), make_console(width=100))
    assert "b2: the attack 'hollow' could not run: the branch has no tests" in capsys.readouterr().out


def test_a_run_without_splits_has_no_board_on_its_page_and_says_so_when_asked(run, capsys):
    clean = replace(run, findings=(), questions=())
    assert board(clean, width=100) == []
    assert lines(clean, capsys, whole=True) == [
        "  No split is kept in this run; that says nothing of what was not compared."
    ]


def test_on_a_narrow_screen_a_split_takes_three_lines(run, capsys):
    found = lines(replace(run, findings=(), questions=(POPPED,)), capsys, width=40)
    assert found == ["  stack.Stack  open", "    Stack(); .push(1); .pop()", "    b0 b2: 1 | b1: None"]


def test_a_long_witness_keeps_its_last_call(run, capsys):
    long = {"setup": [STACK], "calls": [call("push", "x" * 90, on="subject"), POP, SIZE]}
    found = lines(replace(run, findings=(), questions=(replace(POPPED, witness=long),)), capsys)
    assert found[1:] == ["  stack.Stack  … .pop()  b0 b2: 1 | b1: None  open"]


def test_hostile_words_reach_the_board_spelled_out(run, capsys):
    evil = "\x1b[2J[red]\n\u202e"
    asked = replace(
        POPPED,
        function=evil,
        witness={"setup": [], "calls": [call(evil, evil)]},
        observed={"b0": [{"value": evil}], "b1": [{"raises": evil}]},
        separates=((evil, "b0"), ("b1",)),
        outcomes={evil: evil, "b1": evil},
    )
    for width in (40, 100):
        for whole in (True, False):
            (render_board if whole else render)(
                replace(run, findings=(), questions=(asked,)), make_console(width=width)
            )
            text = capsys.readouterr().out
            assert [one for one in text if one != "\n" and not one.isprintable()] == []
