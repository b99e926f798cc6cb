"""The ledger: real SQLite files; a run is kept whole or not at all, and a file that is not understood is left alone."""

from __future__ import annotations

import dataclasses
import multiprocessing
import sqlite3
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pqa.core.branch import Branch, Conviction
from pqa.core.codec import finding_to_json
from pqa.core.errors import InternalError, UsageError
from pqa.core.finding import Finding
from pqa.core.task import Task
from pqa.core.trigger import Replay, ReplayStatus
from pqa.core.verdict import CheckRun, Choice, Collision, Defense, Verdict
from pqa.ledger.calibration import HIGH_FAILED, calibration_rows
from pqa.ledger.store import SqliteLedger
from pqa.ledger.taxonomy import PriorDeath, task_digest

STATIC = "failed static checks before collision"
BURST = Finding(
    "b0",
    "critical",
    "boundary",
    "Burst",
    "ten calls at the edge",
    attack="differential",
    replay=Replay(ReplayStatus.SHOWN, 2, 2),
)
CLAIM = Finding("b2", "low", "style", "Ugly", "d", adversary="claude", claimed_severity="critical", discounted=True)


def collision(run_id: str = "r1", **changes: Any) -> Collision:
    """b0 (sure of itself) died under attack, b1 by its static checks, b2 survived."""
    run = Collision(
        run_id=run_id,
        task=Task("# Limit calls\n\nto 100 a minute"),
        sandbox="full",
        seed=7,
        branches=(
            Branch("b0", "x/b0", "d0", "", conviction=Conviction("High", "proved"), topology_axis="Fixed  window"),
            Branch("b1", "x/b1", "d1", "", conviction=Conviction("low")),
            Branch("b2", "x/b2", "d2", "", conviction=Conviction("medium")),
        ),
        checks={"b1": (CheckRun("ruff check .", "passed"), CheckRun("mypy .", "failed", "a.py:1: error"))},
        findings=(BURST, CLAIM),
        defenses=(Defense("b0", "rebuttal", ({"text": "no"},)),),
        verdicts={
            "b0": Verdict("b0", False, 0.0, "Burst"),
            "b1": Verdict("b1", False, 0.0, STATIC),
            "b2": Verdict("b2", True, 100.0),
        },
        choice=Choice("b2", False, "the only survivor"),
    )
    return dataclasses.replace(run, **changes)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    with SqliteLedger(tmp_path / "deep" / "ledger.db") as opened:
        yield opened


def count(ledger: SqliteLedger) -> dict[str, int]:
    tables = ("runs", "branches", "deaths", "findings", "replays", "defenses", "calibration")
    with sqlite3.connect(ledger.path) as other:
        return {table: other.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables}


def test_run_is_kept_with_all_that_hangs_on_it(ledger: SqliteLedger) -> None:
    ledger.record(collision(), at="2025-01-01T10:00:00Z")

    assert count(ledger) == {
        "runs": 1,
        "branches": 3,
        "deaths": 2,
        "findings": 2,
        "replays": 1,
        "defenses": 1,
        "calibration": 5,
    }
    assert ledger.runs() == [
        {
            "run_id": "r1",
            "at": "2025-01-01T10:00:00Z",
            "task_digest": task_digest("# Limit calls to 100 a minute"),
            "task_title": "Limit calls",
            "mode": "build",
            "sandbox": "full",
            "seed": "7",
            "choice": "b2",
            "abstained": 0,
            "reason": "the only survivor",
            "branches": 3,
            "deaths": 2,
        }
    ]
    assert ledger.findings("r1") == [finding_to_json(BURST), finding_to_json(CLAIM)]


def test_deaths_say_why_with_an_excerpt(ledger: SqliteLedger) -> None:
    ledger.record(collision(), at="t")

    assert ledger.deaths("r1") == [
        {
            "run_id": "r1",
            "branch_id": "b0",
            "stage": "attack",
            "death_reason": "Burst",
            "finding_id": BURST.id,
            "attack": "differential",
            "category": "boundary",
            "excerpt": "Burst: ten calls at the edge",
        },
        {
            "run_id": "r1",
            "branch_id": "b1",
            "stage": "static",
            "death_reason": STATIC,
            "finding_id": None,
            "attack": None,
            "category": None,
            "excerpt": "mypy .\na.py:1: error",
        },
    ]


def test_run_without_deaths_has_none(ledger: SqliteLedger) -> None:
    alive = {"b0": Verdict("b0", True, 100.0)}
    ledger.record(collision(verdicts=alive, findings=()), at="t")

    assert ledger.deaths("r1") == []
    assert [row["outcome"] for row in ledger.calibration("r1")] == ["survived"]


def test_latest_run_is_the_one_with_the_latest_time(ledger: SqliteLedger) -> None:
    assert ledger.latest_run_id() is None
    ledger.record(collision("r2"), at="2025-01-02")
    ledger.record(collision("r1"), at="2025-01-01")

    assert ledger.latest_run_id() == "r2"
    assert [run["run_id"] for run in ledger.runs()] == ["r2", "r1"]


def test_recording_a_run_again_replaces_it(ledger: SqliteLedger) -> None:
    ledger.record(collision(), at="1")
    before = count(ledger)
    ledger.record(collision(), at="2")

    assert count(ledger) == before
    assert [run["at"] for run in ledger.runs()] == ["2"]


def test_run_is_recorded_whole_or_not_at_all(ledger: SqliteLedger) -> None:
    ledger.record(collision(), at="1")
    twice = collision().branches[:1] * 2

    with pytest.raises(InternalError, match="the run contradicts itself and was not recorded"):
        ledger.record(collision(branches=twice), at="2")

    assert [run["at"] for run in ledger.runs()] == ["1"]
    assert count(ledger)["branches"] == 3


def test_text_that_utf8_cannot_hold_does_not_cost_the_run(ledger: SqliteLedger) -> None:
    odd = dataclasses.replace(BURST, title="\ud800\x00\x1b", detail="\udfff")
    ledger.record(collision(findings=(odd,)), at="t")

    assert ledger.findings("r1") == [finding_to_json(odd)]


def test_conviction_is_held_against_what_became_of_the_branch() -> None:
    rows = [
        (row.subject, row.outcome, row.attack, row.note)
        for row in calibration_rows(collision())
        if row.kind == "conviction"
    ]

    assert rows == [
        ("high", "died under attack", "differential", HIGH_FAILED),
        ("low", "died before attack", None, ""),
        ("medium", "survived", None, ""),
    ]


def test_claimed_severity_is_held_against_the_proved_one() -> None:
    rows = [(row.subject, row.claimed, row.outcome) for row in calibration_rows(collision()) if row.kind == "severity"]

    assert rows == [("mechanical", "critical", "critical"), ("claude", "critical", "unproved")]


def test_claims_add_up_over_runs_while_a_code_counts_once_by_what_became_of_it_last(ledger: SqliteLedger) -> None:
    ledger.record(collision("r1"), at="1")
    ledger.record(collision("r2", verdicts={"b0": Verdict("b0", True, 100.0)}, findings=(CLAIM,)), at="2")

    assert ledger.calibration_rates() == {
        "conviction": {
            "high": {"branches": 1, "died": 0},
            "low": {"branches": 1, "died": 1},
            "medium": {"branches": 1, "died": 0},
        },
        "adversaries": {
            "claude": {"critical": {"claimed": 2, "proved": 0}},
            "mechanical": {"critical": {"claimed": 1, "proved": 1}},
        },
        "attacks": {"differential": {"critical": {"claimed": 1, "proved": 1}}},
    }


def test_like_approach_meets_its_predecessors_death(ledger: SqliteLedger) -> None:
    ledger.record(collision(), at="t")
    told = ("r1", "t", "b0", "attack", "Burst", "Burst: ten calls at the edge")
    same_code, same_axis = Branch("n0", "p", "d0", ""), Branch("n1", "p", "new", "", topology_axis="fixed window")
    fresh = Branch("n2", "p", "new", "", topology_axis="sliding log")
    survivor = Branch("n3", "p", "d2", "")

    assert ledger.prior_deaths(collision().task, [same_code, same_axis, fresh, survivor]) == [
        PriorDeath("n0", "same code", *told),
        PriorDeath("n1", "same approach", *told),
    ]
    assert ledger.prior_deaths(Task("another task"), [same_axis]) == []
    assert ledger.prior_deaths(collision().task, [same_code], except_run="r1") == []


def test_history_is_plain_data_for_the_document(ledger: SqliteLedger) -> None:
    ledger.record(collision(), at="t")
    history = ledger.history(collision().task, [Branch("n0", "p", "d0", "")])

    assert [death["death_reason"] for death in history["prior_deaths"]] == ["Burst"]
    assert history["calibration"] == ledger.calibration_rates()


def test_ledger_opens_again_with_what_it_held(tmp_path: Path) -> None:
    with SqliteLedger(tmp_path / "l.db") as first:
        first.record(collision(), at="t")
    with SqliteLedger(tmp_path / "l.db") as second:
        assert second.latest_run_id() == "r1"
    with sqlite3.connect(tmp_path / "l.db") as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (1,)
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def refused(path: Path) -> UsageError:
    """The error that opening gives; the file must be as it was."""
    before = path.read_bytes() if path.is_file() else b""
    with pytest.raises(UsageError) as caught:
        SqliteLedger(path, wait_seconds=0.2)
    assert (path.read_bytes() if path.is_file() else b"") == before
    assert caught.value.next_step == "move it away, or name another file with PQA_LEDGER"
    return caught.value


def test_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    path.write_text("my diary " * 1000)

    assert refused(path).message == f"'{path}' is not a readable pqa ledger: file is not a database"


def test_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with sqlite3.connect(path) as other:
        other.execute("CREATE TABLE diary (day TEXT)")
        other.execute("PRAGMA user_version = 1")

    assert refused(path).message == f"'{path}' is a database of another program, expected a pqa ledger"


def test_folder_in_the_ledgers_place_is_refused(tmp_path: Path) -> None:
    assert refused(tmp_path).message == f"the ledger '{tmp_path}' cannot be used: unable to open database file"


def test_ledger_of_a_newer_pqa_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    SqliteLedger(path).close()
    with sqlite3.connect(path) as raw:
        raw.execute("PRAGMA user_version = 99")
    with pytest.raises(UsageError) as caught:
        SqliteLedger(path)

    assert caught.value.message == f"the ledger '{path}' has version 99, this pqa knows up to 1"
    assert caught.value.next_step == "update pqa, or move it away, or name another file with PQA_LEDGER"


def test_damage_in_the_middle_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with SqliteLedger(path) as ledger:
        ledger.record(collision(), at="t")
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\xff" * (len(whole) - 4096))

    with (
        SqliteLedger(path) as damaged,
        pytest.raises(UsageError, match=r"l\.db' is not a readable pqa ledger: .*malformed"),
    ):
        damaged.record(collision("r2"), at="t")


def test_locked_ledger_is_waited_for_then_named(tmp_path: Path) -> None:
    path = tmp_path / "l.db"
    with SqliteLedger(path, wait_seconds=0.2) as ledger:
        holder = sqlite3.connect(path, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        with pytest.raises(UsageError) as caught:
            ledger.record(collision(), at="t")
        holder.execute("ROLLBACK")
        holder.close()
        ledger.record(collision(), at="t")

        assert caught.value.message == f"the ledger '{path}' stayed locked by another process for 0.2 s"
        assert ledger.latest_run_id() == "r1"


def write_one(path: str, number: int) -> None:
    with SqliteLedger(path) as ledger:
        ledger.record(collision(f"r{number}"), at=str(number))


@pytest.mark.skipif(sys.platform == "win32", reason="needs fork")
def test_many_processes_may_create_and_write_one_ledger(tmp_path: Path) -> None:
    path = str(tmp_path / "l.db")
    context = multiprocessing.get_context("fork")
    workers = [context.Process(target=write_one, args=(path, number)) for number in range(6)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)

    assert [worker.exitcode for worker in workers] == [0] * 6
    with SqliteLedger(path) as ledger:
        assert {run["run_id"] for run in ledger.runs()} == {f"r{number}" for number in range(6)}
