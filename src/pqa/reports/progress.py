"""Progress: what happens while a run lasts; one moving line on a terminal, one plain line an event elsewhere."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, SpinnerColumn, TaskID, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar
from rich.text import Text

from pqa.core.event import Event
from pqa.reports.text import is_unchecked, percent, plain

STAGES = {
    "intake": "reading the branches",
    "early-kill": "static checks",
    "verify": "running the branches' own tests",
    "attack": "attacking",
    "replay": "replaying findings in fresh sandboxes",
    "kill-matrix": "running each trigger on every branch",
    "defend": "defending",
    "score": "scoring",
    "compare": "comparing findings",
    "choose": "choosing",
}


LOUD = ("critical", "high")
STEPS = ("attack-ended", "branch-verified", "branch-found", "branch-checked", "finding-replayed")


class Progress:
    """A Sink. Keys of `data` that it reads, all optional: `run_id`, `sandbox`, `seed` (run-started); `stage`, `total`
    (stage-started); `reason` (branch-died); `word`, `suites`, `coverage` in percent (branch-verified);
    `attack`, `branches` (attack-ended); `title`, `severity`, `status` (finding-replayed); `kind`, `text` (note)."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._lock = threading.Lock()
        self._bar: Bar | None = None
        self._row: TaskID | None = None
        if console.is_terminal and not console.is_dumb_terminal:
            self._bar = Bar(
                SpinnerColumn(),
                TextColumn("{task.description}", markup=False),
                BarColumn(bar_width=24),
                TextColumn("{task.completed:.0f} done", markup=False),
                TimeElapsedColumn(),
                console=console,
                transient=True,
            )

    def __enter__(self) -> Progress:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def emit(self, event: Event) -> None:
        """Show one event; foreign text is made plain first."""
        with self._lock:
            if self._bar is not None:
                self._move(self._bar, event)
            line = _line(event, brief=self._bar is not None)
            if line is not None:
                self._console.print(line, soft_wrap=True)

    def _move(self, bar: Bar, event: Event) -> None:
        if event.kind == "stage-started":
            if self._row is not None:
                bar.remove_task(self._row)
            total = event.data.get("total")
            self._row = bar.add_task(_stage(event.data), total=float(total) if isinstance(total, int | float) else None)
        elif self._row is not None and event.kind in (
            "attack-ended",
            "branch-verified",
            "branch-found",
            "finding-replayed",
        ):
            bar.advance(self._row)


def _stage(data: Mapping[str, Any]) -> str:
    name = plain(data.get("stage", ""), length=40)
    return STAGES.get(name, name)


def _line(event: Event, *, brief: bool) -> Text | None:
    """The lasting line for an event, or None; `brief` keeps only what a moving line cannot say."""
    name, data = plain(event.branch_id or "run", length=64), event.data
    if event.kind == "branch-died":
        return Text.assemble((f"{name} died: ", "bold red"), plain(data.get("reason", ""), length=300))
    if event.kind == "branch-verified":
        return Text(f"{name} {_verified(data)}")
    if event.kind == "finding" and data.get("severity") in LOUD:
        claim = f"claimed {data['severity']}, to be replayed: {plain(data.get('title', ''), length=300)}"
        return Text.assemble((f"{name} ", "yellow"), claim)
    if event.kind == "finding-replayed" and data.get("status") == "shown" and data.get("severity") in LOUD:
        return Text.assemble((f"{name} {data['severity']}: ", "red"), plain(data.get("title", ""), length=300))
    if event.kind == "note" and is_unchecked(data.get("kind")):
        return Text.assemble((f"{name}: ", "yellow"), plain(data.get("text", ""), length=300))
    return None if brief else _plain_line(event)


def _plain_line(event: Event) -> Text | None:
    data = event.data
    if event.kind == "run-started":
        parts = {"run": "run_id", "sandbox": "sandbox", "seed": "seed"}
        return Text(", ".join(f"{word} {plain(data[key])}" for word, key in parts.items() if key in data))
    if event.kind == "stage-started":
        return Text(_stage(data))
    if event.kind == "attack-ended":
        names = data.get("branches")
        branches = ", ".join(plain(name, length=64) for name in names) if isinstance(names, list | tuple) else "all"
        return Text(f"{plain(data.get('attack', ''), length=60)} ended on {branches}")
    return None


def _verified(data: Mapping[str, Any]) -> str:
    parts = [plain(data.get("word", "verified"), length=20)]
    suites = data.get("suites")
    own = suites.get("own") if isinstance(suites, Mapping) else None
    if isinstance(own, Mapping):
        parts += [f"{own[key]} {key}" for key in ("tests", "failed", "skipped") if own.get(key)]
    coverage = data.get("coverage")
    if isinstance(coverage, int | float):
        parts.append(f"coverage {percent(coverage)}")
    return ", ".join(part for part in parts if part)
