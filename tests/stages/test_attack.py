"""What becomes of an attack that has nothing to ask, and of one that has."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from pqa.core.branch import Branch
from pqa.core.finding import Note
from pqa.core.task import Task
from pqa.stages.attack import Harvest, Orders, attack

BRANCHES = (Branch("b0", "b0", "", ""), Branch("b1", "b1", "", ""))
TOOLS: Any = SimpleNamespace(expired=lambda brief: False)


def carried_out(*items: Note) -> Harvest:
    module: Any = SimpleNamespace(LAYER="suite", SCOPE="set", attack=lambda brief, tools: iter(items))
    orders = Orders(Task(), seed=0, trials=1, wall_seconds=1.0)
    return attack(BRANCHES, {"one": module}, orders=orders, tools=TOOLS, emit=lambda event: None)


def test_an_attack_without_a_question_is_skipped_with_its_reason_and_says_no_more():
    harvest = carried_out(Note("skipped", "all branches share one suite"))

    told = [(run.status, run.why) for name in ("b0", "b1") for run in harvest.attacked[name]]
    assert told == [("skipped", "all branches share one suite")] * 2
    assert harvest.notes == []


def test_an_attack_with_something_to_say_ran():
    harvest = carried_out(Note("transplant-alone", "b0 promises more"))

    assert [run.status for run in harvest.attacked["b0"]] == ["ran"]
    assert [note.kind for note in harvest.notes] == ["transplant-alone"]
