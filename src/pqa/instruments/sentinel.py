"""Sentinel: a pair of tests beside the branch's own, of which one must pass and one must fail, or the runner is altered."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
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
PLAIN = """def {good}():
    assert len({word!r}) == {length}


def {bad}():
    assert len({word!r}) == {length} + 1
"""
"""Where a fixture of the suite cannot be given to unittest's cases."""


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
        group = f"{path}::{self.group}" if self.group else path
        return f"{group}::{self.good}", f"{group}::{self.bad}"

    def owns(self, node_id: str) -> bool:
        """Whether a test is one of the pair, with whatever parameters the suite's fixtures gave it."""
        return node_id.partition("[")[0] in self.node_ids

    def outcomes(self, reported: Iterable[tuple[str, str]]) -> tuple[str, str]:
        """What became of the one that must pass and of the one that must fail."""
        found: dict[str, set[str]] = {name: set() for name in self.node_ids}
        for node_id, outcome in reported:
            if self.owns(node_id):
                found[node_id.partition("[")[0]].add(outcome)
        ran = [each - {"skipped"} or each for each in found.values()]  # a parameter may be skipped, as for all tests
        words = ["absent" if not each else "mixed" if len(each) > 1 else each.pop() for each in ran]
        return words[0], words[1]

    def stumbled(self, records: Iterable[Mapping[str, Json]]) -> bool:
        """Whether both could not even begin, as when an automatic fixture cannot be given to unittest's cases."""
        told = [
            (str(record["test"]), str(record["outcome"])) for record in records if {"test", "outcome"} <= set(record)
        ]
        return bool(self.group) and self.outcomes(told) == ("error", "error")

    def job(self) -> dict[str, Json]:
        """What the harness writes, and where."""
        text = SOURCE if self.group else PLAIN
        source = text.format(group=self.group, good=self.good, bad=self.bad, word=self.word, length=len(self.word))
        return {"folder": self.folder, "name": self.name, "source": source}

    def complaint(self, reported: Iterable[tuple[str, str]]) -> str:
        """Why the outcomes of the pair show an altered runner; "" when they are right."""
        good, bad = self.outcomes(reported)
        if bad != "failed":
            return f"the runner is altered: a test that must fail was reported as '{bad}'"
        if good != "passed":
            return f"the runner is altered: a test that must pass was reported as '{good}'"
        return ""


def draw_sentinel(first_test: str, *, plain: bool = False) -> Sentinel:
    """A pair to stand in the folder of `first_test`: a unittest case, or `plain` functions."""
    words = secrets.SystemRandom().sample(WORDS, 5)
    folder = str(PurePosixPath(first_test.split("::", maxsplit=1)[0]).parent)
    return Sentinel(
        folder="" if folder == "." else folder,
        name=f"test_{words[0]}_{words[1]}_{secrets.token_hex(2)}.py",
        group="" if plain else f"Test{words[2].title()}{words[3].title()}",
        good=f"test_{words[2]}_{secrets.token_hex(1)}",
        bad=f"test_{words[3]}_{secrets.token_hex(1)}",
        word=words[4] * secrets.SystemRandom().randint(1, 4),
    )
