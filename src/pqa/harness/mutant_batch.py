"""Mutant batch: several mutants, one after another in one fork; where one may have left something, each gets its own fork.

Tests stop at the first that fails. At the end the tests that killed are run once more on the unchanged code, and what the
tree's modules hold is looked at: where either differs, only the first mutant of the fork keeps its verdict.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import mutant_anew
import mutant_code
from mutant_bodies import restore
from mutant_fork import limit_cpu, used_here
from mutant_runner import FAILED, PASSED

SILENT_END = 5.0


class Stop:
    """Why a fork ended without a verdict, in words."""

    @staticmethod
    def words(ended: Any) -> str:
        """A reason for a person."""
        if ended == "signal 27":
            return "a test used far more processor time than on the unchanged code"
        if ended == "silent":
            return "a test took far longer than on the unchanged code"
        return f"the process of the tests ended by {ended}"


class Batch:
    """The mutants of one fork, by number."""

    def __init__(self, collector: Any, numbers: Sequence[int]) -> None:
        self.collector, self.numbers = collector, numbers
        self.killers: set[str] = set()
        self.own = 0.0

    def run(self, say: Any) -> None:
        """In the fork."""
        collector = self.collector
        unsaid: list[Any] = []
        for number in self.numbers:
            source, mutant = collector.mutants[number]
            tests = self.tests_of(source, mutant)
            cpu, wall = collector.limits(tests)
            say(*unsaid, {"begin": number, "wall": wall})
            self.own = 0.0
            told = self.judge(source, mutant, tests, cpu)
            told["own"] = round(self.own, 6)
            whole = collector.runner.unwind()
            unsaid = [{"id": number, **told, "wall": SILENT_END + wall}]
            if not whole:
                say(*unsaid, {"dirty": True})
                return
        say(*unsaid)
        if len(self.numbers) > 1:
            say({"dirty": collector.state.look() != collector.untouched or self.has_doubts(say)})

    def tests_of(self, source: Any, mutant: Any) -> list[str]:
        """The tests that could notice."""
        found: list[str] = self.collector.tests_of(source, mutant)
        return found

    def judge(self, source: Any, mutant: Any, tests: Sequence[str], cpu: Any) -> dict[str, Any]:
        """One mutant."""
        collector = self.collector
        code = mutant_code.part(source, mutant.root, mutant, collector.counter)
        if code is None:
            return {"status": "invalid"}
        swap = collector.bodies.swap(source.file, mutant.root, code)
        if swap is None:
            return {"status": "fresh"}
        collector.counter.taken()
        try:
            told = self.through(tests, cpu)
            reached = collector.counter.taken() or not mutant_code.has_count(mutant)
            return told if told["status"] != "survived" or reached else {**told, "status": "fresh"}
        finally:
            restore(swap)

    def through(self, tests: Sequence[str], cpu: Any) -> dict[str, Any]:
        """The tests up to the first that fails, with the time that they took."""
        began = used_here()
        try:
            return self.first_failure(tests, cpu)
        finally:
            limit_cpu(0)
            self.own = used_here() - began

    def first_failure(self, tests: Sequence[str], cpu: Any) -> dict[str, Any]:
        """The tests up to the first that fails; one that is skipped leaves the verdict to a fresh process."""
        collector, ran, status = self.collector, 0, "survived"
        items = [collector.items[name] for name in tests]
        for name, item, following in zip(tests, items, [*items[1:], None]):
            ran += 1
            outcome = collector.runner.run(item, following, cpu[name])
            if outcome == FAILED:
                self.killers.add(name)
                collector.killers[name] = collector.killers.get(name, 0) + 1
                return {"status": "killed", "killer": name, "ran": ran}
            if outcome != PASSED:
                status = "fresh"
        return {"status": status, "ran": ran}

    def has_doubts(self, say: Any) -> bool:
        """Whether a test that killed is red on the unchanged code now."""
        collector = self.collector
        for name in sorted(self.killers):
            cpu, wall = collector.limits([name])
            say({"wall": SILENT_END + wall})
            outcome = collector.runner.run(collector.items[name], None, cpu[name])
            limit_cpu(0)
            if outcome != PASSED:
                return True
        return False


class AnewBatch(Batch):
    """Mutants of code that runs at import: the module is run again for each, and only a kill is a verdict."""

    def tests_of(self, source: Any, mutant: Any) -> list[str]:
        """Nobody knows which, so all; those that killed most first."""
        return list(self.collector.promising(self.collector.items))

    def judge(self, source: Any, mutant: Any, tests: Sequence[str], cpu: Any) -> dict[str, Any]:
        """One mutant; a module that cannot be imported any more fails every test."""
        collector = self.collector
        undo: mutant_anew.Undo = []
        try:
            pieces = collector.pieces(source).changed(mutant)
        except (SyntaxError, ValueError, TypeError, RecursionError):
            return {"status": "invalid"}
        try:
            if not collector.anew.run(source, pieces, undo):
                return {"status": "killed", "killer": "", "ran": 0}
            told = self.through(tests, cpu)
            return told if told["status"] == "killed" else {**told, "status": "fresh"}
        finally:
            mutant_anew.undone(undo)
