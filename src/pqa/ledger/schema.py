"""Schema: brings a ledger file to the newest numbered migration, each in a transaction; refuses unknown files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from importlib.resources import files

from pqa.core.errors import UsageError

APPLICATION_ID = int.from_bytes(b"pqa1", "big")
OLDEST_SQLITE = (3, 37)
MOVE_AWAY = "move it away, or name another file with PQA_LEDGER"


def migrations() -> dict[int, str]:
    """The numbered migrations by number, in order."""
    folder = files("pqa.ledger") / "migrations"
    scripts = sorted((entry for entry in folder.iterdir() if entry.name.endswith(".sql")), key=lambda entry: entry.name)
    return {int(entry.name.split("_")[0]): entry.read_text(encoding="utf-8") for entry in scripts}


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Apply what is missing; a file of another program or of a newer pqa is left exactly as it is."""
    known = migrations()
    newest = max(known)
    found = version(connection)
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise UsageError(f"SQLite is {sqlite3.sqlite_version}, expected 3.37 or newer", "use a Python with a newer one")
    if _is_foreign(connection, found):
        raise UsageError(f"'{path}' is a database of another program, expected a pqa ledger", MOVE_AWAY)
    if found > newest:
        raise UsageError(
            f"the ledger '{path}' has version {found}, this pqa knows up to {newest}", f"update pqa, or {MOVE_AWAY}"
        )
    connection.execute("PRAGMA journal_mode = WAL")
    for number, script in known.items():
        if number > found:
            _apply(connection, number, script)


def version(connection: sqlite3.Connection) -> int:
    """The number of the last migration that was applied."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _is_foreign(connection: sqlite3.Connection, found: int) -> bool:
    """Whether the file has content that no pqa wrote; an empty file is ours to fill."""
    tables = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    owner = connection.execute("PRAGMA application_id").fetchone()[0]
    return bool(tables or found or owner) and owner != APPLICATION_ID


def _apply(connection: sqlite3.Connection, number: int, script: str) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if version(connection) < number:  # another process may have been faster
            for statement in _statements(script):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {number:d}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """The statements of a script; `executescript` would commit after each."""
    gathered = ""
    for line in script.splitlines(keepends=True):
        gathered += line
        if sqlite3.complete_statement(gathered):
            yield gathered
            gathered = ""
