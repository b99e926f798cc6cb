"""Adversaries in a whole run: through the same gate as a submission, and never clean when they could not run."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest

from pqa.cli import run

EXAMPLE = Path(__file__).parents[2] / "examples/rate_limiter"
SOURCE = """
import json, sys
brief = json.load(sys.stdin)
code = open(brief["path"] + "/limiter.py").read()
if brief["branch_id"] == "b2":
    sys.exit("I give up")
calls = [{"on": "limiter", "call": "allow", "args": ["k"], "at": at} for at in (9.9, 9.9, 10.1)]
setup = [{"name": "clock", "clock": 0.0}, {"name": "limiter", "new": "limiter.RateLimiter", "args": [2, 10.0, {"$name": "clock"}]}]
trigger = {"kind": "observation", "claim": "the third is refused", "setup": setup, "calls": calls,
           "expect": {"values": [True, True, False]}}
print(json.dumps([{"branch_id": brief["branch_id"], "severity": "critical", "category": "limit", "title": "twice at the edge",
                   "detail": "a burst", "resolved": False, "why_missed": "no test crosses an edge", "trigger": trigger,
                   "quote": "No span of `window` seconds may hold more than `limit` accepted calls per key"}]))
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    shutil.copytree(EXAMPLE / ".pqa", tmp_path / "run/.pqa", ignore=shutil.ignore_patterns("runs", "ledger.db*"))
    monkeypatch.chdir(tmp_path / "run")
    monkeypatch.setenv("COLUMNS", "150")
    Path("attacker.py").write_text(SOURCE)
    return tmp_path / "run"


def test_a_command_attacks_every_live_branch_and_one_that_gives_up_is_not_clean(project, capsys):
    command = f"command:{sys.executable} attacker.py"
    assert (
        run(["collide", "--attacks", "task", "--adversary", command, "--adversary-network", "--json", "out.json"]) == 4
    )
    out = capsys.readouterr().out
    document = json.loads(Path("out.json").read_text())
    name = f"adversary:{Path(sys.executable).name}"
    runs = {branch["branch_id"]: branch["attacks"][-1] for branch in document["branches"]}
    assert {key: (one["attack"], one["status"], one["why"]) for key, one in runs.items()} == {
        "b0": (name, "ran", ""),
        "b1": (name, "ran", ""),
        "b2": (name, "could-not-run", "it ended with exit status 1: I give up"),
    }
    found = {
        one["branch_id"]: (one["severity"], one["replay"]["status"], one["attack"]) for one in document["findings"]
    }
    assert found == {"b0": ("high", "shown", name), "b1": ("low", "not-shown", name)}
    assert document["stamps"] == ["adversary-network"]
    assert f"b2: the attack '{name}' could not run: it ended with exit status 1: I give up" in out
    assert "adversary-network" in out
    assert document["choice"]["branch_id"] != "b0"


def test_a_malformed_answer_is_could_not_run_with_the_reason(project):
    Path("answers.json").write_text(json.dumps({"b0": [{"title": "x"}], "b1": [], "b2": []}))
    assert run(["collide", "--attacks", "task", "--adversary", "scripted:answers.json", "--json", "out.json"]) == 4
    (branch, *_) = json.loads(Path("out.json").read_text())["branches"]
    last = branch["attacks"][-1]
    assert (last["status"], last["why"]) == (
        "could-not-run",
        "the submission was refused: entry 1 'x': missing key 'branch_id'; expected branch_id, severity, category, title, "
        "detail, resolved",
    )


@pytest.mark.parametrize("text", ["nobody", "command:", "command:no-such-program", "scripted:no-such-file"])
def test_an_unknown_adversary_is_refused_before_anything_runs(project, text):
    assert run(["collide", "--adversary", text]) == 2
    assert not Path(".pqa/runs").exists()
