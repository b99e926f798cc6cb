"""Outside: the adversaries that a run names: picked, briefed and started together; their findings go through the gate."""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from pqa.adversaries.command import CommandAdversary, CommandLine, read_command
from pqa.adversaries.scripted import read_script
from pqa.config import CollideRequest
from pqa.core.adversary import AdversaryAnswer
from pqa.core.branch import Branch
from pqa.core.errors import UsageError
from pqa.core.finding import Finding
from pqa.core.job import Guest, Interpreter, Limits, Mount
from pqa.core.ports import Adversary, Sandbox
from pqa.core.trigger import Json
from pqa.core.verdict import AttackRun, Collision
from pqa.instruments.submission import SubmissionError, read_submission
from pqa.ledger.store import SqliteLedger
from pqa.stages.admit import ATTACK
from pqa.stages.brief import Context, make_briefs
from pqa.stages.dispatch import dispatch
from pqa.wiring.gate import Gate, take_in
from pqa.wiring.run_folder import HOME

BRANCH_PATH = "/branch"
STAGE = "adversaries"
KINDS = "'command:PROGRAM ARGS' or 'scripted:FILE'"


class Outside:
    """Reads what `--adversary` named; nothing of a branch has run when a bad name is refused."""

    def __init__(self, request: CollideRequest, sandbox: Sandbox, interpreter: Interpreter) -> None:
        self._request, self._sandbox, self._interpreter = request, sandbox, interpreter
        self._commands: dict[str, CommandLine] = {}
        self._scripts: dict[str, Adversary] = {}
        for text in request.adversaries:
            self._read(text)

    def _read(self, text: str) -> None:
        kind, colon, rest = text.partition(":")
        project = self._request.project
        if kind == "command" and colon:
            command = read_command(rest, project=project, environ=os.environ)
            self._commands[self._name(Path(command.argv[0]).name)] = command
        elif kind == "scripted" and colon:
            name = self._name(Path(rest).name)
            self._scripts[name] = read_script(name, project / rest)
        else:
            raise UsageError(f"--adversary '{text}' is of no known kind", f"expected {KINDS}")

    def _name(self, plain: str) -> str:
        taken = {*self._commands, *self._scripts}
        return next(name for name in (plain, *(f"{plain}-{number}" for number in range(2, 99))) if name not in taken)

    def attack(self, collision: Collision, gate: Gate) -> Collision:
        """The run with what the adversaries found; one that could not run is never counted as clean."""
        alive = [name for name, verdict in collision.verdicts.items() if verdict.alive]
        if not (self._commands or self._scripts) or not alive or self._request.until != "choose":
            return collision
        began = time.monotonic()
        answers = self._answers(collision, gate)
        claims, runs = _read_answers(answers, collision)
        judged = take_in(_with_runs(collision, runs), claims, gate).collision
        seconds = round(time.monotonic() - began, 3)
        total = float(judged.timing.get("total", 0.0)) + seconds
        return replace(judged, timing={**judged.timing, STAGE: seconds, "total": round(total, 3)})

    def _answers(self, collision: Collision, gate: Gate) -> list[AdversaryAnswer]:
        with tempfile.TemporaryDirectory(prefix="pqa-adversary-") as empty:
            adversaries: list[Adversary] = [*self._scripts.values(), *self._command_adversaries(gate, empty)]
            briefs = self._briefs(collision, gate, [adversary.name for adversary in adversaries])
            return dispatch(adversaries, briefs, gate.bench.emit)

    def _command_adversaries(self, gate: Gate, empty: str) -> list[CommandAdversary]:
        def guest(branch_id: str, mounts: tuple[Mount, ...], limits: Limits) -> Guest:
            branch = Mount(gate.branches[branch_id].snapshot, BRANCH_PATH)
            return Guest(empty, self._interpreter, mounts=(*mounts, branch), limits=limits)

        request = self._request
        return [
            CommandAdversary(
                name,
                command,
                self._sandbox,
                guest,
                seconds=request.adversary_seconds,
                network=request.adversary_network,
            )
            for name, command in self._commands.items()
        ]

    def _briefs(
        self, collision: Collision, gate: Gate, names: Sequence[str]
    ) -> dict[str, Sequence[Mapping[str, Json]]]:
        with SqliteLedger(self._request.project / HOME / "ledger.db") as ledger:
            rates = ledger.calibration_rates()
        mounted = self._sandbox.tier == "full"
        paths = {name: BRANCH_PATH if mounted else branch.snapshot for name, branch in gate.branches.items()}
        sources = {name: sources_of(branch) for name, branch in gate.branches.items()}
        contexts = {name: Context(name, rates, tuple(gate.properties), paths) for name in names}
        return {name: make_briefs(collision, context, sources) for name, context in contexts.items()}


def sources_of(branch: Branch) -> dict[str, str]:
    """The text of the branch's code and tests, from pqa's own copy."""
    root = Path(branch.snapshot)
    return {name: (root / name).read_text("utf-8", "replace") for name in (*branch.code, *branch.tests)}


def _read_answers(
    answers: Sequence[AdversaryAnswer], collision: Collision
) -> tuple[dict[str, list[Finding]], dict[str, list[AttackRun]]]:
    """The well-formed claims by adversary, and what became of each adversary on each branch."""
    states = {name: "alive" if verdict.alive else "dead" for name, verdict in collision.verdicts.items()}
    claims: dict[str, list[Finding]] = {}
    runs: dict[str, list[AttackRun]] = {}
    for answer in answers:
        trouble = answer.trouble
        found = claims.setdefault(answer.adversary, [])
        if not trouble:
            try:
                found += read_submission(answer.text, states, only=answer.branch_id)
            except SubmissionError as error:
                trouble = error.message
        status = "could-not-run" if trouble else "ran"
        run = AttackRun(f"{ATTACK}{answer.adversary}", "", status, trouble[:2000])
        runs.setdefault(answer.branch_id, []).append(run)
    return claims, runs


def _with_runs(collision: Collision, runs: Mapping[str, Sequence[AttackRun]]) -> Collision:
    attacked = {name: (*collision.attacked.get(name, ()), *more) for name, more in runs.items()}
    verdicts = {
        name: replace(verdict, attacked=attacked[name]) if name in attacked else verdict
        for name, verdict in collision.verdicts.items()
    }
    return replace(collision, attacked={**collision.attacked, **attacked}, verdicts=verdicts)
