"""Task: what was asked. Brief: one adversary's orders, plain data that any engine can send."""

from __future__ import annotations

from dataclasses import dataclass

from pqa.core.branch import Branch


@dataclass(frozen=True, slots=True)
class Task:
    """The text of `.pqa/task.md` without its front matter; `mode` is "build" or "decide"."""

    text: str = ""
    mode: str = "build"
    base: str | None = None
    path: str | None = None

    @property
    def title(self) -> str:
        """The first line that says something, without Markdown marks."""
        for line in self.text.splitlines():
            if line.strip(" #\t"):
                return line.strip(" #\t")
        return ""


@dataclass(frozen=True, slots=True)
class Brief:
    """Orders for one attack: on one branch (`branches` has one entry) or on the set.

    `trials` is the seeded, fixed amount of work; `wall_seconds` a stop that is reported as `stopped_early`.
    """

    attack: str
    branches: tuple[Branch, ...]
    task: Task
    trials: int
    wall_seconds: float
    seed: int
