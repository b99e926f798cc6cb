"""Methods: how a class may be built and called: one contract a method, from what tests and examples pass to it, and inputs."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from pqa.core.contract import Line
from pqa.core.recording import Call, Trace
from pqa.core.surface import Class, Function
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.annotations import unbuildable
from pqa.instruments.contract import Contract, learn
from pqa.instruments.generate import generate
from pqa.instruments.inputs import Input
from pqa.instruments.sequences import UNTOLD

INIT = "__init__"
ITSELF: Json = {"$name": "subject"}
"""The instance, for the one argument of a method of which nothing is known."""
LENT = 6
"""How many values of a parameter of the same name a method that nobody calls is lent."""


@dataclass(frozen=True, slots=True)
class Method:
    """One way to call instances: `known` where a test or an example does so; `inputs` start with the recorded ones."""

    name: str
    contract: Contract
    inputs: tuple[Input, ...]
    known: bool

    def pool(self, tier: str) -> list[Input]:
        """The inputs of a tier."""
        return [one for one in self.inputs if one.tier == tier]

    def arguments(self, one: Input) -> dict[str, Json]:
        """An input as the arguments of a call."""
        args, kwargs = self.contract.unbind(one.args, one.form)
        return {"args": list(args), "kwargs": kwargs}


@dataclass(frozen=True, slots=True)
class Usage:
    """What a class may be asked: its constructor, its methods, and the attributes that tests read."""

    made: Method
    methods: tuple[Method, ...]
    reads: tuple[str, ...]
    clocked: bool


@dataclass(frozen=True, slots=True)
class Source:
    """Where words for new arguments come from."""

    literals: tuple[object, ...]
    prose: str
    inputs: int
    lines: tuple[Line, ...] = ()

    def lines_of(self, owner: str, method: str) -> list[Line]:
        """A person's lines on a method, which they know by its dotted name."""
        dotted = owner if method == INIT else f"{owner}.{method}"
        return [replace(line, function=method) for line in self.lines if line.function == dotted]


def usage_of(
    variants: Sequence[Class], traces: Sequence[Trace], calls: Sequence[Call], source: Source, chance: random.Random
) -> Usage:
    """The usage of one class, given as the surface of each branch that has it; `calls` are made on the class itself."""
    name = variants[0].name
    mine = [trace for trace in traces if trace.class_name == name and trace.replayable]
    clocked = any(trace.clocked for trace in mine)
    made = [Call(INIT, trace.args, trace.kwargs, {"value": None}) for trace in mine]
    pools = _pools(name, mine, calls)
    inits = [Function(INIT, one.init, one.doc) for one in variants]
    init = _method(name, INIT, inits, made, [] if clocked else [*made], source, chance)
    lenders = [
        *_bound(inits, made),
        *(pair for key, pool in pools.items() for pair in _bound(_of(variants, key), pool)),
    ]
    methods = []
    for key in sorted({*pools, *_offered(variants)}):
        functions = _of(variants, key)
        seen = pools.get(key, [])
        learned = seen or list(_lent(key, functions, lenders))
        methods.append(_method(name, key, functions, seen, learned, source, chance))
    reads = sorted({read for trace in mine for read in trace.reads if read not in pools})
    return Usage(init, tuple(methods), tuple(reads), clocked)


def _pools(name: str, traces: Sequence[Trace], calls: Sequence[Call]) -> dict[str, list[Call]]:
    """The calls by method: those on instances, and those on the class itself."""
    pools: dict[str, list[Call]] = {}
    inside = [call for trace in traces for call in trace.calls if not call.sets]
    direct = [
        replace(call, function=call.function[len(name) + 1 :])
        for call in calls
        if call.function.startswith(name + ".") and "." not in call.function[len(name) + 1 :]
    ]
    for call in (*inside, *direct):
        if call.replayable and call.function not in UNTOLD and not _names_itself(call):
            pools.setdefault(call.function, []).append(call)
    return pools


def _names_itself(call: Call) -> bool:
    """Whether the instance is passed to a method of its own class; such a call is repeated and not learned from."""
    return any(isinstance(value, dict) and "$name" in value for value in (*call.args, *call.kwargs.values()))


def _offered(variants: Sequence[Class]) -> list[str]:
    """Plain methods that at least two branches, and half of them, offer."""
    counts: dict[str, int] = {}
    for one in variants:
        for method in one.methods:
            if method.kind != "property" and not method.name.startswith("_"):
                counts[method.name] = counts.get(method.name, 0) + 1
    return [name for name, count in counts.items() if count >= min(2, len(variants)) and count * 2 >= len(variants)]


def _of(variants: Sequence[Class], name: str) -> list[Function]:
    return [method for one in variants for method in one.methods if method.name == name]


def _method(
    owner: str,
    name: str,
    functions: Sequence[Function],
    seen: Sequence[Call],
    learned: Sequence[Call],
    source: Source,
    chance: random.Random,
) -> Method:
    calls = [replace(call, function=name) for call in learned]
    contract = learn([replace(one, name=name) for one in functions], calls, source.lines_of(owner, name), function=name)
    unknown = unbuildable(functions, contract.names, contract.shapes)
    inputs = [] if unknown else [Input((), ())]
    if contract.names and not unknown:
        made = generate(contract, literals=source.literals, prose=source.prose, trials=source.inputs, random=chance)
        inputs = [one for one in made if one.tier in ("T0", "T1")]
    if not learned and len(contract.names) == 1 and not contract.shapes[0].options:
        inputs = [Input((ITSELF,), contract.names, origin="sampled"), *inputs[:1]]
    return Method(name, contract, tuple(inputs), bool(seen))


def _bound(functions: Sequence[Function], calls: Sequence[Call]) -> Iterator[tuple[str, Json]]:
    """(stem of the parameter's name, encoded value) of every argument."""
    names = [one.name for one in functions[0].parameters] if functions else []
    for call in calls:
        yield from ((stem(name), value) for name, value in zip(names, call.args, strict=False))
        yield from ((stem(name), value) for name, value in call.kwargs.items())


def _lent(name: str, functions: Sequence[Function], lenders: Sequence[tuple[str, Json]]) -> Iterator[Call]:
    """Calls of a method that nobody calls, with values that parameters of the same name take elsewhere."""
    wanted = [one for one in functions[0].parameters if not one.has_default and not one.kind.startswith("VAR_")]
    pools: list[list[Json]] = []
    for one in wanted:
        values = {canonical(value): value for key, value in lenders if key == stem(one.name)}
        pools.append(list(values.values())[:LENT])
    if not wanted or not all(pools):
        return
    for turn in range(max(map(len, pools))):
        yield Call(name, tuple(pool[turn % len(pool)] for pool in pools), {}, {"value": None})


def stem(name: str) -> str:
    """A parameter's name without its number: `num1` and `num2` are both `num`."""
    return name.rstrip("0123456789_") or name


def by_name(methods: Sequence[Method]) -> Mapping[str, Method]:
    """The methods by name."""
    return {method.name: method for method in methods}
