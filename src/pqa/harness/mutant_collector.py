"""Mutant collector: a process that has collected the suite and runs none of it itself: every run is in a fork of its own.

It surveys the unchanged code, and then judges batches of mutants by exchanging the code of live functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Optional

import hollow_bodies
import mutant_anew
import mutant_lines
import mutant_pieces
import mutant_state
import mutant_survey
from mutant_batch import AnewBatch, Batch, Stop
from mutant_bodies import Bodies
from mutant_fork import Child, used
from mutant_runner import PASSED, Runner

LEAST_CPU, LEAST_WALL, SLOWER = 0.3, 3.0, 10.0
MOST_WALL = 60.0
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
        self.rank: dict[str, int] = {}
        self.most_cpu: dict[str, float] = {}
        self.left_out = False
        self.dependent: set[str] = set()
        self.remembers = False
        self.alone: dict[str, bool] = {}
        self.killers: dict[str, int] = {}
        self.dirty = 0
        self.runs_anew: dict[str, bool] = {}
        self.in_pieces: dict[str, mutant_pieces.Pieces] = {}
        self.lines = mutant_lines.Lines(names)

    def open(self, pytest: Any, session: Any, green: Sequence[str], late: Sequence[str]) -> None:
        """After collection: the tests that count, and the live functions."""
        self.lines.stop()
        self.imported = {file: set(lines) for file, lines in self.lines.take().items()}
        self.pytest, self.runner = pytest, Runner(pytest, session)
        session.config.pluginmanager.register(_Reports(self.runner))
        wanted = set(green)
        self.items = {item.nodeid: item for item in session.items if item.nodeid in wanted}
        hollow_bodies.load(list(late))
        self.bodies = Bodies(self.names)
        functions = [function for found in self.bodies.by_place.values() for function in found]
        self.state = mutant_state.State(self.folder, functions)
        self.untouched = self.state.look()
        self.anew = mutant_anew.Anew(self.bodies, self.names)

    def survey(self) -> dict[str, Any]:
        """The unchanged code and all controls; "trouble" says why no verdict may be had."""
        told = mutant_survey.Survey(self).run()
        order = sorted(
            self.items, key=lambda name: (name in self.insensitive or name in self.dependent, self.cost(name))
        )
        self.rank = {name: at for at, name in enumerate(order)}
        self.most_cpu = {name: LEAST_CPU + SLOWER * cpu for name, (cpu, _) in self.times.items()}
        return told

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

    def tests_of(self, source: Any, mutant: Any) -> list[str]:
        """The tests that run a mutant's statement, the promising ones first."""
        first, last = mutant.lines
        lines = range(first, last + 1)
        names = dict.fromkeys(name for line in lines for name in self.covering.get((source.file, line), ()))
        return self.promising({name: True for name in names if name in self.items})

    def promising(self, names: Mapping[str, Any]) -> list[str]:
        """Tests in their order: those that killed before, by what a kill of theirs costs, then the others, the quickest first."""
        killers = {
            name: kills for name, kills in self.killers.items() if name in names and name not in self.insensitive
        }
        first = sorted(killers, key=lambda name: self.cost(name) / killers[name])
        rest = sorted((name for name in names if name not in killers), key=self.rank.__getitem__)
        return [*first, *rest]

    def cost(self, name: str) -> float:
        """What a run of a test costs."""
        cpu, wall = self.times[name]
        return cpu + wall / 4

    def is_imported(self, source: Any, mutant: Any) -> bool:
        """Whether a mutant's statement runs while the code is imported or the tests are collected."""
        first, last = mutant.lines
        return not self.imported.get(source.file, set()).isdisjoint(range(first, last + 1))

    def limits(self, tests: Sequence[str]) -> tuple[dict[str, float], float]:
        """How much processor time each test may use on a mutant, and how long all may take."""
        wall = LEAST_WALL + SLOWER * sum(self.times[name][1] for name in tests)
        return self.most_cpu, min(MOST_WALL, wall)

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
        if source.file not in self.runs_anew:
            self.pieces(source)
            self.anew.module(source.path)
            told = self.in_fork(lambda say: say({"may": mutant_anew.may_run(self, source)}))[0]
            self.runs_anew[source.file] = told.get("may") is True
        return self.runs_anew[source.file]

    def pieces(self, source: Any) -> mutant_pieces.Pieces:
        """A file in pieces; compiled once, before the forks that use them."""
        if source.file not in self.in_pieces:
            self.in_pieces[source.file] = mutant_pieces.Pieces(source, self.counter)
        return self.in_pieces[source.file]

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
            if one.get("killer") and not self.may_kill(one["killer"]):
                one["status"] = "fresh"
            elif one.get("killer"):
                self.killers[one["killer"]] = self.killers.get(one["killer"], 0) + 1
        return list(told.values()), [number for number in numbers if number not in told]

    def may_kill(self, name: str) -> bool:
        """Whether a test that failed is green on the unchanged code without the tests before it; else that may be why."""
        if name in self.dependent:
            return False
        if not self.remembers and not self.dirty:
            return True
        if name not in self.alone:
            told = self.in_fork(lambda say: say({"green": self.runner.run(self.items[name], None) == PASSED}))[0]
            self.alone[name] = told.get("green") is True
        return self.alone[name]


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
