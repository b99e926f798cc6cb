"""Ask: a stored run while its questions are answered; each answer is replayed as soon as it is given, and kept at the end."""

from __future__ import annotations

import datetime
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from types import TracebackType

from pqa.collision import rescore
from pqa.config import AskRequest
from pqa.core.branch import Branch
from pqa.core.contract import Answer, Line
from pqa.core.finding import Finding, Question
from pqa.core.ports import Sink
from pqa.core.verdict import Collision
from pqa.instruments.answering import agreed, check_of, is_confirmed, strangers
from pqa.instruments.contract_file import add_answers, state_line
from pqa.instruments.observation import Observed, observe
from pqa.intake import take_trusted
from pqa.ledger.store import SqliteLedger
from pqa.reports.trigger_file import write_trigger_files
from pqa.stages import answer as stage
from pqa.stages.replay import kill_matrix, replay
from pqa.stages.second_reader import second_reading
from pqa.wiring.run_folder import CONTRACT_FILE, HOME, write_run
from pqa.wiring.workbench import Order, Workbench

CALL_SECONDS = 2.0
SECONDS = 30.0


class Asking:
    """The run as it stands after the answers so far; sandboxes are opened when the first answer needs one."""

    def __init__(self, request: AskRequest, sinks: Sequence[Sink] = ()) -> None:
        self.request = request
        self.collision = request.collision
        self.given: list[Answer] = []
        self.lines: list[Line] = []
        self._sinks = sinks
        self._bench: Workbench | None = None
        self._trusted: tuple[Branch, ...] = ()

    def __enter__(self) -> Asking:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bench is not None:
            self._bench.close()

    def open_questions(self) -> list[Question]:
        """What is still to be asked, in order."""
        return stage.open_questions(self.collision, costless=bool(self.request.answer_from))

    def say(self, given: Answer, strangers: Collection[str] = ()) -> None:
        """Take one answer: its claims are replayed on the branches that they accuse, and the run is scored anew.

        An answer to a question that the answers before it made needless changes nothing.
        """
        if given.question_id not in {one.question_id for one in self.collision.questions}:
            return
        answered = stage.answer(self.collision, given, strangers=strangers)
        proved, matrix = self._replayed(answered.claims)
        run = replace(answered.collision, kill_matrix={**self.collision.kill_matrix, **matrix})
        self.collision = rescore(stage.add(run, proved))
        self.given.append(given)

    def permit(self, question: Question, *, allowed: bool) -> None:
        """Answer a contract question: the relation is not required, or inputs that break it cannot happen. A question about
        what no test calls has no relation, and then only its own input is allowed."""
        if question.question_id not in {one.question_id for one in self.collision.questions}:
            return
        if question.relation:
            text = f"not {question.relation}" if allowed else question.relation
            self.lines.append(Line(question.function, text, source="person"))
        if allowed:
            self.collision = stage.permit(self.collision, question.question_id)
        else:
            self.say(stage.answer_of(question, "cannot-happen"))

    def second(self, question: Question, *, agrees: bool) -> None:
        """Answer as the second reader of a finding: whether what it observed contradicts the sentence that it quotes."""
        told = {"kind": "value", "value": agrees}
        asked = tuple(
            replace(one, answer=told) if one.question_id == question.question_id else one
            for one in self.collision.questions
        )
        run = replace(self.collision, questions=asked)
        self.collision = rescore(second_reading(run, str(question.witness["finding_id"]), agrees))

    def _replayed(self, claims: Sequence[Finding]) -> tuple[list[Finding], Mapping[str, Mapping[str, str]]]:
        alive = stage.living(self.collision)
        wanted = [one for one in claims if one.branch_id in alive]
        if not wanted:
            return [], {}
        bench = self._opened()
        proved = replay(wanted, bench.branches, bench.bench)
        live = [branch for name, branch in bench.branches.items() if name in alive]
        return proved, kill_matrix(proved, live, bench.bench)

    def _opened(self) -> Workbench:
        if self._bench is None:
            request = self.request
            order = Order(request.project, request.collision, request.settings, request.unsafe_no_sandbox)
            bench = Workbench(order, stage.living(request.collision), self._sinks)
            self._bench = bench.__enter__()
        return self._bench

    def ask_trusted(self, question: Question) -> None:
        """Take what the trusted implementations say to a question."""
        bench = self._opened()
        if not self._trusted:
            self._trusted = tuple(
                self._take(bench, number, path) for number, path in enumerate(self.request.answer_from)
            )

        def run(branch: Branch) -> Observed:
            zygote = bench.tools.zygote(branch)
            return observe(zygote, [question.witness], call_seconds=CALL_SECONDS, seconds=SECONDS)[0]

        seen = list(bench.tools.side_by_side(run, self._trusted))
        kind, values = agreed(seen, question.observed)
        alone = strangers(seen, question.observed) if kind == "either" else ()
        if kind == "value" and question.tier != "T0" and is_confirmed(values, seen, question.observed):
            self.collision = stage.permit(self.collision, question.question_id)
            question = stage.inside(question)
        self.say(stage.answer_of(question, kind, values, source="reference"), alone)

    def _take(self, bench: Workbench, number: int, path: str) -> Branch:
        project = self.request.project
        return take_trusted("--answer-from", path, f"trusted{number}", project=project, into=bench.folder)

    def keep(self) -> Collision:
        """Write the answers to the contract file, the tests that hold later code to them, the run and the ledger."""
        project = self.request.project
        folder = project / HOME / "runs" / self.collision.run_id
        for line in self.lines:
            state_line(project / CONTRACT_FILE, line)
        if self.given:
            add_answers(project / CONTRACT_FILE, self.given)
            write_trigger_files([check_of(one) for one in self.given if not one.outside], folder)
        write_run(self.collision, folder)
        with SqliteLedger(project / HOME / "ledger.db") as ledger:
            ledger.record(self.collision, at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
        return self.collision


def answer_from_trusted(request: AskRequest, sinks: Sequence[Sink] = ()) -> Collision:
    """Let the trusted implementations answer until no question is open."""
    with Asking(request, sinks) as asking:
        while questions := [one for one in asking.open_questions() if not stage.is_finding(one)]:
            asking.ask_trusted(questions[0])
        return asking.keep()
