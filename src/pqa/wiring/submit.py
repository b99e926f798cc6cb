"""Submit: take findings from outside, and second readings, into a stored run; all of it, or nothing."""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pqa.collision import rescore
from pqa.config import Settings
from pqa.core.errors import UsageError
from pqa.core.finding import Finding, Note
from pqa.core.ports import Sink
from pqa.core.trigger import Json
from pqa.core.verdict import Collision
from pqa.instruments.submission import read_submission
from pqa.ledger.store import SqliteLedger
from pqa.stages.second_reader import second_reading
from pqa.wiring.gate import Gate, Taken, take_in
from pqa.wiring.run_folder import HOME, write_run
from pqa.wiring.workbench import Order, Workbench

READING = "expected a JSON list of {'finding_id': ID, 'agrees': true|false, 'reader': TEXT}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What one second reader says of one finding."""

    finding_id: str
    agrees: bool
    reader: str


@dataclass(frozen=True, slots=True)
class SubmitRequest:
    """One `pqa submit`: a stored run in its folder, the text of a submission and of a second reader's readings."""

    project: Path
    folder: Path
    collision: Collision
    text: str | None = None
    readings: str | None = None
    adversary: str = "host"
    unsafe_no_sandbox: bool = False
    settings: Settings = field(default_factory=Settings)


def submit(request: SubmitRequest, sinks: Sequence[Sink]) -> Taken:
    """The run with what was proved, written to its folder and to the ledger."""
    collision = request.collision
    states = {name: "alive" if verdict.alive else "dead" for name, verdict in collision.verdicts.items()}
    claims = [] if request.text is None else read_submission(request.text, states)
    readings = [] if request.readings is None else read_readings(request.readings)
    taken = _judged(request, claims, sinks) if claims else Taken(collision)
    collision = taken.collision
    for reading in readings:
        collision = _read(collision, reading)
    collision = rescore(collision) if readings else collision
    write_run(collision, request.folder)
    with SqliteLedger(request.project / HOME / "ledger.db") as ledger:
        ledger.record(collision, at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"))
    by_id = {finding.id: finding for finding in collision.findings}
    named = [*(one.id for one in taken.judged), *(one.finding_id for one in readings)]
    return replace(taken, collision=collision, judged=tuple(by_id[name] for name in dict.fromkeys(named)))


def _judged(request: SubmitRequest, claims: Sequence[Finding], sinks: Sequence[Sink]) -> Taken:
    collision = request.collision
    order = Order(request.project, collision, request.settings, request.unsafe_no_sandbox)
    there = {
        branch.branch_id
        for branch in collision.branches
        if collision.verdicts[branch.branch_id].alive or Path(branch.path).is_dir()
    }
    with Workbench(order, there, sinks) as bench:
        gate = Gate(bench.bench, bench.branches, bench.properties)
        return take_in(collision, {request.adversary: claims}, gate)


def _read(collision: Collision, reading: Reading) -> Collision:
    read = second_reading(collision, reading.finding_id, reading.agrees)
    word = "agrees that it contradicts its sentence" if reading.agrees else "does not see the contradiction"
    note = Note("second-reader", f"{reading.reader}, second reader of {reading.finding_id}, {word}")
    return replace(read, notes=(*read.notes, note))


def read_readings(text: str) -> list[Reading]:
    """The readings in a file's text; raises UsageError that names the entry."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"the second reader's file is not JSON: {error}", READING) from error
    if not isinstance(document, list):
        raise UsageError("the second reader's file holds no list", READING)
    return [_reading(entry, number) for number, entry in enumerate(document, 1)]


def _reading(entry: Json, number: int) -> Reading:
    kinds = {"finding_id": str, "agrees": bool, "reader": str}
    if not isinstance(entry, dict) or set(entry) != set(kinds):
        raise UsageError(f"the second reader's entry {number} has other keys", READING)
    for key, kind in kinds.items():
        if not isinstance(entry[key], kind) or entry[key] == "":
            raise UsageError(f"the second reader's entry {number} has a bad '{key}': {entry[key]!r}", READING)
    return Reading(entry["finding_id"], entry["agrees"], entry["reader"][:100])
