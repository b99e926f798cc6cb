"""Mutant witness: an input on which a mutant and the original observably differ, small enough to be read as a missing test.

Tried are the calls that tests were seen to make, their neighbours, inputs inside the contract that they show, and sequences
drawn from them. An outcome counts where the original answers, or refuses on purpose; a crash of the original shows an input
that nobody meant. A case that cannot be written down as a test is no witness.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from pqa.core.job import JobResult
from pqa.core.ports import Conversation, Zygote
from pqa.core.recording import Call, Recording, Trace
from pqa.core.stand_in import StandIn
from pqa.core.trigger import Json
from pqa.core.values import canonical, source_text
from pqa.instruments.contract import Contract, learn
from pqa.instruments.generate import generate as generate_inputs
from pqa.instruments.inputs import Input
from pqa.instruments.mutation import Mutant
from pqa.instruments.neighbours import mapped, neighbours, replacing
from pqa.instruments.observation import Case, Observed, observe
from pqa.instruments.outcomes import Difference, Outcome, difference, kind_of
from pqa.instruments.seen_calls import case_of_call
from pqa.instruments.sequences import generate, habits_of
from pqa.instruments.shrink_case import shrink_case

TELLING = (Difference.VALUE, Difference.RAISES, Difference.EXCEPTION_TYPE, Difference.MUTATION)
MOST_CASES, MOST_NEIGHBOURS, MOST_WALKS = 300, 40, 60
MOST_FUNCTIONS, MOST_DRAWN = 3, 60
OPAQUE = ("other", "object", "iterator", "public", "made")
MOST_OWN, MOST_MINED, LONGEST_LITERAL = 80, 12, 20
LITERAL = re.compile(r"""'(?P<one>[^'\\]*)'|"(?P<two>[^"\\]*)"|(?<![\w.])(?P<number>\d{1,6})(?![\w.])""")
CALL_SECONDS, SECONDS = 0.2, 20.0
LARGEST_CASE = 3_000


@dataclass(frozen=True, slots=True)
class Witness:
    """A case and what it gives on the original and on the mutant, up to the first call that differs."""

    case: Case
    right: tuple[Outcome, ...]
    changed: tuple[Outcome, ...]


class Mutated:
    """A zygote whose observations see one mutant."""

    def __init__(self, zygote: Zygote, file: str, index: int) -> None:
        self._zygote, self._more = zygote, {"file": file, "index": index}

    def run(self, kind: str, job: Mapping[str, Json], *, seconds: float) -> JobResult:
        """An observation of the mutant; no other job is asked for."""
        return self._zygote.run("mutated" if kind == "observe" else kind, {**job, **self._more}, seconds=seconds)

    def converse(self, kind: str, job: Mapping[str, Json], *, seconds: float) -> Conversation:
        """As it is."""
        return self._zygote.converse(kind, job, seconds=seconds)

    def close(self) -> None:
        """It belongs to somebody else."""

    def __enter__(self) -> Zygote:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def cases_for(mutant: Mutant, recordings: Sequence[Recording], seed: int) -> list[Case]:
    """Cases that may reach a mutant: of its own function or class first, then of the others of its file."""
    calls = [call for each in recordings for call in each.calls if call.replayable and call.at is None]
    traces = [trace for each in recordings for trace in each.traces if trace.replayable]
    module = mutant.file.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    names = set(mutant.function.split("."))

    def near(name: str) -> bool:
        return bool(names.intersection(name.split(".")))

    def here(name: str) -> bool:
        return module in name.split(".")

    own = _of_calls([call for call in calls if near(call.function)])
    own += _of_traces([trace for trace in traces if near(trace.class_name)], seed)
    rest = _of_calls([call for call in calls if not near(call.function) and here(call.function)])
    rest += _of_traces([trace for trace in traces if not near(trace.class_name) and here(trace.class_name)], seed)
    moved = [one for case in own[:MOST_NEIGHBOURS] for one in islice(neighbours(case), MOST_NEIGHBOURS // 2)]
    drawn = [one for name in _functions(calls, near) for one in _drawn(name, calls, mutant, seed)]
    mined = [one for case in own[:MOST_MINED] for one in with_literals(case, literals_in(mutant.before))]
    found: dict[str, Case] = {}
    share = MOST_CASES // 4
    for case in (*own[:MOST_OWN], *mined[:share], *drawn[:share], *moved[:share], *own[MOST_OWN:], *rest):
        key = canonical(case)
        if len(key) <= LARGEST_CASE and is_writable(case):
            found.setdefault(key, case)
    return list(found.values())[:MOST_CASES]


def _functions(calls: Sequence[Call], near: Callable[[str], bool]) -> list[str]:
    """The functions near a mutant that tests call."""
    return list(dict.fromkeys(call.function for call in calls if near(call.function)))[:MOST_FUNCTIONS]


def _drawn(name: str, calls: Sequence[Call], mutant: Mutant, seed: int) -> list[Case]:
    """Inputs inside the contract that the tests' calls of one function show."""
    contract = learn((), calls, function=name)
    chance = random.Random(f"{name} {seed}")
    found = generate_inputs(contract, literals=literals_in(mutant.before), prose="", trials=MOST_DRAWN, random=chance)
    return [_case(contract, one) for one in found if one.tier == "T0"]


def _case(contract: Contract, one: Input) -> Case:
    args, kwargs = contract.unbind(one.args, one.form)
    return {"setup": [], "calls": [{"on": None, "call": contract.function, "args": list(args), "kwargs": kwargs}]}


def is_writable(value: Json) -> bool:
    """Whether everything in it can be written as Python in a test."""
    if isinstance(value, list):
        return all(map(is_writable, value))
    if not isinstance(value, dict):
        return True
    if value.get("$type") == "callable":
        return bool(StandIn(canonical(value["value"])).expression(source_text))
    return value.get("$type") not in OPAQUE and all(map(is_writable, value.values()))


def literals_in(line: str) -> list[str | int]:
    """Short texts and numbers that stand in a line of code: what it treats apart."""
    found: list[str | int] = []
    for match in LITERAL.finditer(line):
        number, text = match["number"], match["one"] or match["two"]
        if number:
            found.append(int(number))
        elif text and len(text) <= LONGEST_LITERAL:
            found.append(text)
    return list(dict.fromkeys(found))


def with_literals(case: Case, literals: Sequence[str | int]) -> Iterator[Case]:
    """The case with literals put into its texts and beside its numbers."""
    places = [value for call in (*case["setup"], *case["calls"]) for value in call.get("args", ())]
    for value in list({canonical(one): one for one in places}.values())[:4]:
        for literal in literals[:6]:
            if isinstance(value, str) and isinstance(literal, str):
                middle = len(value) // 2
                several = [
                    value[:middle] + literal + value[middle:],
                    literal + value,
                    value + literal,
                    2 * literal + value,
                ]
                yield from (mapped(case, replacing(value, new)) for new in (*several, literal))
            elif type(value) is int and type(literal) is int:
                yield from (mapped(case, replacing(value, literal + step)) for step in (0, 1, -1))


def _of_calls(calls: Sequence[Call]) -> list[Case]:
    return [case_of_call(call) for call in calls]


def _of_traces(traces: Sequence[Trace], seed: int) -> list[Case]:
    """The lives of instances as they were and as they might be; at the end the tests' attributes are read."""
    found: list[Case] = []
    for name in dict.fromkeys(trace.class_name for trace in traces):
        habits = habits_of(name, traces)
        if habits is not None:
            reads = dict.fromkeys(each for trace in traces if trace.class_name == name for each in trace.reads)
            ends = [{"on": "subject", "get": each} for each in list(reads)[:6]]
            drawn = generate(habits, MOST_WALKS, random.Random(f"{name} {seed}"))
            found += [{**case, "calls": [*case["calls"], *ends]} for case in drawn]
    return found


def find_witness(zygote: Zygote, mutant: Mutant, cases: Sequence[Case]) -> Witness | None:
    """The first case, made small, on which the original is steady and the mutant does otherwise."""
    if not cases:
        return None
    other = Mutated(zygote, mutant.file, mutant.index)

    def run(some: Sequence[Case]) -> list[tuple[list[Observed], bool]]:
        right = observe(zygote, some, call_seconds=CALL_SECONDS, seconds=SECONDS)
        changed = observe(other, some, call_seconds=CALL_SECONDS, seconds=SECONDS)
        return [([a, b], differs(a, b)) for a, b in zip(right, changed, strict=True)]

    seen = run(cases)
    apart = [case for case, (_, yes) in zip(cases, seen, strict=True) if yes]
    for case in sorted(apart, key=lambda one: (len(one["calls"]), len(canonical(one))))[:3]:
        small = shrink_case(case, lambda some: [yes for _, yes in run(some)])
        (right, changed), yes = run([small])[0]
        again = observe(zygote, [small], call_seconds=CALL_SECONDS, seconds=SECONDS)[0]
        if yes and canonical(list(again.outcomes)) == canonical(list(right.outcomes)):
            return _cut(small, right.outcomes, changed.outcomes)
    return None


def _cut(case: Case, right: Sequence[Outcome], changed: Sequence[Outcome]) -> Witness:
    """The witness without what comes after the first difference."""
    at = next(iter(_places(right, changed)))
    return Witness({**case, "calls": list(case["calls"][: at + 1])}, tuple(right[: at + 1]), tuple(changed[: at + 1]))


def differs(right: Observed, changed: Observed) -> bool:
    """Whether the mutant observably does otherwise on a case that the original is meant for."""
    if not right.complete or right.inert or not right.outcomes:
        return False
    if not changed.complete and not changed.outcomes:
        return False
    at = next(_places(right.outcomes, changed.outcomes), None)
    return at is not None and all(_is_meant(outcome) for outcome in right.outcomes[: at + 1])


def _places(right: Sequence[Outcome], changed: Sequence[Outcome]) -> Iterator[int]:
    for at, (left, other) in enumerate(zip(right, changed, strict=False)):
        if difference(left, other) in TELLING:
            yield at


def _is_meant(outcome: Outcome) -> bool:
    return kind_of(outcome) == "value" or (kind_of(outcome) == "raises" and outcome.get("own") is True)
