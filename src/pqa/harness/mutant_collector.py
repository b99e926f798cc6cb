"""Mutant collector: a process that has collected the suite and runs none of it itself: every run is in a fork of its own.

It measures the unchanged code (which tests are green through the runner, which lines each of them runs), runs the controls,
and then judges batches of mutants by exchanging the code of live functions.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

import hollow_bodies
import mutant_anew
import mutant_code
import mutant_lines
import mutant_state
from mutant_batch import AnewBatch, Batch, Stop
from mutant_bodies import Bodies, restore
from mutant_fork import Child, used
from mutant_runner import PASSED, Runner

LEAST_CPU, LEAST_WALL, SLOWER = 0.3, 3.0, 10.0
MOST_WALL = 60.0
RAISES = "__import__('builtins').exec('raise GeneratorExit')"
MOST_DIRTY = 6
"""How often a batch may leave something behind before each mutant gets a fork of its own at once."""


class Collector:
    """`sources` are the parsed files with their mutants, made before the fork and so shared with every child."""

    def __init__(self, sources: Sequence[Any], names: Any, counter: Any, source: str) -> None:
        self.sources, self.names, self.counter, self.folder = sources, names, counter, source
        self.mutants = [(found, mutant) for found in sources for mutant in found.mutants]
        self.items: dict[str, Any] = {}
        self.times: dict[str, tuple[float, float]] = {}
        self.covering: dict[tuple[str, int], list[str]] = {}
        self.imported: dict[str, set[int]] = {}
        self.insensitive: set[str] = set()
        self.left_out = False
        self.killers: dict[str, int] = {}
        self.dirty = 0
        self.anew: dict[str, bool] = {}
        self.lines = mutant_lines.Lines(names)

    def open(self, pytest: Any, session: Any, green: Sequence[str], late: Sequence[str]) -> None:
        """After collection: the tests that count, and the live functions."""
        self.lines.stop()
        self.imported = {file: set(lines) for file, lines in self.lines.take().items()}
        self.runner = Runner(pytest, session)
        session.config.pluginmanager.register(_Reports(self.runner))
        wanted = set(green)
        self.items = {item.nodeid: item for item in session.items if item.nodeid in wanted}
        hollow_bodies.load(list(late))
        self.bodies = Bodies(self.names)
        functions = [function for found in self.bodies.by_place.values() for function in found]
        self.state = mutant_state.State(self.folder, functions)
        self.untouched = self.state.look()

    def survey(self) -> dict[str, Any]:
        """The unchanged code and all controls; "trouble" says why no verdict may be had."""
        clean, ended = self.in_fork(self.clean)
        if ended != 0:
            return {"trouble": f"the tests do not end when they are run through the runner ({ended})"}
        red = [name for name in self.items if clean.get(name, ("missing",))[0] != PASSED]
        for name in red:
            del self.items[name]
        self.left_out = bool(red)
        if not self.items:
            return {"trouble": f"no test is green through the runner: {list(clean.items())[:2]}"}
        self.times = {name: (clean[name][1], clean[name][2]) for name in self.items}
        watched, ended = self.in_fork(self.watched)
        if ended != 0:
            return {"trouble": f"the tests do not end while their lines are watched ({ended})"}
        for name, lines in watched.items():
            for file, numbers in lines.items():
                for line in numbers:
                    self.covering.setdefault((file, line), []).append(name)
        same = self.in_fork(self.unchanged)[0]
        if not same.get("ran") or same.get("red"):
            return {"trouble": f"a change that changes nothing fails {len(same.get('red', ()))} tests: {same}"[:300]}
        raised = self.in_fork(self.raising)[0]
        blind = [name for name, seen in raised.items() if not seen]
        seeing = {type(self.items[name]).__name__ for name, seen in raised.items() if seen}
        kinds = {type(self.items[name]).__name__ for name in raised}
        self.insensitive = set(blind)
        if kinds - seeing:
            return {"trouble": f"the runner sees no failure of tests of the kind {', '.join(sorted(kinds - seeing))}"}
        told = {"tests": len(self.items), "left_out": red, "blind": sorted(blind), "noted": same["noted"]}
        return {**told, "own_cpu": sum(cpu for cpu, _ in self.times.values()), "raised": len(raised)}

    def in_fork(self, work: Callable[[Callable[[Any], None]], None]) -> tuple[dict[str, Any], Any]:
        """Lines of one key each, joined; and how it ended, 0 where it went well."""
        child = Child(work, MOST_WALL)
        found: dict[str, Any] = {}
        for line in child.lines():
            found.update(line)
        return found, child.ended

    def each_item(self) -> list[tuple[str, Any, Optional[Any]]]:
        """Name, test, following test."""
        items = list(self.items.items())
        following = [item for _, item in items[1:]]
        return [(name, item, after) for (name, item), after in zip(items, [*following, None])]

    def clean(self, say: Any) -> None:
        """Outcome and times of each test on the unchanged code."""
        for name, item, following in self.each_item():
            say({name: self.runner.timed(item, following)})

    def watched(self, say: Any) -> None:
        """The lines that each test runs."""
        self.lines.start()
        self.lines.take()
        for name, item, following in self.each_item():
            self.runner.run(item, following)
            say({name: self.lines.take()})
        self.lines.stop()

    def roots(self) -> list[tuple[Any, Any]]:
        """All outermost functions that are alive."""
        pairs = [(source, root) for source in self.sources for root in source.roots]
        return [(source, root) for source, root in pairs if self.bodies.live(source.file, root)]

    def unchanged(self, say: Any) -> None:
        """Control: every live function gets code that does the same and counts its calls; all stays green."""
        noted = 0
        for source, root in self.roots():
            made = mutant_code.noted(source, root, self.counter)
            noted += made is not None and self.bodies.swap(source.file, root, made) is not None
        self.counter.taken()
        red = [name for name, item, following in self.each_item() if self.runner.run(item, following) != PASSED]
        say({"noted": noted, "red": red, "ran": self.counter.taken() if self.covering else 1})

    def raising(self, say: Any) -> None:
        """Control: each test that runs a function fails when one such function raises; true by test."""
        chosen: dict[str, tuple[Any, Any]] = {}
        for source, root in self.roots():
            lines = range(root.body[0].lineno, (root.end_lineno or root.lineno) + 1)
            for name in dict.fromkeys(test for line in lines for test in self.covering.get((source.file, line), ())):
                chosen.setdefault(name, (source, root))
        groups: dict[int, list[str]] = {}
        for name, (_, root) in chosen.items():
            groups.setdefault(id(root), []).append(name)
        raiser = ast.parse(RAISES).body[0]
        for tests in groups.values():
            source, root = chosen[tests[0]]
            made = mutant_code.noted(source, root, self.counter, ast.fix_missing_locations(raiser))
            swap = self.bodies.swap(source.file, root, made) if made is not None else None
            for name in tests if swap is not None else ():
                say({name: self.runner.run(self.items[name], None) != PASSED})
            restore(swap or [])

    def tests_of(self, source: Any, mutant: Any) -> list[str]:
        """The tests that run a mutant's statement, the promising ones first."""
        first, last = mutant.lines
        lines = range(first, last + 1)
        names = dict.fromkeys(name for line in lines for name in self.covering.get((source.file, line), ()))
        kept = [name for name in names if name in self.items]
        return sorted(kept, key=self.promise)

    def promise(self, name: str) -> tuple[bool, float]:
        """Sorts tests: those that killed before, by what a kill of theirs costs, then the others, the quickest first."""
        cpu, wall = self.times[name]
        kills = self.killers.get(name, 0)
        return not kills or name in self.insensitive, (cpu + wall / 4) / (kills or 1)

    def is_imported(self, source: Any, mutant: Any) -> bool:
        """Whether a mutant's statement runs while the code is imported or the tests are collected."""
        first, last = mutant.lines
        return not self.imported.get(source.file, set()).isdisjoint(range(first, last + 1))

    def limits(self, tests: Sequence[str]) -> tuple[dict[str, float], float]:
        """How much processor time each test may use on a mutant, and how long all may take."""
        cpu = {name: LEAST_CPU + SLOWER * self.times[name][0] for name in tests}
        wall = LEAST_WALL + SLOWER * sum(self.times[name][1] for name in tests)
        return cpu, min(MOST_WALL, wall)

    def measure(self, numbers: Sequence[int]) -> list[dict[str, Any]]:
        """A verdict for each mutant: killed, survived, uncovered, fresh (only a fresh process can tell), not-measured."""
        results: list[dict[str, Any]] = []
        covered: list[int] = []
        imported: list[int] = []
        for number in numbers:
            source, mutant = self.mutants[number]
            if mutant.root is not None and self.tests_of(source, mutant):
                covered.append(number)
            elif not self.is_imported(source, mutant) and not self.left_out:
                results.append({"id": number, "status": "uncovered"})
            elif self.may_run_anew(source):
                imported.append(number)
            else:
                results.append({"id": number, "status": "fresh", "imported": True})
        results += self.batches(Batch, covered)
        results += [{**one, "imported": True} for one in self.batches(AnewBatch, imported)]
        return results

    def may_run_anew(self, source: Any) -> bool:
        """The control of a module, once."""
        if source.file not in self.anew:
            told = self.in_fork(lambda say: say({"may": mutant_anew.may_run(self, source)}))[0]
            self.anew[source.file] = told.get("may") is True
        return self.anew[source.file]

    def batches(self, kind: type[Batch], waiting: list[int]) -> list[dict[str, Any]]:
        """Verdicts of as many forks as it takes."""
        results: list[dict[str, Any]] = []
        before, alone = self.dirty, False
        while waiting:
            size = 1 if alone or self.dirty > MOST_DIRTY else len(waiting)
            told, left = self.batch(kind, waiting[:size])
            results, waiting = results + told, [*left, *waiting[size:]]
            alone = alone or self.dirty > before
        return results

    def batch(self, kind: type[Batch], numbers: list[int]) -> tuple[list[dict[str, Any]], list[int]]:
        """Verdicts of one fork, and those that need another one."""
        child = Child(kind(self, numbers).run, LEAST_WALL)
        told: dict[int, dict[str, Any]] = {}
        begun, dirty = numbers[0], None
        for line in child.lines():
            begun = line.get("begin", begun)
            dirty = line.get("dirty", dirty)
            if "id" in line:
                told[line["id"]] = line
        if begun not in told:
            told[begun] = {"id": begun, "status": "not-measured", "why": Stop.words(child.ended)}
        if dirty is not False and len(numbers) > 1:
            self.dirty += dirty is True
            told = {at: one for at, one in told.items() if at == numbers[0] or one["status"] == "not-measured"}
        for one in told.values():
            if one.get("killer"):
                self.killers[one["killer"]] = self.killers.get(one["killer"], 0) + 1
        return list(told.values()), [number for number in numbers if number not in told]


class _Reports:
    """What parts of tests report by themselves, on its way to the runner."""

    def __init__(self, runner: Runner) -> None:
        self.runner = runner

    def pytest_runtest_logreport(self, report: Any) -> None:
        """A report."""
        self.runner.take(report)


def serve(collector: Collector, ask: Callable[[], Optional[Mapping[str, Any]]], say: Any) -> None:
    """Answer until there is no more question."""
    while True:
        question = ask()
        if question is None:
            return
        cpu = used() if "measure" in question else 0.0
        told = {"results": collector.measure(question["measure"])} if "measure" in question else collector.survey()
        say({**told, "cpu": used() - cpu})
