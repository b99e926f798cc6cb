"""Store: the ledger as a SQLite file; a run is recorded whole or not at all, and an unknown file is left alone."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from types import TracebackType

from pqa.core.branch import Branch
from pqa.core.codec import finding_to_json
from pqa.core.errors import InternalError, PqaError, UsageError
from pqa.core.finding import Finding
from pqa.core.task import Task
from pqa.core.trigger import Json
from pqa.core.verdict import Collision
from pqa.ledger.calibration import calibration_rates, calibration_rows
from pqa.ledger.schema import MOVE_AWAY, migrate
from pqa.ledger.taxonomy import PriorDeath, axis_key, deaths, prior_deaths, task_digest

WAIT_SECONDS = 10.0
Row = Mapping[str, Json]


class SqliteLedger:
    """What is kept over runs (`ports.Ledger`), and the queries that reports and the next run read."""

    def __init__(self, path: Path | str, *, wait_seconds: float = WAIT_SECONDS) -> None:
        self.path = Path(path)
        self.wait_seconds = wait_seconds
        with self._explained():
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._connection = sqlite3.connect(self.path, timeout=wait_seconds, isolation_level=None)
        try:
            with self._explained():
                self._connection.row_factory = sqlite3.Row
                self._connection.execute("PRAGMA foreign_keys = ON")
                migrate(self._connection, str(self.path))
        except BaseException:
            self._connection.close()
            raise

    def record(self, collision: Collision, *, at: str) -> None:
        """Write the run with all that hangs on it, all or nothing; a run of the same name is replaced."""
        with self._explained():
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.execute("DELETE FROM runs WHERE run_id = ?", (_text(collision.run_id),))
                for table, rows in _rows(collision, at):
                    self._insert(table, collision.run_id, rows)
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Release the file; safe to call twice."""
        self._connection.close()

    def __enter__(self) -> SqliteLedger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def latest_run_id(self) -> str | None:
        """The run that was recorded with the latest time, or None."""
        return next((str(row["run_id"]) for row in self.runs(limit=1)), None)

    def runs(self, *, limit: int = 100) -> list[dict[str, Json]]:
        """The runs, newest first, with how many branches each had and how many died."""
        return self._select(RUNS, (limit,))

    def deaths(self, run_id: str) -> list[dict[str, Json]]:
        """The failure taxonomy of one run."""
        return self._select("SELECT * FROM deaths WHERE run_id = ? ORDER BY branch_id", (run_id,))

    def findings(self, run_id: str) -> list[dict[str, Json]]:
        """The findings of one run as JSON documents, in its order."""
        rows = self._select("SELECT document FROM findings WHERE run_id = ? ORDER BY position", (run_id,))
        return [json.loads(row["document"]) for row in rows]

    def calibration(self, run_id: str) -> list[dict[str, Json]]:
        """The calibration rows of one run."""
        return self._select("SELECT * FROM calibration WHERE run_id = ? ORDER BY position", (run_id,))

    def calibration_rates(self) -> dict[str, Json]:
        """Over all runs: how often a conviction died, how often a claimed severity was proved."""
        with self._explained():
            return calibration_rates(self._connection)

    def prior_deaths(
        self, task: Task, branches: Iterable[Branch], *, except_run: str | None = None, limit: int = 3
    ) -> list[PriorDeath]:
        """Deaths in other runs of the same code, or of the same approach to the same task."""
        with self._explained():
            return prior_deaths(self._connection, task.text, branches, except_run=except_run, limit=limit)

    def history(self, task: Task, branches: Iterable[Branch], *, except_run: str | None = None) -> dict[str, Json]:
        """What goes under `history` in run.json."""
        prior = self.prior_deaths(task, branches, except_run=except_run)
        return {"prior_deaths": [asdict(death) for death in prior], "calibration": self.calibration_rates()}

    def _select(self, query: str, values: Sequence[Json]) -> list[dict[str, Json]]:
        with self._explained():
            return [dict(row) for row in self._connection.execute(query, values)]

    def _insert(self, table: str, run_id: str, rows: Iterable[Row]) -> None:
        for row in rows:
            whole = {"run_id": run_id, **row}
            names, marks = ", ".join(whole), ", ".join("?" * len(whole))
            values = [_text(value) if isinstance(value, str) else value for value in whole.values()]
            self._connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", values)  # noqa: S608 (own names)

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turn SQLite's errors into ones that name the file and the next step."""
        try:
            yield
        except PqaError:
            raise
        except sqlite3.OperationalError as error:
            if "locked" in str(error) or "busy" in str(error):
                message = f"the ledger '{self.path}' stayed locked by another process for {self.wait_seconds:g} s"
                raise UsageError(message, "wait for that run to end, or name another file with PQA_LEDGER") from error
            raise UsageError(f"the ledger '{self.path}' cannot be used: {error}", MOVE_AWAY) from error
        except sqlite3.IntegrityError as error:
            raise InternalError(f"the run contradicts itself and was not recorded: {error}") from error
        except (sqlite3.DatabaseError, OSError) as error:
            raise UsageError(f"'{self.path}' is not a readable pqa ledger: {error}", MOVE_AWAY) from error


CLAIM_COLUMNS = ("branch_id", "severity", "claimed_severity", "category", "title", "detail", "resolved", "discounted")
ORIGIN_COLUMNS = ("attack", "layer", "oracle", "adversary", "location")
RUNS = """
    SELECT runs.*, (SELECT count(*) FROM branches WHERE branches.run_id = runs.run_id) AS branches,
           (SELECT count(*) FROM deaths WHERE deaths.run_id = runs.run_id) AS deaths
    FROM runs ORDER BY at DESC, run_id DESC LIMIT ?
"""


def _rows(collision: Collision, at: str) -> Iterator[tuple[str, Iterable[Row]]]:
    yield "runs", [_run_row(collision, at)]
    yield "branches", [_branch_row(collision, branch) for branch in collision.branches]
    yield "deaths", [asdict(death) for death in deaths(collision)]
    yield "findings", [_finding_row(position, finding) for position, finding in enumerate(collision.findings)]
    yield (
        "replays",
        [
            {"position": position, **asdict(finding.replay), "status": finding.replay.status.value}
            for position, finding in enumerate(collision.findings)
            if finding.replay is not None
        ],
    )
    yield (
        "defenses",
        [
            {"position": position, "branch_id": one.branch_id, "kind": one.kind, "answers": json.dumps(one.answers)}
            for position, one in enumerate(collision.defenses)
        ],
    )
    yield (
        "calibration",
        [{"position": position, **asdict(row)} for position, row in enumerate(calibration_rows(collision))],
    )


def _run_row(collision: Collision, at: str) -> Row:
    choice = collision.choice
    return {
        "at": at,
        "task_digest": task_digest(collision.task.text),
        "task_title": collision.task.title,
        "mode": collision.task.mode,
        "sandbox": collision.sandbox,
        "seed": str(collision.seed),
        "choice": None if choice is None else choice.branch_id,
        "abstained": choice is not None and choice.abstained,
        "reason": "" if choice is None else choice.reason,
    }


def _branch_row(collision: Collision, branch: Branch) -> Row:
    verdict = collision.verdicts.get(branch.branch_id)
    verification = collision.verifications.get(branch.branch_id)
    return {
        "branch_id": branch.branch_id,
        "digest": branch.digest,
        "path": branch.path,
        "topology_axis": axis_key(branch.topology_axis),
        "conviction": None if branch.conviction is None else branch.conviction.level.strip().lower(),
        "verification": None if verification is None else verification.word,
        "alive": verdict is None or verdict.alive,
        "score": None if verdict is None else verdict.score,
    }


def _finding_row(position: int, finding: Finding) -> Row:
    row = {name: getattr(finding, name) for name in (*CLAIM_COLUMNS, *ORIGIN_COLUMNS)}
    return {"position": position, "finding_id": finding.id, **row, "document": json.dumps(finding_to_json(finding))}


def _text(text: str) -> str:
    """Text that UTF-8 can hold: a lone surrogate in what a branch wrote must not cost the whole run."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")
