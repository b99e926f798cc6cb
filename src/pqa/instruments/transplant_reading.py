"""Transplant reading: what a suite's outcomes on other branches say of its tests, and of those branches."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pqa.core.branch import Branch
from pqa.instruments.transplant import NAMES, PASSED, UNTOLD, VALUE, Cell


@dataclass(frozen=True, slots=True)
class Grafted:
    """One suite: who brings it, the tests that pass there, and its outcomes on each other branch and on the inert double.

    `keys` tells tests apart over suites: the same test in two suites counts once.
    """

    owners: tuple[str, ...]
    tests: tuple[str, ...]
    cells: Mapping[str, Cell]
    inert: Cell = field(default_factory=Cell)
    keys: Mapping[str, str] = field(default_factory=dict)

    def on(self, name: str, test: str) -> str:
        """What became of one test on one branch; "" where it was not run."""
        return self.cells[name].tests.get(test, "") if name in self.cells else ""

    def passed(self, name: str) -> int | None:
        """How many of its tests pass on a branch; None where it asks for names that the branch does not offer."""
        found = [self.on(name, test) for test in self.tests]
        return found.count(PASSED) if {PASSED, VALUE}.intersection(found) else None

    def nothing(self) -> tuple[str, ...]:
        """Tests that pass on every branch where they can be told, and on code without bodies."""
        found = self._judged({PASSED}, spared=(NAMES, UNTOLD))
        return tuple(test for test in found if self.inert.tests.get(test) == PASSED)

    def welded(self) -> tuple[str, ...]:
        """Tests that fail on every other branch for want of a name or a signature."""
        return self._judged({NAMES})

    def alone(self) -> tuple[str, ...]:
        """Tests that fail by value on every other branch, although the names are there."""
        return self._judged({VALUE})

    def _judged(self, words: set[str], spared: Sequence[str] = ()) -> tuple[str, ...]:
        """Tests that came out so wherever the suite can be read; none where a branch could not run it at all."""
        if any(cell.trouble for cell in self.cells.values()):
            return ()
        names = [name for name, cell in self.cells.items() if cell.tests]
        return tuple(test for test in self.tests if {self.on(name, test) for name in names}.difference(spared) == words)


def failures(grafted: Sequence[Grafted], families: Mapping[str, str]) -> dict[str, tuple[int, int]]:
    """By branch: how many tests of others it fails by value that pass on yet another branch's code, of how many told.

    A test that passes only where it was written may say what its author believes and nobody was asked; one that passes
    on code of somebody else as well asks for what the common interface offers. Copies of one code are one somebody.
    """
    bad: dict[str, set[str]] = {}
    told: dict[str, set[str]] = {}
    for suite in grafted:
        home = {families[name] for name in suite.owners}
        for test in suite.tests:
            key = suite.keys.get(test, f"{suite.owners[0]}:{test}")
            passing = {families[name] for name in suite.cells if suite.on(name, test) == PASSED} - home
            for name in suite.cells:
                outcome = suite.on(name, test)
                if outcome in (PASSED, VALUE) and passing - {families[name]}:
                    told.setdefault(name, set()).add(key)
                    if outcome == VALUE:
                        bad.setdefault(name, set()).add(key)
    return {name: (len(bad.get(name, ())), len(found)) for name, found in told.items()}


def code_families(branches: Iterable[Branch]) -> dict[str, str]:
    """A digest of each branch's code: branches with the same one are one author's word."""
    return {branch.branch_id: _digest(Path(branch.snapshot), branch.code) for branch in branches}


def test_keys(branch: Branch, tests: Iterable[str]) -> dict[str, str]:
    """Each test by its id and the content of its file."""
    files = {test.partition("::")[0] for test in tests}
    digests = {name: _digest(Path(branch.snapshot), (name,)) for name in files}
    return {test: f"{digests[test.partition('::')[0]]}:{test}" for test in tests}


def _digest(root: Path, names: Sequence[str]) -> str:
    digest = hashlib.sha256()
    for name in sorted(names):
        path = root / name
        content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
        digest.update(f"{name}\0{len(content)}\0".encode("utf-8", "replace") + content)
    return digest.hexdigest()
