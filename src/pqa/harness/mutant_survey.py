"""Mutant survey: the unchanged code through the runner, the lines that each test runs, and the controls of every verdict.

All tests that count are green, called or by hooks; a change that changes nothing stays green and its code runs; each kind of
test fails when the code that it runs raises.
"""

from __future__ import annotations

import ast
from typing import Any

import mutant_code
import mutant_direct
from mutant_bodies import restore
from mutant_runner import PASSED

RAISES = "__import__('builtins').exec('raise GeneratorExit')"


class Survey:
    """Fills in what a collector knows of its tests."""

    def __init__(self, collector: Any) -> None:
        self.collector = collector

    def run(self) -> dict[str, Any]:
        """What was found, or "trouble"."""
        told: dict[str, Any] = {}
        for step in (self.measure, self.cover, self.control):
            told.update(step())
            if "trouble" in told:
                break
        return told

    def measure(self) -> dict[str, Any]:
        """The tests that are green through the runner, and their times."""
        collector = self.collector
        clean, ended = collector.in_fork(self.clean)
        if ended != 0:
            return {"trouble": f"the tests do not end when they are run through the runner ({ended})"}
        red = [name for name in collector.items if clean.get(name, ("missing",))[0] != PASSED]
        for name in red:
            del collector.items[name]
        collector.left_out = bool(red)
        if not collector.items:
            return {"trouble": f"no test is green through the runner: {list(clean.items())[:2]}"}
        collector.times = {name: (clean[name][1], clean[name][2]) for name in collector.items}
        self.find_direct()
        self.find_dependent()
        own = sum(cpu for cpu, _ in collector.times.values())
        called = len(collector.runner.direct)
        return {"tests": len(collector.items), "called": called, "left_out": red, "own_cpu": own}

    def cover(self) -> dict[str, Any]:
        """Which tests run which line."""
        collector = self.collector
        watched, ended = collector.in_fork(self.watched)
        if ended != 0:
            return {"trouble": f"the tests do not end while their lines are watched ({ended})"}
        for name, lines in watched.items():
            for file, numbers in lines.items():
                for line in numbers:
                    collector.covering.setdefault((file, line), []).append(name)
        return {}

    def control(self) -> dict[str, Any]:
        """The two controls on changed code."""
        collector = self.collector
        same = collector.in_fork(self.unchanged)[0]
        if not same.get("ran") or same.get("red"):
            return {"trouble": f"a change that changes nothing fails {len(same.get('red', ()))} tests: {same}"[:300]}
        raised = collector.in_fork(self.raising)[0]
        blind = [name for name, seen in raised.items() if not seen]
        seeing = {type(collector.items[name]).__name__ for name, seen in raised.items() if seen}
        kinds = {type(collector.items[name]).__name__ for name in raised}
        collector.insensitive = set(blind)
        if kinds - seeing:
            return {"trouble": f"the runner sees no failure of tests of the kind {', '.join(sorted(kinds - seeing))}"}
        return {"blind": sorted(blind), "noted": same["noted"], "raised": len(raised)}

    def clean(self, say: Any) -> None:
        """Outcome and times of each test on the unchanged code."""
        for name, item, following in self.collector.each_item():
            say({name: self.collector.runner.timed(item, following)})

    def find_direct(self) -> None:
        """Which tests are nothing but a call: only those that are green so too, in a process that calls them all."""
        collector, runner = self.collector, self.collector.runner
        found = {name: mutant_direct.call_of(collector.pytest, item) for name, item in collector.items.items()}
        runner.direct = {name: call for name, call in found.items() if call is not None}
        told, ended = collector.in_fork(self.clean) if runner.direct else ({}, 0)
        green = {name for name in runner.direct if ended == 0 and told.get(name, ("missing",))[0] == PASSED}
        if any(told[name][0] != PASSED for name in collector.items if name not in runner.direct and name in told):
            green = set()
        runner.direct = {name: call for name, call in runner.direct.items() if name in green}
        collector.times.update({name: (told[name][1], told[name][2]) for name in green})

    def find_dependent(self) -> None:
        """Which tests are red when all run the other way round, and whether something is left behind where they do not."""
        collector = self.collector
        told, ended = collector.in_fork(self.backwards)
        collector.remembers = told.pop("", None) is not True
        collector.dependent = {name for name in collector.items if ended != 0 or told.get(name) != PASSED}

    def backwards(self, say: Any) -> None:
        """Outcome of each test, the last first; under no name, whether the tree's modules hold what they held."""
        collector, items = self.collector, list(self.collector.items.items())[::-1]
        for (name, item), (_, following) in zip(items, [*items[1:], ("", None)]):
            say({name: collector.runner.run(item, following)})
        say({"": collector.runner.unwind() and collector.state.look() == collector.untouched})

    def watched(self, say: Any) -> None:
        """The lines that each test runs."""
        self.collector.lines.start()
        self.collector.lines.take()
        for name, item, following in self.collector.each_item():
            self.collector.runner.run(item, following)
            say({name: self.collector.lines.take()})
        self.collector.lines.stop()

    def roots(self) -> list[tuple[Any, Any]]:
        """All outermost functions that are alive."""
        pairs = [(source, root) for source in self.collector.sources for root in source.roots]
        return [(source, root) for source, root in pairs if self.collector.bodies.live(source.file, root)]

    def unchanged(self, say: Any) -> None:
        """Control: every live function gets code that does the same and counts its calls; all stays green."""
        noted = 0
        for source, root in self.roots():
            made = mutant_code.noted(source, root, self.collector.counter)
            noted += made is not None and self.collector.bodies.swap(source.file, root, made) is not None
        self.collector.counter.taken()
        red = [
            name
            for name, item, following in self.collector.each_item()
            if self.collector.runner.run(item, following) != PASSED
        ]
        say({"noted": noted, "red": red, "ran": self.collector.counter.taken() if self.collector.covering else 1})

    def raising(self, say: Any) -> None:
        """Control: each test that runs a function fails when one such function raises; true by test."""
        chosen: dict[str, tuple[Any, Any]] = {}
        for source, root in self.roots():
            lines = range(root.body[0].lineno, (root.end_lineno or root.lineno) + 1)
            for name in dict.fromkeys(
                test for line in lines for test in self.collector.covering.get((source.file, line), ())
            ):
                chosen.setdefault(name, (source, root))
        groups: dict[int, list[str]] = {}
        for name, (_, root) in chosen.items():
            groups.setdefault(id(root), []).append(name)
        raiser = ast.parse(RAISES).body[0]
        for tests in groups.values():
            source, root = chosen[tests[0]]
            made = mutant_code.noted(source, root, self.collector.counter, ast.fix_missing_locations(raiser))
            swap = self.collector.bodies.swap(source.file, root, made) if made is not None else None
            for name in tests if swap is not None else ():
                say({name: self.collector.runner.run(self.collector.items[name], None) != PASSED})
            restore(swap or [])
