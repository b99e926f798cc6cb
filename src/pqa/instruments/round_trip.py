"""Round trip: pairs of calls of which the tests show that the second undoes the first, `g(f(x)) == x`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.recording import Call, Trace
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.outcomes import Outcome, kind_of

Case = Mapping[str, Json]
FEWEST = 2


@dataclass(frozen=True, slots=True)
class Pair:
    """`undo` undoes `make`; both are functions, or methods of the instance that `setup` builds."""

    make: str
    undo: str
    setup: tuple[Mapping[str, Json], ...] = ()

    @property
    def name(self) -> str:
        """What a person may free the function of."""
        return f"round trip {self.make.rpartition('.')[2]} {self.undo.rpartition('.')[2]}"

    def making(self, value: Json) -> Case:
        """The first call alone."""
        return {"setup": list(self.setup), "calls": [self._call(self.make, value)]}

    def returning(self, value: Json, made: Json) -> Case:
        """Both calls, the second on what a branch was seen to make of the value."""
        return {"setup": list(self.setup), "calls": [self._call(self.make, value), self._call(self.undo, made)]}

    def rule(self, value: Json, made: Json) -> dict[str, Json]:
        """If the first call gives what was seen, the second gives the value back."""
        return {"name": self.name, "when": [[0, made]], "then": [[1, value]]}

    def _call(self, name: str, value: Json) -> dict[str, Json]:
        return {"on": "subject" if self.setup else None, "call": name, "args": [value], "kwargs": {}}


def pairs_among(calls: Sequence[Call]) -> list[tuple[str, str]]:
    """Functions of one argument of which one was called on what the other gave, and gave its argument back, for at least
    two values; never where the value itself is given back at once."""
    made: dict[tuple[str, str], set[tuple[str, str]]] = {}
    for call in calls:
        if _is_plain(call):
            made.setdefault((call.function, canonical(call.outcome["value"])), set()).add(
                (canonical(call.args[0]), canonical(call.outcome["value"]))
            )
    shown: dict[tuple[str, str], set[str]] = {}
    for call in calls:
        if not _is_plain(call):
            continue
        given, back = canonical(call.args[0]), canonical(call.outcome["value"])
        for (function, outcome), pairs in made.items():
            if function != call.function and outcome == given and (back, given) in pairs and back != given:
                shown.setdefault((function, call.function), set()).add(back)
    return sorted(pair for pair, values in shown.items() if len(values) >= FEWEST)


def _is_plain(call: Call) -> bool:
    return call.replayable and len(call.args) == 1 and not call.kwargs and kind_of(call.outcome) == "value"


def values_of(calls: Sequence[Call], function: str) -> list[Json]:
    """The distinct arguments that the function was called on."""
    found = {canonical(call.args[0]): call.args[0] for call in calls if call.function == function and _is_plain(call)}
    return [found[key] for key in sorted(found)]


def method_calls(traces: Sequence[Trace], class_name: str) -> Iterator[Call]:
    """The calls on all instances of a class, as if of functions."""
    for trace in traces:
        if trace.class_name == class_name and trace.replayable:
            yield from (call for call in trace.calls if not call.sets)


def value_of(outcome: Outcome) -> Json:
    """What a call gave, where that is a plain value that can be passed on; None where it is not."""
    return outcome["value"] if kind_of(outcome) == "value" else None
