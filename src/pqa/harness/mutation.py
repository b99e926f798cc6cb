"""Mutation: would the suite notice small changes of the code? A conversation: survey, judge batches, verify afresh.

job: as for `mutant_session`, and {"only": [files] or null}. Messages and answers: {"list": from} a page of mutants
{"mutants", "more"}; {"survey": true} controls and times, or {"trouble"}; {"measure": [ids]} {"results"}; {"verify": id}
and {"fresh": id} one or two runs in fresh processes; {"same": id} whether the compiler makes it the original's code;
{"source": id} the changed file.
The process itself never imports the tree: it parses, and forks.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Mapping
from typing import Any, Optional

import mutant_code
import mutant_collector
import mutant_session
import mutants
import naming
from mutant_fork import Child, used
from mutant_fresh import SPAWNED, Fresh

PAGE = 400
ANSWER_WALL = 1800.0


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """Answer until the host hangs up."""
    server = Server(job, context)
    while True:
        message = context.listen()
        if message is None:
            return
        cpu = used()
        answer = server.answer(message)
        emit({**answer, "cpu": used() - cpu + answer.get("cpu", 0.0)})


class Server:
    """What the conversation needs to remember."""

    def __init__(self, job: Mapping[str, Any], context: Any) -> None:
        self.job, self.context = job, context
        self.counter = mutant_code.Counter()
        self.sources = [made for name in job["code"] if (made := parsed(context.source, name)) is not None]
        self.mutants = [(source, mutant) for source in self.sources for mutant in source.mutants]
        self.fresh = Fresh(job, context, self.counter)
        self.worker: Optional[Worker] = None
        self.spawned = False

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """One answer."""
        if "list" in message:
            return self.page(int(message["list"]))
        if "survey" in message:
            return self.survey()
        if "baseline" in message:
            return {"trouble": self.baseline()[1]}
        if "measure" in message:
            return self.measure(message["measure"])
        if "source" in message:
            return {"source": self.text(int(message["source"]))}
        if "same" in message:
            return {"same": self.same(message["same"])}
        number = int(message.get("verify", message.get("fresh", -1)))
        return self.verify(number, 2 if "verify" in message else 1)

    def page(self, start: int) -> dict[str, Any]:
        """Some of the mutants as plain data."""
        chosen = list(enumerate(self.mutants))[start : start + PAGE]
        records = [source.record(mutant, number) for number, (source, mutant) in chosen]
        return {"mutants": records, "more": start + PAGE < len(self.mutants)}

    def baseline(self) -> tuple[dict[str, Any], str]:
        """The whole suite afresh on the unchanged code, given as changed code is; and why it counts for nothing."""
        self.fresh.clean = {}
        codes = {
            source.path: (lambda source=source: mutant_code.whole(source, None, self.counter))
            for source in self.sources
        }
        run = self.fresh.run(codes, stop=False)
        if "ended" in run:
            return run, f"the suite did not end by itself ({run['ended']})"
        if run["exit"] == -1:
            return run, "mutation needs pytest: install pytest in the interpreter that runs the branch"
        if run["exit"] != 0 or "passed" not in run["outcomes"].values():
            red = [test for test, word in run["outcomes"].items() if word in ("failed", "error")]
            told = run["errors"] or red or [f"pytest ended with exit status {run['exit']}"]
            more = f" (and {len(told) - 1} more)" if len(told) > 1 else ""
            return run, f"the suite is not green on the unchanged code: {told[0]}{more}"
        self.fresh.clean, self.fresh.cpu, self.fresh.wall = run["outcomes"], run["cpu"], run["took"]
        return run, ""

    def survey(self) -> dict[str, Any]:
        """All that must hold before any verdict counts."""
        run, trouble = self.baseline()
        if trouble:
            return {"trouble": trouble}
        self.spawned = run["spawned"]
        green = [test for test, word in run["outcomes"].items() if word == "passed"]
        self.worker = Worker(self, green, run["late"])
        told = self.worker.ask({"survey": True})
        if "ended" in told:
            return {"trouble": f"the tests were not reached: {told['ended']}"}
        return {**told, "suite_cpu": run["cpu"]}

    def measure(self, numbers: list[int]) -> dict[str, Any]:
        """Verdicts by exchanged code; those that only a fresh process can give are asked for one by one."""
        if self.worker is None:
            return {"results": [], "trouble": "there was no survey"}
        told = self.worker.ask({"measure": numbers})
        if "results" not in told:
            self.worker = None
            return {"results": [], "trouble": f"the tests' process ended by {told.get('ended')}"}
        if self.spawned:
            unseen = {"status": "not-measured", "why": SPAWNED}
            told["results"] = [{**one, **unseen} if one["status"] == "uncovered" else one for one in told["results"]]
        return {"results": told["results"], "cpu": told["cpu"]}

    def same(self, number: int) -> bool:
        """Whether the compiler makes the original's code of it."""
        source, mutant = self.mutants[number]
        left, right = mutant_code.plain(source, None), mutant_code.plain(source, mutant)
        return left is None or right is None or mutant_code.same(left, right)

    def text(self, number: int) -> str:
        """The whole mutated file as text that means the same, for whoever wants to run it elsewhere."""
        source, mutant = self.mutants[number]
        mutant.put(mutant.new)
        try:
            return ast.unparse(source.tree)
        finally:
            mutant.put(mutant.old)

    def verify(self, number: int, times: int) -> dict[str, Any]:
        """Runs of the whole suite, each in a process that has imported nothing; all must agree."""
        if not self.fresh.clean:
            return {"id": number, "status": "not-measured", "why": "the unchanged code was not measured"}
        source, mutant = self.mutants[number]
        if mutant_code.plain(source, mutant) is None:
            return {"id": number, "status": "invalid"}
        codes = {source.path: lambda: mutant_code.whole(source, mutant, self.counter)}
        told = {"id": number, "status": "not-measured"}
        for _ in range(times):
            status, word = self.fresh.verdict(self.fresh.run(codes), counted=mutant_code.has_count(mutant))
            told = {"id": number, "status": status, "why": word}
            if status == "killed":
                told["killer"] = word
            if told["status"] != "survived":
                break
        return told


def parsed(folder: str, name: str) -> Optional[mutants.Source]:
    """A code file with its mutants; None where it cannot be read in this interpreter."""
    path = os.path.realpath(os.path.join(folder, name))
    try:
        with open(path, "rb") as content:
            return mutants.Source(name, path, content.read())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None


class Worker:
    """The collector's process and the two pipes to it."""

    def __init__(self, server: Server, green: list[str], late: list[str]) -> None:
        asking, self.question = os.pipe()
        names = naming.Naming(server.context.source, server.job["code"])
        collector = mutant_collector.Collector(server.sources, names, server.counter, server.context.source)

        def work(say: Any) -> None:
            os.close(self.question)
            stream = os.fdopen(asking, "rb", buffering=0)

            def ask() -> Any:
                text = stream.readline()
                return json.loads(text) if text else None

            def loop(pytest: Any, session: Any) -> bool:
                collector.open(pytest, session, green, late)
                mutant_collector.serve(collector, ask, say)
                return True

            collector.lines.start()
            mutant_session.open_session(server.job, server.context, loop, lambda _: [])

        self.child = Child(work, ANSWER_WALL)
        os.close(asking)
        self.lines = self.child.lines()

    def ask(self, question: Mapping[str, Any]) -> dict[str, Any]:
        """The answer, or {"ended"}."""
        try:
            os.write(self.question, json.dumps(question).encode() + b"\n")
            answer: dict[str, Any] = next(self.lines)
        except (StopIteration, OSError):
            return {"ended": self.child.ended}
        return answer
