"""Run folder: `.pqa/runs/RUN` with run.json, snapshots and trigger files; written whole or not at all."""

from __future__ import annotations

import datetime
import shutil
from pathlib import Path

from pqa.core.codec import dump, to_json
from pqa.core.errors import UsageError
from pqa.core.verdict import Collision
from pqa.intake import discard
from pqa.reports.trigger_file import write_trigger_files

HOME = ".pqa"
CONTRACT_FILE = f"{HOME}/contract.toml"


def new_run_id(now: datetime.datetime, random: bytes) -> str:
    """A name that sorts by time, such as 20261130-134501-9f3a."""
    return f"{now:%Y%m%d-%H%M%S}-{random.hex()[:4]}"


class RunFolder:
    """One run's folder below the project."""

    def __init__(self, project: Path, run_id: str) -> None:
        self.project, self.run_id = project, run_id
        self.path = project / HOME / "runs" / run_id
        self.snapshots = self.path / "snapshots"
        try:
            self.snapshots.mkdir(parents=True)
        except OSError as error:
            raise UsageError(
                f"'{self.path}' cannot be made: {error.strerror}", "run pqa where you may write"
            ) from error

    def write(self, collision: Collision) -> None:
        """Write run.json and the trigger files, run.json last: where it stands, the run is whole."""
        write_run(collision, self.path)

    def drop_snapshots(self) -> None:
        """Remove the copies of the branches."""
        if self.snapshots.is_dir():
            discard(self.snapshots)

    def discard(self) -> None:
        """Remove all of it: the run did not end."""
        self.drop_snapshots()
        shutil.rmtree(self.path, ignore_errors=True)
        for folder in (self.path.parent, self.path.parent.parent):
            if folder.is_dir() and not any(folder.iterdir()):
                folder.rmdir()


def write_run(collision: Collision, folder: Path) -> None:
    """Write the trigger files and run.json into an existing run's folder, or anew."""
    write_trigger_files(collision.findings, folder)
    target, part = folder / "run.json", folder / ".run.json.part"
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(dump(to_json(collision)), "utf-8")
    part.replace(target)
