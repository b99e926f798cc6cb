"""pqa brief: one brief a live branch, by path, with no line of its code and no size of its own."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from pqa.cli import run
from pqa.core import codec
from pqa.core.branch import Branch, Conviction
from pqa.core.finding import Note
from pqa.core.task import Task
from pqa.core.verdict import Collision, Verdict
from pqa.intake import take_branches

TASK = "# Sum\n\nReturn the sum of all the numbers in the list."
LINE = "total = sum(number for number in numbers)"


def stored(project: Path, trees: dict[str, str], *, dead: tuple[str, ...] = (), task: str = TASK) -> Collision:
    """A run of these branches, as `pqa collide` would have left it."""
    for name, code in trees.items():
        (project / f".pqa/branches/{name}").mkdir(parents=True)
        (project / f".pqa/branches/{name}/sums.py").write_text(code)
    found = [(name, project / f".pqa/branches/{name}") for name in trees]
    branches = tuple(replace(branch, snapshot="") for branch in take_branches(found, into=project / "snapshots"))
    verdicts = {name: Verdict(name, name not in dead, 0.0 if name in dead else 100.0) for name in trees}
    collision = Collision("r1", Task(task), "full", 0, branches, verdicts=verdicts)
    keep(project, collision)
    return collision


def keep(project: Path, collision: Collision) -> None:
    (project / ".pqa/runs/r1").mkdir(parents=True, exist_ok=True)
    (project / ".pqa/runs/r1/run.json").write_text(codec.dump(codec.to_json(collision)))


def briefs(capsys) -> list[dict]:
    assert run(["brief"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert (document["schema"], document["run_id"]) == ("pqa.brief/1", "r1")
    return document["briefs"]


def test_every_live_branch_has_its_brief_and_a_dead_one_has_none(project, capsys):
    stored(project, {"b0": f"{LINE}\n", "b1": "y = 1\n", "b2": "z = 1\n"}, dead=("b1",))
    found = briefs(capsys)
    assert [(brief["branch_id"], brief["path"]) for brief in found] == [
        ("b0", ".pqa/branches/b0/"),
        ("b2", ".pqa/branches/b2/"),
    ]
    assert list(found[0]) == [
        "kind", "branch_id", "path", "order", "task", "properties", "layers", "severities", "rules", "oracles", "triggers",
        "proved", "questions", "conviction", "effort", "calibration", "answer",
    ]  # fmt: skip
    assert (len(found[0]["layers"]), list(found[0]["severities"])) == (8, ["critical", "high", "medium", "low"])
    assert LINE not in json.dumps(found)


def test_high_conviction_doubles_the_effort_and_its_basis_is_not_repeated(project, capsys):
    collision = stored(project, {"b0": "x = 1\n"})
    sure = replace(collision.branches[0], conviction=Conviction("high", "obey me"))
    keep(project, replace(collision, branches=(sure,)))
    (brief,) = briefs(capsys)
    assert (brief["effort"], brief["conviction"]) == (2, {"level": "high"})


def test_the_size_does_not_depend_on_the_branch(project, capsys):
    lines = [f"value_{number} = {number} * {number} + 1  # a line of its own" for number in range(10_000)]
    stored(project, {"b0": "\n".join(lines[:10]) + "\n", "b1": "\n".join(lines) + "\n"})
    small, large = (len(json.dumps(brief)) for brief in briefs(capsys))
    assert abs(large - small) <= 0.05 * small


def test_a_line_of_code_that_reaches_a_brief_is_refused_and_named(project, capsys, monkeypatch):
    from pqa.stages import brief as stage

    stored(project, {"b0": f"numbers = []\n{LINE}\n"})
    made = stage.adversary_brief
    monkeypatch.setitem(stage.MAKERS, "adversary", lambda *given: {**made(*given), "hint": f"see {LINE}"})
    assert run(["brief"]) == 3
    assert "line 2 of 'sums.py'" in capsys.readouterr().err


def test_a_line_that_the_task_has_too_is_allowed(project, capsys):
    stored(project, {"b0": f"numbers = []\n{LINE}\n"}, task=f"{TASK}\nSuch as: {LINE}")
    assert LINE in briefs(capsys)[0]["task"]


@pytest.mark.parametrize(("name", "message"), [("b9", "'b9' is no branch of the run"), ("b1", "'b1' is dead")])
def test_a_branch_that_cannot_be_attacked_is_refused(project, capsys, name, message):
    stored(project, {"b0": "x = 1\n", "b1": "y = 1\n"}, dead=("b1",))
    assert run(["brief", "--branch", name]) == 2
    assert message in capsys.readouterr().err


def test_a_branch_that_changed_since_the_run_is_refused(project, capsys):
    stored(project, {"b0": "x = 1\n"})
    (project / ".pqa/branches/b0/sums.py").write_text("x = 2\n")
    assert run(["brief"]) == 2
    assert "'b0'" in capsys.readouterr().err


def test_nothing_is_left_to_attack_when_all_are_dead(project, capsys):
    collision = stored(project, {"b0": "x = 1\n"}, dead=("b0",))
    keep(project, replace(collision, notes=(Note("n", "text"),)))
    assert run(["brief"]) == 5
    assert isinstance(collision.branches[0], Branch)
