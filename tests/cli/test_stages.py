"""The stage commands: each works on a stored run or starts one that ends early, and what did not run never looks clean."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from pqa import cli
from pqa.config import CollideRequest, Settings
from pqa.core import codec
from pqa.core.verdict import Choice

EXAMPLE = Path(__file__).parents[2] / "examples/rate_limiter"


def store(project, collision, run_id="r1"):
    folder = project / ".pqa/runs" / run_id
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(codec.dump(codec.to_json(collision)))
    return folder / "run.json"


@pytest.mark.parametrize(
    "command", ["early-kill", "verify", "attack", "defend", "score", "compare", "choose", "report"]
)
def test_every_stage_command_has_help_with_examples_and_exit_codes(project, capsys, command):
    assert cli.run([command, "--help"]) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"Usage: pqa {command} [OPTIONS]")
    assert f"\n  Examples:\n    pqa {command}" in output
    assert "\n  Exit status:\n" in output


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (
            "early-kill b0 b1 --task t.md --base old --python p --unsafe-no-sandbox",
            {"until": "early-kill", "settings": Settings(python="p")},
        ),
        (
            "verify b0 b1 --task t.md --base old --tests suite --unsafe-no-sandbox",
            {"until": "verify", "tests": "suite"},
        ),
        (
            "attack b0 b1 --task t.md --base old --reference ref --attacks task,hollow --seed 3 --budget 5 --unsafe-no-sandbox",
            {
                "until": "attack",
                "reference": "ref",
                "settings": Settings(attacks=("task", "hollow"), seed=3, budget=5.0),
            },
        ),
    ],
)
def test_a_stage_command_asks_for_a_run_that_ends_there(project, wiring, run, arguments, wanted):
    wiring.result = run
    assert cli.run(arguments.split()) == 0
    common = {"branches": ("b0", "b1"), "task": "t.md", "base": "old", "unsafe_no_sandbox": True}
    assert wiring.asked[0][0] == CollideRequest(project, **common, **wanted)


def test_nobody_left_is_exit_1(project, wiring, nobody):
    wiring.result = nobody
    assert cli.run(["attack"]) == 1


def test_score_prints_what_the_findings_leave(project, run, capsys):
    store(project, run)
    assert cli.run(["score"]) == 0
    assert capsys.readouterr().out == (
        "b0  dead  0  critical: Shifting all times by 0.5 s changes the answers\n"
        "b1  alive  100\n"
        "b2  alive  96  medium: Empty key is accepted\n"
    )
    assert cli.run(["score", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["b0"] == {
        "alive": False,
        "score": 0.0,
        "death_reason": "Shifting all times by 0.5 s changes the answers",
        "reasons": ["critical: Shifting all times by 0.5 s changes the answers"],
    }


def test_a_resolved_finding_weighs_nothing(project, run, capsys):
    findings = tuple(replace(one, resolved=one.severity == "critical") for one in run.findings)
    store(project, replace(run, findings=findings))
    assert cli.run(["score"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "b0  alive  100"


def test_compare_prints_lines_or_one_document(project, run, nobody, capsys):
    store(project, run)
    assert cli.run(["compare"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == [
        "b0 alone  critical Shifting all times by 0.5 s changes the answers; clear of it: b1; not known: b2",
        "b2 alone  medium Empty key is accepted; not known: b0, b1",
    ]
    assert cli.run(["compare", "--json", "-"]) == 0
    assert [flaw["words"] for flaw in json.loads(capsys.readouterr().out)["flaws"]] == ["b0 alone", "b2 alone"]


def test_with_one_accused_there_is_nothing_to_compare(project, run, capsys):
    store(project, replace(run, findings=run.findings[3:]))
    assert cli.run(["compare", "--json", "found.json"]) == 0
    assert capsys.readouterr().out == ("findings stand against fewer than two branches: there is nothing to compare\n")
    empty = {"schema": "pqa.compare/1", "flaws": [], "by_category": {}, "by_layer": {}}
    assert json.loads((project / "found.json").read_text()) == empty


def test_choose_judges_a_run_that_was_only_attacked_and_keeps_the_choice(project, run, capsys):
    pending = replace(
        run, questions=(), choice=Choice(None, True, "not judged yet: only the stages up to 'attack' ran")
    )
    path = store(project, pending)
    assert cli.run(["choose", "--gate", "high"]) == 1
    assert cli.run(["choose", "--require-choice"]) == 0
    output = capsys.readouterr().out
    assert "Merge b1" in output
    assert json.loads(path.read_text())["choice"]["branch_id"] == "b1"


def test_a_copy_of_a_run_is_not_defended(project, run, capsys):
    (project / "out.json").write_text(codec.dump(codec.to_json(run)))
    assert cli.run(["defend", "out.json", "--patch", "b0=x"]) == 2
    assert capsys.readouterr().err == (
        "pqa: 'out.json' is a copy of a run\nnext: name a run in .pqa/runs/, which can be written anew\n"
    )


def test_report_prints_the_page_or_writes_the_document(project, run, capsys):
    store(project, run)
    assert cli.run(["report", "--json", "out.json"]) == 0
    assert capsys.readouterr().out.startswith("pqa  run r1 · sandbox full · seed 7\n")
    assert json.loads((project / "out.json").read_text()) == codec.to_json(run)
    assert cli.run(["report", "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out) == codec.to_json(run)


@pytest.fixture
def example(project):
    shutil.copytree(
        EXAMPLE / ".pqa", project / ".pqa", ignore=shutil.ignore_patterns("runs", "ledger.db*", "__pycache__")
    )
    shutil.rmtree(project / ".pqa/branches/b2")
    (project / ".pqa/branches/b1/limiter.py").write_text("def broken(:\n")
    return project


def test_early_kill_alone_judges_only_the_dead(example, capsys):
    assert cli.run(["early-kill", "--json", "run.json"]) == 0

    run = json.loads((example / "run.json").read_text())
    told = {one["branch_id"]: (one["state"], one["score"], one["verification"]) for one in run["branches"]}
    assert told["b0"] == ("alive", None, None)
    assert told["b1"][0] == "dead"
    skipped = {(one["status"], one["why"]) for one in run["branches"][0]["attacks"]}
    assert skipped == {("skipped", "not judged yet: only the stages up to 'early-kill' ran")}
    assert (run["choice"]["branch_id"], run["choice"]["abstained"]) == (None, True)
    assert run["choice"]["reason"] == "not judged yet: only the stages up to 'early-kill' ran"
    page = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert "not judged" in page
    assert "\n  - b0: it was not judged\n" in page
    assert cli.run(["choose"]) == 2
    name = run["run_id"]
    assert capsys.readouterr().err == (
        f"pqa: the run '{name}' was stopped before its attacks, so that nothing can be judged\n"
        "next: run 'pqa attack' or 'pqa collide'\n"
    )


def test_verify_says_what_the_tests_say_and_judges_nothing(example):
    assert cli.run(["verify", ".pqa/branches/b0", "--json", "run.json"]) == 0

    run = json.loads((example / "run.json").read_text())
    (branch,) = run["branches"]
    assert (branch["state"], branch["score"], branch["verification"]["status"]) == ("alive", None, "verified")
    assert run["choice"]["reason"] == "not judged yet: only the stages up to 'verify' ran"
    assert run["findings"] == []
