"""Replay: every claim is run again in fresh sandboxes; what is shown carries its oracle's cap, the rest is discounted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from pqa.core.branch import Branch
from pqa.core.event import Event
from pqa.core.finding import Finding
from pqa.core.job import Guest
from pqa.core.ports import Sandbox, Zygote
from pqa.core.trigger import Replay, ReplayStatus, Trigger
from pqa.engines.local import LocalEngine
from pqa.instruments.demonstrate import Demonstrator
from pqa.sandbox.interpreter import own_interpreter
from pqa.stages.replay import Bench, kill_matrix, replay, weigh

OFF_BY_ONE = {"calc.py": "def last(items):\n    return items[len(items) - 2]\n"}
RIGHT = {"calc.py": "def last(items):\n    return items[len(items) - 1]\n"}
CALL = {"on": None, "call": "calc.last", "args": [[1, 2, 3]], "kwargs": {}}
TRIGGER = Trigger("observation", "last([1, 2, 3]) is not 3", calls=(CALL,), expect={"values": [3]})


def claim(branch_id: str = "b0", **more: Any) -> Finding:
    wanted = {"oracle": "task", "qualified": True, "trigger": TRIGGER, **more}
    return Finding(branch_id, "critical", "value", "last is off by one", "after last([1, 2, 3])", **wanted)


@pytest.fixture
def bench(real_sandbox: Sandbox) -> Bench:
    opened: dict[str, Zygote] = {}

    def fresh(branch: Branch, hash_seed: int) -> Zygote:
        return real_sandbox.open(Guest(branch.snapshot, own_interpreter(), hash_seed=hash_seed))

    def warm(branch: Branch) -> Zygote:
        return opened.setdefault(branch.branch_id, fresh(branch, 0))

    show = Demonstrator({}, lambda _: ("calc",), lambda *_: (None, ""))
    return Bench(fresh, warm, show, LocalEngine(2), "full", lambda _: None)


def test_a_flaw_is_shown_in_every_fresh_run_and_keeps_its_severity(
    plant_tree: Callable[..., Branch], bench: Bench
) -> None:
    branch = plant_tree(OFF_BY_ONE)
    judged = replay([claim()], {"b0": branch}, bench)[0]
    assert (judged.severity, judged.discounted) == ("critical", False)
    assert judged.replay == Replay(ReplayStatus.SHOWN, 2, 2, "last([1, 2, 3]) -> 2", "full")


def test_the_same_claim_against_a_right_branch_is_not_shown_and_harms_nobody(
    plant_tree: Callable[..., Branch], bench: Bench
) -> None:
    judged = replay([claim()], {"b0": plant_tree(RIGHT)}, bench)[0]
    assert (judged.severity, judged.claimed_severity, judged.discounted) == ("low", "critical", True)
    assert judged.discount_reason == "its trigger is not-shown"


def test_a_claim_without_a_trigger_is_discounted(plant_tree: Callable[..., Branch], bench: Bench) -> None:
    judged = replay([claim(trigger=None)], {"b0": plant_tree(OFF_BY_ONE)}, bench)[0]
    assert (judged.severity, judged.discount_reason) == ("low", "it has no concrete trigger")


def test_a_branch_that_exits_before_the_end_record_could_not_be_checked_and_is_not_resolved(
    plant_tree: Callable[..., Branch], bench: Bench
) -> None:
    leaver = {"calc.py": "import os\ndef last(items):\n    os._exit(0)\n"}
    judged = replay([claim()], {"b0": plant_tree(leaver)}, bench)[0]
    assert judged.replay is not None
    assert (judged.replay.status, judged.severity, judged.resolved) == (ReplayStatus.COULD_NOT_CHECK, "medium", False)


def test_a_branch_that_cannot_be_imported_could_not_be_checked(plant_tree: Callable[..., Branch], bench: Bench) -> None:
    broken = {"calc.py": "import nothing_of_this_name\n"}
    judged = replay([claim()], {"b0": plant_tree(broken)}, bench)[0]
    assert judged.replay is not None
    assert judged.replay.status is ReplayStatus.COULD_NOT_CHECK


def test_an_answer_that_changes_with_the_hash_seed_is_flaky_and_one_level_lower(
    plant_tree: Callable[..., Branch], bench: Bench
) -> None:
    even = {"calc.py": "import os\ndef last(items):\n    return 3 if os.environ['PYTHONHASHSEED'] == '0' else 2\n"}
    judged = replay([claim()], {"b0": plant_tree(even)}, bench)[0]
    assert judged.replay is not None
    assert (judged.replay.status, judged.replay.shown, judged.severity) == (ReplayStatus.FLAKY, 1, "high")


def test_claims_with_one_root_against_one_branch_are_one_finding(
    plant_tree: Callable[..., Branch], bench: Bench
) -> None:
    first, again = claim(root="last"), replace(claim(root="last"), title="the same, said again", id="")
    assert [one.title for one in replay([first, again], {"b0": plant_tree(OFF_BY_ONE)}, bench)] == [
        "last is off by one"
    ]


def test_the_matrix_says_of_every_branch_whether_the_trigger_shows_there(
    plant_tree: Callable[..., Branch], bench: Bench
) -> None:
    branches = [plant_tree(OFF_BY_ONE), plant_tree(RIGHT, "b1"), plant_tree({"calc.py": "x = 1\n"}, "b2")]
    judged = replay([claim()], {"b0": branches[0]}, bench)
    row = kill_matrix(judged, branches, bench)[judged[0].id]
    assert row == {"b0": "shown", "b1": "not-shown", "b2": "shown"}


def test_every_replay_is_told_as_an_event(plant_tree: Callable[..., Branch], bench: Bench) -> None:
    seen: list[Event] = []
    finding = claim()
    replay([finding], {"b0": plant_tree(OFF_BY_ONE)}, replace(bench, emit=seen.append))
    assert [(event.kind, event.branch_id, event.data["status"]) for event in seen] == [
        ("finding-replayed", "b0", "shown")
    ]


@pytest.mark.parametrize(
    ("oracle", "qualified", "kind", "severity"),
    [
        ("task", True, "observation", "critical"),
        ("relation", True, "observation", "critical"),
        ("relation", False, "observation", "high"),
        ("siblings", False, "observation", "medium"),
        ("mutant", True, "observation", "high"),
        ("task", True, "program", "high"),
        ("opinion", True, "observation", "medium"),
        (None, True, "observation", "low"),
    ],
)
def test_a_shown_claim_is_as_severe_as_its_oracle_can_carry_and_no_more(
    oracle: str | None, qualified: bool, kind: str, severity: str
) -> None:
    finding = claim(oracle=oracle, qualified=qualified, trigger=replace(TRIGGER, kind=kind))
    assert weigh(finding, Replay(ReplayStatus.SHOWN, 2, 2)).severity == severity


def test_a_cap_never_raises_a_modest_claim() -> None:
    finding = replace(claim(), severity="medium", id="")
    assert weigh(finding, Replay(ReplayStatus.SHOWN, 2, 2)).severity == "medium"


NEEDS_SELF = {"calc.py": "class Calc:\n    def twice(self, number):\n        return 2 * number\n"}
STATIC = {"calc.py": "class Calc:\n    @staticmethod\n    def twice(number):\n        return 2 * number\n"}
ON_CLASS = Trigger(
    "observation",
    "Calc.twice(2) is not 4",
    calls=({"on": None, "call": "calc.Calc.twice", "args": [2], "kwargs": {}},),
    expect={"values": [4]},
)


def test_a_flaw_of_a_signature_counts_though_the_inert_double_has_it_too(
    plant_tree: Callable[..., Branch], bench: Bench
) -> None:
    branches = {"b0": plant_tree(NEEDS_SELF), "b1": plant_tree(STATIC, "b1")}
    judged = replay([claim(trigger=ON_CLASS)], branches, bench)[0]
    assert judged.replay is not None
    assert (judged.replay.status, judged.severity) == (ReplayStatus.SHOWN, "critical")
    assert judged.replay.output == "Calc.twice(2) -> raises TypeError"


def test_a_flaw_that_no_body_is_needed_for_is_vacuous_where_no_other_branch_is_without_it(
    plant_tree: Callable[..., Branch], bench: Bench
) -> None:
    for others in ({}, {"b1": plant_tree(NEEDS_SELF, "b1")}):
        judged = replay([claim(trigger=ON_CLASS)], {"b0": plant_tree(NEEDS_SELF), **others}, bench)[0]
        assert judged.replay is not None
        assert (judged.replay.status, judged.discounted) == (ReplayStatus.VACUOUS, True)
