"""Demonstrate: run a trigger once on a branch in a sandbox; shown, not shown or could not check, and what came back in words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from pqa.core.branch import Branch
from pqa.core.ports import Properties, Zygote
from pqa.core.surface import Surface
from pqa.core.trigger import Json, Trigger
from pqa.core.values import source_text
from pqa.instruments.fake_equality import show_equality
from pqa.instruments.guard import show_guard
from pqa.instruments.hollow_replay import show_hollow
from pqa.instruments.masked import show_masked
from pqa.instruments.mutant_replay import show_mutant
from pqa.instruments.observation import Observed, breaks, cases_of, observe
from pqa.instruments.outcomes import describe
from pqa.instruments.program import run_program
from pqa.instruments.properties import PropertyStatus, recheck_property
from pqa.instruments.tampering import show_tampering
from pqa.instruments.vain_tests import show_vain

Shown = tuple[bool | None, str]
Rerun = Callable[[Zygote, Branch, str, float], Shown]
"""Runs one test of the locked suite again: shown when it fails."""
MAXIMUM_LINES = 60
SIGNS = {
    "operator.eq": "==",
    "operator.lt": "<",
    "operator.le": "<=",
    "operator.gt": ">",
    "operator.ge": ">=",
    "operator.is_": "is",
    "operator.contains": "in",
}


class Demonstrator:
    """Knows what triggers refer to besides their branch: the declared properties, the modules of each branch."""

    def __init__(self, properties: Properties, modules: Callable[[Branch], Sequence[str]], rerun: Rerun) -> None:
        self._properties = properties
        self._modules = modules
        self._rerun = rerun

    def __call__(self, zygote: Zygote, branch: Branch, trigger: Trigger, inert: bool) -> Shown:
        """See `stages.replay.Demonstrate`."""
        if trigger.kind == "suite":
            # On an inert double every test fails by its stop, so only the branch itself is asked.
            return (False, "inert") if inert else self._rerun(zygote, branch, trigger.source or "", trigger.timeout)
        if trigger.kind == "hollow":
            return show_hollow(zygote, branch, trigger, inert=inert)
        if trigger.kind == "mutant":
            return show_mutant(zygote, branch, trigger, inert=inert)
        if trigger.kind == "guard":
            return show_guard(zygote, branch, trigger, inert=inert)
        if trigger.kind == "masked":
            return show_masked(zygote, trigger, inert=inert)
        if trigger.kind == "equality":
            return show_equality(zygote, trigger, inert=inert)
        if trigger.kind == "tampering":
            return show_tampering(zygote, branch, trigger, inert=inert)
        if trigger.kind == "vain":
            return show_vain(zygote, branch, trigger, inert=inert)
        if trigger.kind == "program":
            return run_program(zygote, trigger, inert=inert)
        if trigger.kind != "observation":
            return None, f"a trigger of kind '{trigger.kind}' is not known here"
        if "property" in (trigger.expect or {}):
            return self._property(zygote, branch, trigger, inert)
        cases = cases_of(trigger)
        observed = observe(zygote, cases, call_seconds=min(trigger.timeout, 2.0), seconds=trigger.timeout, inert=inert)
        return breaks(trigger.expect or {}, observed), transcript(cases, observed)

    def _property(self, zygote: Zygote, branch: Branch, trigger: Trigger, inert: bool) -> Shown:
        expect = trigger.expect or {}
        name = str(expect["property"])
        function = self._properties.get(name)
        if function is None:
            return None, f"the property '{name}' is not declared any more"
        if inert:
            observed = observe(zygote, cases_of(trigger), seconds=trigger.timeout, inert=True)
            return False if any(one.inert for one in observed) else None, "inert"
        run = recheck_property(
            name, function, zygote, self._modules(branch), expect.get("draws", ()), seconds=trigger.timeout
        )
        words = transcript([{"setup": run.setup, "calls": run.calls}], [Observed(tuple(run.answers))])
        if run.status is PropertyStatus.COULD_NOT_CHECK:
            return None, run.message
        return run.status is PropertyStatus.BROKEN, f"{words}\n{run.message}".strip()


def transcript(cases: Sequence[Mapping[str, Json]], observed: Sequence[Observed]) -> str:
    """What was called and what came back, a line a call."""
    lines: list[str] = []
    for number, (case, seen) in enumerate(zip(cases, observed, strict=False)):
        if number:
            lines.append("again, with the clock moved:")
        lines += [setup_text(item) for item in case["setup"]]
        for call, outcome in zip(case["calls"], seen.outcomes, strict=False):
            lines.append(f"{call_text(call)} -> {describe(outcome)}")
        if seen.trouble:
            lines.append(f"could not check: {seen.trouble}")
    if len(lines) > MAXIMUM_LINES:
        lines = [*lines[:MAXIMUM_LINES], f"... {len(lines) - MAXIMUM_LINES} more lines"]
    return "\n".join(lines)


def setup_text(item: Mapping[str, Json]) -> str:
    """One set-up item as a line of Python."""
    if "clock" in item:
        return f"{item['name']} at {source_text(item['clock'])}"
    if "value" in item:
        return f"{item['name']} = {source_text(item['value'])}"
    return f"{item['name']} = {_invocation(str(item['new']).rpartition('.')[2], item)}"


def call_text(call: Mapping[str, Json]) -> str:
    """One call as Python, with the time at which it is made."""
    holder = f"{call['on']}." if call.get("on") else ""
    if "set" in call:
        text = f"{holder}{call['set']} = {source_text(call['value'])}"
    elif "get" in call:
        text = f"{holder}{call['get']}"
    else:
        name = str(call["call"])
        text = _operation(name, call) or holder + _invocation(name if holder else short(name), call)
    text = f"{call['as']} = {text}" if "as" in call else text
    return f"t={source_text(call['at'])}: {text}" if call.get("at") is not None else text


def short(dotted: str) -> str:
    """A function without its module, a method with its class: classes begin with a capital letter."""
    *_, owner, name = ("", *dotted.split("."))
    return f"{owner}.{name}" if owner[:1].isupper() else name


def _operation(name: str, call: Mapping[str, Json]) -> str:
    """A function of the module `operator` as the sign that it stands for; "" for any other call."""
    args = call.get("args") or []
    if call.get("on") is not None or name not in SIGNS or len(args) != 2:
        return ""
    left, right = (_shown(value) for value in (reversed(args) if name == "operator.contains" else args))
    return f"{left} {SIGNS[name]} {right}"


def _shown(value: Json) -> str:
    """The value as source; a set of named things by their names."""
    inner = value.get("value") if isinstance(value, dict) and value.get("$type") == "set" else None
    named = isinstance(inner, list) and all(isinstance(item, dict) and "$name" in item for item in inner)
    return "{" + ", ".join(map(source_text, inner)) + "}" if named and inner else source_text(value)


def _invocation(name: str, item: Mapping[str, Json]) -> str:
    arguments = [source_text(value) for value in item.get("args", ())]
    arguments += [f"{key}={source_text(value)}" for key, value in (item.get("kwargs") or {}).items()]
    return f"{name}({', '.join(arguments)})"


def modules_of(surface: Surface) -> tuple[str, ...]:
    """The modules that offer public names, in order of their first one."""
    names = [function.name.rpartition(".")[0] for function in surface.functions]
    names += [found.name.rpartition(".")[0] for found in surface.classes]
    return tuple(dict.fromkeys(names))
