"""Mutation: one conversation with the mutation engine about one suite: its mutants, its controls, verdicts, fresh runs.

A verdict counts only after a survey without trouble: the unchanged code is green through the same runner and afresh, a
change that changes nothing stays green, a raise is noticed. "survived" of one wave is a candidate until a fresh process
agrees; "not-measured" and "uncovered" are results of their own, and never kills.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import TracebackType

from pqa.core.ports import Conversation, Zygote
from pqa.core.trigger import Json
from pqa.instruments.hollow import Suite

KILLED, SURVIVED, UNCOVERED, FRESH = "killed", "survived", "uncovered", "fresh"
NOT_MEASURED, INVALID, SAME = "not-measured", "invalid", "same"
QUIET = ("--tb=no", "--no-header", "--no-summary")
SURVEY_SECONDS, ANSWER_SECONDS = 600.0, 1800.0


@dataclass(frozen=True, slots=True)
class Mutant:
    """One small change of one code file; `index` is its place among the file's mutants, `number` among all."""

    number: int
    file: str
    index: int
    line: int
    column: int
    last: int
    end: int
    operator: str
    kind: str
    function: str
    before: str
    after: str
    replacement: str
    imported: bool

    @property
    def place(self) -> str:
        """File and line, as editors take it."""
        return f"{self.file}:{self.line}"

    @property
    def diff(self) -> str:
        """The change as two marked blocks of lines."""
        lines = [f"- {line}" for line in self.before.splitlines()] + [f"+ {line}" for line in self.after.splitlines()]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one mutant. `why` says it for those not measured, `killer` is a test that noticed, `ran` how many
    tests were run for it and `own` their processor time, `imported` that its code also runs while it is imported."""

    status: str
    why: str = ""
    killer: str = ""
    ran: int = 0
    imported: bool = False
    own: float = 0.0


@dataclass(frozen=True, slots=True)
class Survey:
    """The unchanged suite: how many tests count, how many of them are called without pytest's hooks, and the processor time
    of its tests alone; or the trouble."""

    trouble: str = ""
    tests: int = 0
    left_out: tuple[str, ...] = ()
    blind: tuple[str, ...] = ()
    own_cpu: float = 0.0
    called: int = 0


class Mutation:
    """An open conversation; `cpu` adds up the processor time that its answers took inside."""

    def __init__(self, zygote: Zygote, suite: Suite, *, seconds: float) -> None:
        job: dict[str, Json] = {
            "paths": list(suite.paths),
            "code": list(suite.code),
            "extra": list(QUIET),
            "root": "",
        }
        if suite.copy_from:
            job["copy"] = {"from": suite.copy_from, "skip": []}
        self._talk: Conversation = zygote.converse("mutation", job, seconds=seconds)
        self.cpu = 0.0

    def __enter__(self) -> Mutation:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._talk.close()

    def _say(self, message: Mapping[str, Json], seconds: float = ANSWER_SECONDS) -> Mapping[str, Json]:
        answer = self._talk.say(message, seconds=seconds)
        cpu = answer.get("cpu")
        self.cpu += float(cpu) if isinstance(cpu, int | float) else 0.0
        return answer

    def mutants(self) -> list[Mutant]:
        """All of them, in the order of files and lines."""
        found: list[Mutant] = []
        counts: dict[str, int] = {}
        more = True
        while more:
            answer = self._say({"list": len(found)})
            page = answer.get("mutants")
            records = page if isinstance(page, list) else []
            for record in records:
                file = str(record["file"])
                found.append(_mutant(record, counts.get(file, 0)))
                counts[file] = counts.get(file, 0) + 1
            more = answer.get("more") is True and bool(records)
        return found

    def survey(self) -> Survey:
        """Measure the unchanged suite and run the controls."""
        told = self._say({"survey": True}, SURVEY_SECONDS)
        if told.get("trouble"):
            return Survey(str(told["trouble"])[:600])
        own, number, called = told.get("own_cpu"), told.get("tests"), told.get("called")
        return Survey(
            tests=number if type(number) is int else 0, left_out=_texts(told.get("left_out")),
            blind=_texts(told.get("blind")), own_cpu=float(own) if isinstance(own, int | float) else 0.0,
            called=called if type(called) is int else 0,
        )  # fmt: skip

    def baseline(self) -> str:
        """Measure the unchanged suite afresh only, for `verify`; why it does not count, or ""."""
        return str(self._say({"baseline": True}, SURVEY_SECONDS).get("trouble") or "")[:600]

    def measure(self, numbers: Sequence[int]) -> tuple[dict[int, Verdict], str]:
        """First verdicts of some mutants, and why there are fewer."""
        answer = self._say({"measure": list(numbers)})
        results = answer.get("results")
        sound = [one for one in results if isinstance(one, dict)] if isinstance(results, list) else []
        found = {one["id"]: _verdict(one) for one in sound if type(one.get("id")) is int}
        return found, str(answer.get("trouble") or "")

    def same(self, number: int) -> bool:
        """Whether the compiler makes the same of it as of the original."""
        return self._say({"same": number}).get("same") is True

    def source(self, number: int) -> str:
        """The whole changed file, without its comments."""
        return str(self._say({"source": number}).get("source") or "")

    def fresh(self, number: int, *, twice: bool = False) -> Verdict:
        """The whole suite on a mutant in a process that has imported nothing, or in two of them that must agree."""
        return _verdict(self._say({"verify" if twice else "fresh": number}))


def _mutant(record: Mapping[str, Json], index: int) -> Mutant:
    """Text of a parsed file; it comes from a process that imported none of it."""
    numbers = {key: int(record[key]) for key in ("line", "column", "last", "end")}
    texts = {
        key: str(record[key]) for key in ("file", "operator", "kind", "function", "before", "after", "replacement")
    }
    return Mutant(number=int(record["id"]), index=index, imported=record["imported"] is True, **numbers, **texts)  # type: ignore[arg-type]


def _verdict(record: Mapping[str, Json]) -> Verdict:
    ran, own = record.get("ran"), record.get("own")
    return Verdict(
        str(record.get("status") or NOT_MEASURED), str(record.get("why") or "")[:300],
        str(record.get("killer") or ""), ran if type(ran) is int else 0, record.get("imported") is True,
        float(own) if isinstance(own, int | float) else 0.0,
    )  # fmt: skip


def _texts(value: Json) -> tuple[str, ...]:
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()
