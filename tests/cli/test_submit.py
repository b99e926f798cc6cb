"""pqa submit on the worked example, in the real sandbox: what is proved counts, what is malformed changes nothing."""

from __future__ import annotations

import io
import json
import shutil
import sys
from pathlib import Path

import pytest

from pqa.cli import run

EXAMPLE = Path(__file__).parents[2] / "examples/rate_limiter"
QUOTE = "No span of `window` seconds may hold more than `limit` accepted calls per key"
SETUP = [
    {"name": "clock", "clock": 0.0},
    {"name": "limiter", "new": "limiter.RateLimiter", "args": [2, 10.0, {"$name": "clock"}]},
]
CALLS = [{"on": "limiter", "call": "allow", "args": ["k"], "at": at} for at in (9.9, 9.9, 10.1)]
BURST = {
    "branch_id": "b0",
    "severity": "critical",
    "category": "limit",
    "title": "a burst over the edge of a window passes twice",
    "detail": "with limit 2 and window 10, two calls at 9.9 and one at 10.1 all pass",
    "resolved": False,
    "why_missed": "no test calls allow() on both sides of an edge",
    "trigger": {
        "kind": "observation",
        "claim": "the third call within 10 s is refused",
        "setup": SETUP,
        "calls": CALLS,
        "expect": {"values": [True, True, False]},
    },
}
PROPERTY = "property_no_span_holds_more_than_the_limit"
DRAWS = [1, 0, 2, 7, 1]
"""limit 1, the first window, two pauses: of 7/8 and of 1/8 of a window."""


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """The example after a run that could not see the flaw, and a copy of what the run left."""
    project = tmp_path_factory.mktemp("limiter")
    shutil.copytree(EXAMPLE / ".pqa", project / ".pqa", ignore=shutil.ignore_patterns("runs", "ledger.db*"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        assert run(["collide", "--attacks", "task"]) == 0
    shutil.copytree(project / ".pqa", project / "kept")
    return project


@pytest.fixture
def project(judged, monkeypatch):
    shutil.rmtree(judged / ".pqa/runs")
    shutil.copytree(judged / "kept/runs", judged / ".pqa/runs")
    for name in ("ledger.db", "properties.py"):
        (judged / ".pqa" / name).unlink(missing_ok=True)
    shutil.copy(judged / "kept/ledger.db", judged / ".pqa/ledger.db")
    monkeypatch.chdir(judged)
    monkeypatch.setenv("COLUMNS", "200")
    return judged


def stored(project: Path) -> Path:
    (path,) = (project / ".pqa/runs").glob("*/run.json")
    return path


def submit(project: Path, findings: object, *options: str) -> int:
    (project / "findings.json").write_text(findings if isinstance(findings, str) else json.dumps(findings))
    return run(["submit", "findings.json", *options])


def told(project: Path) -> dict[str, tuple]:
    document = json.loads(stored(project).read_text())
    return {
        finding["branch_id"]: (
            finding["severity"],
            finding["oracle"],
            finding["replay"] and finding["replay"]["status"],
        )
        for finding in document["findings"]
    } | {branch["branch_id"] + " is": branch["state"] for branch in document["branches"]}


ALIVE = {"b0 is": "alive", "b1 is": "alive", "b2 is": "alive"}


def test_a_finding_that_breaks_a_property_given_with_the_task_kills(project):
    shutil.copy(EXAMPLE / "properties/properties.py", project / ".pqa/properties.py")
    trigger = {**BURST["trigger"], "setup": [], "calls": [], "expect": {"property": PROPERTY, "draws": DRAWS}}
    assert submit(project, [{**BURST, "trigger": trigger}]) == 0
    assert told(project) == {**ALIVE, "b0": ("critical", "task", "shown"), "b0 is": "dead"}
    document = json.loads(stored(project).read_text())
    (finding,) = document["findings"]
    assert document["kill_matrix"] == {finding["id"]: {"b0": "shown", "b1": "not-shown", "b2": "not-shown"}}
    assert (stored(project).parent / f"triggers/{finding['id']}.py").is_file()


def test_a_quoted_sentence_makes_it_high_and_a_question_and_critical_once_a_second_reader_agrees(project, capsys):
    assert submit(project, [{**BURST, "quote": QUOTE}]) == 0
    assert told(project) == {**ALIVE, "b0": ("high", "task-text", "shown")}
    document = json.loads(stored(project).read_text())
    (question,) = document["questions"]
    assert question["text"] == (
        f"The task says '{QUOTE}'. After limiter = RateLimiter(2, 10.0, clock); 2 x t=9.9: limiter.allow('k'); "
        "t=10.1: limiter.allow('k') it answered True: does that break it?"
    )
    assert question["text"] in capsys.readouterr().out.replace("\n", " ")
    reading = {"finding_id": document["findings"][0]["id"], "agrees": True, "reader": "ada"}
    Path("disagrees.json").write_text(json.dumps([{**reading, "agrees": False}]))
    Path("agrees.json").write_text(json.dumps([reading]))
    assert run(["submit", "--second-reader", "disagrees.json"]) == 0
    assert told(project) == {**ALIVE, "b0": ("high", "task-text", "shown")}
    assert run(["submit", "--second-reader", "agrees.json"]) == 0
    assert told(project) == {**ALIVE, "b0": ("critical", "task-text", "shown"), "b0 is": "dead"}


def test_without_a_trigger_it_is_discounted_and_against_the_sliding_log_it_is_not_shown(project):
    six = {key: BURST[key] for key in ("branch_id", "severity", "category", "title", "detail", "resolved")}
    assert submit(project, [six, {**BURST, "branch_id": "b1", "quote": QUOTE}]) == 0
    assert told(project) == {**ALIVE, "b0": ("low", "opinion", None), "b1": ("low", "task-text", "not-shown")}
    document = json.loads(stored(project).read_text())
    assert {finding["branch_id"]: finding["discount_reason"] for finding in document["findings"]} == {
        "b0": "it has no concrete trigger",
        "b1": "its trigger is not-shown",
    }
    assert [branch["score"]["value"] for branch in document["branches"]] == [100.0] * 3


def test_the_same_finding_again_is_not_doubled(project, capsys):
    quoted = [{**BURST, "quote": QUOTE}]
    assert submit(project, quoted) == 0
    assert submit(project, [{**quoted[0], "title": "the same in other words"}]) == 0
    assert "known already  b0  the same in other words" in capsys.readouterr().out
    assert len(json.loads(stored(project).read_text())["findings"]) == 1


def test_a_refused_submission_leaves_run_ledger_and_file_as_they_were(project, capsys, monkeypatch):
    before = stored(project).read_bytes()
    for findings in ([BURST, {**BURST, "resolved": True}], "Here: []", [{**BURST, "patch": ""}]):
        assert submit(project, findings) == 2
        assert "nothing of it was taken" in capsys.readouterr().err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"[{}]")))
    assert run(["submit", "-"]) == 2
    assert "entry 1: missing key 'branch_id'" in capsys.readouterr().err
    assert run(["submit", "--adversary", "mechanical", "findings.json"]) == 2
    assert run(["submit"]) == 2
    assert stored(project).read_bytes() == before


def test_the_record_of_an_adversary_is_told_in_its_next_brief(project, capsys):
    assert submit(project, [{**BURST, "quote": QUOTE}, {**BURST, "branch_id": "b1"}], "--adversary", "eve") == 0
    capsys.readouterr()
    assert run(["brief", "--adversary", "eve", "--branch", "b0"]) == 0
    (brief,) = json.loads(capsys.readouterr().out)["briefs"]
    assert brief["calibration"] == "proved as claimed so far: 0 of 2 critical"
    assert [(finding["title"], finding["severity"]) for finding in brief["proved"]] == [(BURST["title"], "high")]
