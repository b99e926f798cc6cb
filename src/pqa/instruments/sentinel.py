"""Sentinel: a pair of tests beside the branch's own, of which one must pass and one must fail, or the runner is altered."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath

from pqa.core.trigger import Json

WORDS = (
    "order",
    "limits",
    "parsing",
    "values",
    "names",
    "edges",
    "format",
    "state",
    "errors",
    "totals",
    "input",
    "round",
)
SOURCE = """import unittest


class {group}(unittest.TestCase):
    def {good}(self):
        self.assertEqual(len({word!r}), {length})

    def {bad}(self):
        self.assertEqual(len({word!r}), {length} + 1)
"""


@dataclass(frozen=True, slots=True)
class Sentinel:
    """One pair; its names are drawn anew for every run, so that no conftest can spare it by name."""

    folder: str
    name: str
    group: str
    good: str
    bad: str
    word: str

    @property
    def node_ids(self) -> tuple[str, str]:
        """The ids of the test that must pass and of the one that must fail."""
        path = str(PurePosixPath(self.folder) / self.name)
        return f"{path}::{self.group}::{self.good}", f"{path}::{self.group}::{self.bad}"

    def job(self) -> dict[str, Json]:
        """What the harness writes, and where."""
        source = SOURCE.format(group=self.group, good=self.good, bad=self.bad, word=self.word, length=len(self.word))
        return {"folder": self.folder, "name": self.name, "source": source}

    def complaint(self, outcomes: Mapping[str, str]) -> str:
        """Why the outcomes of the pair show an altered runner; "" when they are right."""
        good, bad = self.node_ids
        if outcomes.get(bad) != "failed":
            return f"the runner is altered: a test that must fail was reported as '{outcomes.get(bad, 'absent')}'"
        if outcomes.get(good) != "passed":
            return f"the runner is altered: a test that must pass was reported as '{outcomes.get(good, 'absent')}'"
        return ""


def draw_sentinel(first_test: str) -> Sentinel:
    """A pair to stand in the folder of `first_test`."""
    words = secrets.SystemRandom().sample(WORDS, 5)
    folder = str(PurePosixPath(first_test.split("::", maxsplit=1)[0]).parent)
    return Sentinel(
        folder="" if folder == "." else folder,
        name=f"test_{words[0]}_{words[1]}_{secrets.token_hex(2)}.py",
        group=f"Test{words[2].title()}{words[3].title()}",
        good=f"test_{words[2]}_{secrets.token_hex(1)}",
        bad=f"test_{words[3]}_{secrets.token_hex(1)}",
        word=words[4] * secrets.SystemRandom().randint(1, 4),
    )
