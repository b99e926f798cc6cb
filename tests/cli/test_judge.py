"""`pqa judge`: ideas side by side, a person's weighing checked and added up, and nothing that claims to be verified."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from pqa import cli

TASK = "---\nmode: decide\n---\nWhich store?\n\n## Criteria\n\n- **cost**: money\n2. risk\n\n## Else\n- not one\n"
BOTH = [
    {"idea_id": "a", "criterion": "cost", "score": 9, "reason": "it is free"},
    {"idea_id": "b", "criterion": "cost", "score": 4.5, "reason": "it wants a server"},
]


@pytest.fixture
def top(project) -> Path:
    """A project in decide mode with two ideas."""
    (project / ".pqa/ideas").mkdir(parents=True)
    (project / ".pqa/task.md").write_text(TASK)
    (project / ".pqa/ideas/b.md").write_text("# Postgres\n\nA server, \x1b[2Jmany writers.\n")
    (project / ".pqa/ideas/a.md").write_text("# SQLite\n\nOne file, no server.\n")
    return project


def weigh(top: Path, document: object) -> list[str]:
    (top / "weighing.json").write_text(json.dumps(document))
    return ["judge", "--weighing", "weighing.json"]


def lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.splitlines()]


def test_without_a_weighing_the_ideas_are_shown_and_nothing_is_judged(top, capsys):
    assert cli.run(["judge"]) == 0
    output, errors = capsys.readouterr()
    assert errors == ""
    assert lines(output) == [
        "pqa judge  2 ideas · judgment, not verified",
        "",
        "a                      b",
        "SQLite                 Postgres",
        "One file, no server.   A server, \\x1b[2Jmany writers.",
        "",
        "Criteria",
        "  cost",
        "  risk",
        "",
        "no weighing was given: nothing was judged",
        "To weigh them, write a JSON file and run: pqa judge --weighing FILE",
        '  [{"idea_id": "a", "criterion": "cost", "score": 7, "reason": "..."}, ...]',
        "or only an order:",
        '  {"order": ["a", "b"], "reason": "..."}',
    ]


def test_scores_are_averaged_and_the_order_is_marked_as_a_judgment(top, capsys):
    assert cli.run(weigh(top, BOTH)) == 0
    assert lines(capsys.readouterr().out)[6:] == [
        "Criteria",
        "  cost",
        "  risk  not weighed",
        "",
        "Order (judgment, not verified)",
        "  1. a  9  SQLite",
        "       cost 9: it is free",
        "  2. b  4.5  Postgres",
        "       cost 4.5: it wants a server",
        "",
        "choice: a (judgment, not verified)",
    ]


def test_an_order_needs_no_scores_and_comes_from_standard_input(top, capsys, monkeypatch):
    text = json.dumps({"order": ["b", "a"], "reason": "we have a server"})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert cli.run(["judge", "--weighing", "-", "--json", "-"]) == 0
    output, errors = capsys.readouterr()
    assert errors == "choice: b (judgment, not verified)\n"
    assert json.loads(output) == {
        "schema": "pqa.judgment/1",
        "standing": "judgment, not verified",
        "mode": "decide",
        "question": TASK.split("---\n")[2].strip(),
        "criteria": ["cost", "risk"],
        "ideas": [
            {"idea_id": "a", "title": "SQLite", "digest": "One file, no server.", "path": ".pqa/ideas/a.md"},
            {
                "idea_id": "b",
                "title": "Postgres",
                "digest": "A server, \x1b[2Jmany writers.",
                "path": ".pqa/ideas/b.md",
            },
        ],
        "weighing": {"order": ["b", "a"], "reason": "we have a server"},
        "places": [
            {"rank": 1, "idea_id": "b", "score": None, "standing": "judgment, not verified"},
            {"rank": 2, "idea_id": "a", "score": None, "standing": "judgment, not verified"},
        ],
        "unweighed": [],
        "choice": "b",
        "words": "choice: b (judgment, not verified)",
    }


def test_the_document_without_a_weighing_chooses_nothing(top):
    assert cli.run(["judge", "--json", "out.json"]) == 0
    document = json.loads((top / "out.json").read_text())
    assert [document[key] for key in ("weighing", "places", "choice", "words")] == [
        None, [], None, "no weighing was given: nothing was judged"
    ]  # fmt: skip


def test_level_ideas_are_level_and_none_is_chosen(top, capsys):
    level = [{**BOTH[0], "idea_id": name} for name in ("a", "b")]
    assert cli.run(weigh(top, level)) == 0
    assert capsys.readouterr().out.endswith("\nlevel: a, b (judgment, not verified)\n")


def test_ideas_may_be_named_and_a_task_without_criteria_gets_the_usual_ones(top, capsys):
    (top / "question.md").write_text("---\nmode: decide\n---\nWhich store?\n")
    (top / "c.md").write_text("Files, and nothing else.\n")
    assert cli.run(["judge", "--ideas", "c.md", "--task", "question.md"]) == 0
    assert lines(capsys.readouterr().out)[2:11] == [
        "c",
        "Files, and nothing else.",
        "Files, and nothing else.",
        "",
        "Criteria",
        "  answers the question",
        "  risk",
        "  cost",
        "  easy to undo",
    ]


ENTRY = BOTH[0]
FORM = 'expected a list of {"idea_id", "criterion", "score", "reason"}, or {"order": [...], "reason"}'


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], f"the weighing is []; {FORM}"),
        ("a", f"the weighing is 'a'; {FORM}"),
        ([3], 'weighing entry 1 is 3; expected {"idea_id", "criterion", "score", "reason"}'),
        (
            [ENTRY, {"idea_id": "b"}],
            "weighing entry 2 has no 'criterion'; expected the keys 'idea_id', 'criterion', 'score', 'reason'",
        ),
        (
            [{**ENTRY, "weight": 1}],
            "weighing entry 1 has an unknown key 'weight'; expected the keys 'idea_id', 'criterion', 'score', 'reason'",
        ),
        ([{**ENTRY, "idea_id": "z"}], "weighing entry 1: 'idea_id' is 'z', no idea; expected one of 'a', 'b'"),
        ([{**ENTRY, "idea_id": []}], "weighing entry 1: 'idea_id' is [], no idea; expected one of 'a', 'b'"),
        (
            [{**ENTRY, "criterion": "costs"}],
            "weighing entry 1: 'criterion' is 'costs', no criterion; expected one of 'cost', 'risk'",
        ),
        ([{**ENTRY, "score": 11}], "weighing entry 1: 'score' is 11; expected a number from 0 to 10"),
        ([{**ENTRY, "score": True}], "weighing entry 1: 'score' is True; expected a number from 0 to 10"),
        ([{**ENTRY, "score": "7"}], "weighing entry 1: 'score' is '7'; expected a number from 0 to 10"),
        ([{**ENTRY, "score": float("nan")}], "weighing entry 1: 'score' is nan; expected a number from 0 to 10"),
        ([{**ENTRY, "reason": " "}], "weighing entry 1: 'reason' is ' '; expected a text of 1 to 4000 characters"),
        ([ENTRY, ENTRY], "weighing entry 2 weighs 'a' on 'cost' again, after entry 1; expected one entry"),
        ([ENTRY], "the weighing says nothing of 'b' on 'cost'; expected one entry for every idea"),
        ({"order": ["a"], "reason": "x"}, "the weighing: 'order' is ['a']; expected each of 'a', 'b' once"),
        ({"order": "ab", "reason": "x"}, "the weighing: 'order' is 'ab'; expected a list of idea ids"),
        (
            {"order": ["a", "c"], "reason": "x"},
            "the weighing: 'order' entry 2 is 'c', no idea; expected one of 'a', 'b'",
        ),
        ({"order": ["a", "b"]}, "the weighing has no 'reason'; expected the keys 'order', 'reason'"),
        (None, "the weighing 'weighing.json' is null; expected a list or an order"),
    ],
)
def test_a_weighing_that_is_wrong_names_the_entry_and_what_was_expected(top, capsys, document, message):
    assert cli.run(weigh(top, document)) == 2
    output, errors = capsys.readouterr()
    assert (output, errors.splitlines()[0]) == ("", f"pqa: {message}")


def test_ideas_that_cannot_be_taken_are_named(top, capsys):
    (top / "long.md").write_text("x" * 8193)
    (top / "empty.md").write_text(" \n")
    (top / "binary.md").write_bytes(b"\xff")
    (top / "a.md").write_text("x")
    messages = {
        "long.md": "the idea 'long.md' is longer than 8 KiB; expected a digest",
        "empty.md": "the idea 'empty.md' is empty; expected a digest",
        "binary.md": "the idea 'binary.md' is binary; expected UTF-8 text",
        "gone.md": "the idea 'gone.md' cannot be read: No such file or directory; expected a file",
        ".pqa": "the idea '.pqa' is not a regular file; expected a file",
        "a b.md": "the file name of 'a b.md' cannot be the id of an idea; "
        "expected 1 to 64 letters, digits, dots, underscores or hyphens",
    }
    for name, message in messages.items():
        assert cli.run(["judge", "--ideas", name]) == 2
        assert capsys.readouterr().err.splitlines()[0] == f"pqa: {message}"
    assert cli.run(["judge", "--ideas", "a.md", "--ideas", ".pqa/ideas/a.md"]) == 2
    assert capsys.readouterr().err.splitlines()[0] == "pqa: two ideas are called 'a': 'a.md' and '.pqa/ideas/a.md'"


def test_no_idea_at_all_says_where_they_go(top, capsys):
    for path in (top / ".pqa/ideas").iterdir():
        path.unlink()
    assert cli.run(["judge"]) == 2
    assert capsys.readouterr().err == (
        f"pqa: there is no idea in '{top}/.pqa/ideas'; expected a Markdown file for each\n"
        "next: write '.pqa/ideas/NAME.md', or name the files: pqa judge --ideas FILE\n"
    )


def test_a_weighing_that_is_no_json_is_refused(top, capsys):
    (top / "weighing.json").write_text("{")
    assert cli.run(["judge", "--weighing", "weighing.json"]) == 2
    assert capsys.readouterr().err.startswith("pqa: the weighing 'weighing.json' is not valid JSON: ")


def test_build_mode_points_to_collide_and_decide_mode_to_judge(top, capsys):
    assert cli.run(["collide"]) == 5
    assert capsys.readouterr().err == (
        "pqa: the task is in decide mode: there is no code to attack\n"
        "next: run 'pqa judge' to weigh the ideas, or set 'mode: build'\n"
    )
    (top / ".pqa/task.md").write_text("Sort it.\n")
    assert cli.run(["judge"]) == 2
    assert capsys.readouterr().err == (
        "pqa: the task is in build mode: branches are attacked, not weighed\n"
        "next: run 'pqa collide', or set 'mode: decide' in the front matter of the task\n"
    )
    assert sorted(path.name for path in (top / ".pqa").iterdir()) == ["ideas", "task.md"]


def test_help_shows_examples(top, capsys):
    assert cli.run(["judge", "--help"]) == 0
    assert "\n  Examples:\n    pqa judge" in capsys.readouterr().out
