"""Observation: run cases (set-up and calls) on a branch, bring back outcomes, tell whether they break an expectation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.ports import Zygote
from pqa.core.trigger import Json, Trigger
from pqa.instruments.outcomes import Difference, Outcome, difference, kind_of
from pqa.instruments.rules import rule_breaks

Case = Mapping[str, Json]
MAXIMUM_RESTARTS = 3
CLASS_RESTARTS = 1
MAXIMUM_CALLS = 400
CLASS_NODES = 1_500
"""The most values in one outcome of a sequence: enough to read, and thousands of outcomes are compared."""


@dataclass(frozen=True, slots=True)
class Observed:
    """The outcomes of one case; `trouble` says why they are missing or incomplete, and then nothing may be concluded."""

    outcomes: tuple[Outcome, ...] = ()
    trouble: str = ""
    inert: bool = False

    @property
    def complete(self) -> bool:
        """Whether every call of the case has an outcome."""
        return not self.trouble


def observe(
    zygote: Zygote, cases: Sequence[Case], *, call_seconds: float = 0.5, seconds: float = 30.0, inert: bool = False,
    nodes: int | None = None, kind: str = "observe",
) -> list[Observed]:  # fmt: skip
    """One `Observed` a case, in order. A case in which the child dies is reported, and the rest is run in a new child.

    `nodes` bounds the values in one outcome, where many cases are run and large outcomes would only cost time. `kind` is
    the harness's job, of those that observe.
    """
    results: list[Observed] = []
    restarts = 0
    while len(results) < len(cases):
        rest = cases[len(results) :]
        job = {"cases": list(rest), "call_seconds": call_seconds, "inert": inert}
        job |= {} if nodes is None else {"nodes": nodes}
        done = zygote.run(kind, job, seconds=seconds)
        results += _read(rest, done.records)
        if len(results) >= len(cases):
            break
        trouble = done.trouble or "no outcome came back"
        results.append(Observed(trouble=trouble))
        restarts += 1
        if restarts > (MAXIMUM_RESTARTS if nodes is None else CLASS_RESTARTS) or done.lost or done.timed_out:
            results += [Observed(trouble=trouble)] * (len(cases) - len(results))
    return results


def _read(cases: Sequence[Case], records: Sequence[Mapping[str, Json]]) -> list[Observed]:
    """The records are the branch's claim: anything out of order or of the wrong shape ends the reading."""
    found: list[Observed] = []
    for record in records:
        if len(found) >= len(cases) or record.get("case") != len(found):
            break
        found.append(_observed(cases[len(found)], record))
    return found


def _observed(case: Case, record: Mapping[str, Json]) -> Observed:
    if "skipped" in record:
        return Observed(trouble=str(record["skipped"]))
    stopped = record.get("stopped")
    if isinstance(stopped, dict):
        return Observed((stopped,), trouble="its set-up did not succeed", inert=bool(stopped.get("inert")))
    outcomes = record.get("outcomes")
    if not isinstance(outcomes, list) or not all(isinstance(outcome, dict) for outcome in outcomes):
        return Observed(trouble="its record is malformed")
    inert = any(outcome.get("inert") is True for outcome in outcomes)
    if any(outcome.get("import") is True for outcome in outcomes):
        return Observed(
            tuple(outcomes), trouble="the branch could not be imported: " + str(outcomes[0].get("message", ""))
        )
    complete = len(outcomes) == len(case.get("calls", ())) or (bool(outcomes) and "timeout" in outcomes[-1])
    return Observed(tuple(outcomes), trouble="" if complete else "calls are missing", inert=inert)


def case_of(trigger: Trigger) -> Case:
    """The plain case of an observation trigger."""
    return {"setup": list(trigger.setup), "calls": list(trigger.calls)}


def shifted(case: Case, shift: float) -> Case:
    """The case with every clock reading moved by `shift`, its start included."""
    setup = [{**item, "clock": item["clock"] + shift} if "clock" in item else item for item in case["setup"]]
    calls = [{**call, "at": call["at"] + shift} if call.get("at") is not None else call for call in case["calls"]]
    return {"setup": setup, "calls": calls}


def cases_of(trigger: Trigger) -> list[Case]:
    """The cases that must be run to judge the trigger: one, or two for a relation between runs."""
    case = case_of(trigger)
    expect = trigger.expect or {}
    if expect.get("relation") == "time-shift":
        return [case, shifted(case, float(expect["shift"]))]
    return [case]


def breaks(expect: Mapping[str, Json], observed: Sequence[Observed]) -> bool | None:
    """Whether what was observed contradicts `expect`, which states the right behaviour; None when that cannot be told."""
    if not observed:
        return None
    if any(one.inert for one in observed):
        return False
    if any(not one.complete for one in observed):
        return None
    first = observed[0].outcomes
    if "relation" in expect:
        return _pair_breaks(observed)
    if "rule" in expect:
        return rule_breaks(expect["rule"], first)
    if "values" in expect:
        return _values_break(expect["values"], first)
    if "raises" in expect:
        return None if kind_of(first[-1]) == "unknown" else first[-1].get("raises") != expect["raises"]
    if expect.get("outcome") == "returns":
        return "timeout" in first[-1] or "raises" in first[-1]
    return None


def _pair_breaks(observed: Sequence[Observed]) -> bool | None:
    if len(observed) != 2:
        return None
    found = [difference(a, b) for a, b in zip(observed[0].outcomes, observed[1].outcomes, strict=False)]
    if any(one is Difference.UNKNOWN for one in found):
        return None
    same_length = len(observed[0].outcomes) == len(observed[1].outcomes)
    return not same_length or any(one in (Difference.VALUE, Difference.RAISES) for one in found)


def _values_break(expected: Sequence[Json], outcomes: Sequence[Outcome]) -> bool | None:
    """A value that differs as `==` would tell breaks the expectation; a different type of an equal value does not."""
    if len(expected) != len(outcomes):
        return any("timeout" in outcome for outcome in outcomes) or None
    pairs = [(right, outcome) for right, outcome in zip(expected, outcomes, strict=True) if not leaves_open(right)]
    found = [difference(expected_outcome(right), outcome) for right, outcome in pairs]
    if any(
        one in (Difference.VALUE, Difference.RAISES, Difference.EXCEPTION_TYPE, Difference.ORDER_ONLY) for one in found
    ):
        return True
    return None if any(one is Difference.UNKNOWN for one in found) else False


def leaves_open(right: Json) -> bool:
    """Whether an entry of `expect.values` leaves its call's outcome open: {"$any": true}."""
    return isinstance(right, dict) and "$any" in right


def expected_outcome(right: Json) -> Outcome:
    """The outcome that an entry of `expect.values` stands for: a value, or {"$raises": NAME}."""
    if isinstance(right, dict) and "$raises" in right:
        return {"raises": right["$raises"]}
    return {"value": right}
