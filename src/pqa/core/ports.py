"""Ports: the small protocols through which stages, attacks and `collision` reach concrete parts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Protocol, TypeVar

from pqa.core.adversary import AdversaryAnswer
from pqa.core.branch import Branch
from pqa.core.contract import Agreed, Line
from pqa.core.event import Event
from pqa.core.evidence import Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.job import CommandResult, Guest, JobResult, ProbeCheck
from pqa.core.surface import Surface
from pqa.core.task import Brief
from pqa.core.trigger import Json
from pqa.core.verdict import Collision, Verification

Item = TypeVar("Item")
Result = TypeVar("Result")


class Conversation(Protocol):
    """A job that answers line by line until it is closed."""

    def say(self, message: Mapping[str, Json], *, seconds: float) -> Mapping[str, Json]:
        """Send one message and wait for its answer; raises GuestLost when none comes."""

    def close(self) -> None:
        """End the job; safe to call twice."""


class Zygote(Protocol):
    """A trusted fork server inside one sandbox; every job runs in a child that locks itself down first."""

    def run(self, kind: str, job: Mapping[str, Json], *, seconds: float) -> JobResult:
        """Fork a child, run `harness/KIND.py` on `job`, return what the parent saw. Never raises for guest faults."""

    def converse(self, kind: str, job: Mapping[str, Json], *, seconds: float) -> Conversation:
        """Start a job that is spoken to; `seconds` bounds its whole life."""

    def close(self) -> None:
        """Kill the sandbox with everything in it; safe to call twice."""

    def __enter__(self) -> Zygote: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Sandbox(Protocol):
    """Where foreign code runs."""

    @property
    def tier(self) -> str:
        """ "full", "reduced" or "none": stamped on every output."""

    def probe(self) -> Sequence[ProbeCheck]:
        """Try decoy attacks inside and, as positive controls, outside."""

    def open(self, guest: Guest) -> Zygote:
        """Start a sandbox for `guest` with a zygote in it; raises GuestLost when it does not come up."""

    def execute(
        self,
        guest: Guest,
        argv: Sequence[str],
        *,
        env: Mapping[str, str],
        seconds: float,
        stdin: bytes | None = None,
        network: bool = False,
    ) -> CommandResult:
        """Run one command in a fresh sandbox, in a writable copy of the snapshot; only its exit and output come back.

        With `stdin` it is given that input, and what it writes to standard error comes back apart. `network` keeps the
        host's network, for a program that the user named; never for code of a branch.
        """

    def close(self) -> None:
        """Kill every sandbox that this object opened and remove what it wrote."""


class Engine(Protocol):
    """How jobs get carried out side by side."""

    def map(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Results in the order of `items`; the first exception is raised after the others were cancelled."""


class Sink(Protocol):
    """A consumer of the event stream."""

    def emit(self, event: Event) -> None:
        """Take one event; must not raise for anything a branch wrote."""


Properties = Mapping[str, Callable[..., Any]]
"""Property functions by name; trusted code, from the working directory or the base, never from a branch."""


class Tools(Protocol):
    """What an attack may use besides its brief."""

    def zygote(self, branch: Branch, *, hash_seed: int = 0) -> Zygote:
        """A running zygote for `branch`, shared within the attack stage."""

    def surface(self, branch: Branch) -> Surface:
        """The branch's public names, measured once."""

    def verification(self, branch: Branch) -> Verification:
        """What the verify stage saw of the branch, the recorded calls included."""

    def side_by_side(self, function: Callable[[Item], Result], items: Iterable[Item]) -> Iterator[Result]:
        """Apply `function` to `items` through the engine, results in order."""

    def properties(self) -> Properties:
        """The properties that were given with the task; empty when none were."""

    def agreed(self) -> Agreed:
        """What a person or a reference settled before the run: lines and answers of the contract file."""

    def keep_lines(self, lines: Iterable[Line]) -> None:
        """Take what was learned of a function's contract, to be shown to a person."""

    def reference(self) -> Branch | None:
        """The trusted implementation that was given, if any; its code runs in the sandbox and is never judged."""

    def base(self) -> Branch | None:
        """The code or the suite before the branches, if it was given; never judged."""

    def expired(self, brief: Brief) -> bool:
        """Whether the wall limit of the brief is used up."""


class Attack(Protocol):
    """A module in `pqa.attacks` (or of entry-point group `pqa.attacks`)."""

    LAYER: str
    SCOPE: str
    __doc__: str | None

    @staticmethod
    def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
        """Yield what was found; a generator, so that a budget can stop it and keep what it found."""


class Adversary(Protocol):
    """Someone outside pqa who looks for flaws in one branch: a program, a model, or recorded answers."""

    @property
    def name(self) -> str:
        """What its findings and its calibration are kept under."""

    def answer(self, brief: Mapping[str, Json]) -> AdversaryAnswer:
        """Findings for the branch of one brief; a failure is an answer with a `trouble`. Never raises for it."""


class Ledger(Protocol):
    """What is kept over runs."""

    def record(self, collision: Collision, *, at: str) -> None:
        """Write the run with its deaths, findings, replays and calibration rows, all or nothing."""

    def close(self) -> None:
        """Release the file."""
