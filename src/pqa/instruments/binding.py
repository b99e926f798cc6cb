"""Binding: one positional form for calls that pass the same arguments by position, by name or not at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pqa.core.recording import Call
from pqa.core.surface import Function, Parameter
from pqa.core.trigger import Json
from pqa.core.values import decode

Form = tuple[str, ...]
"""The names of the arguments that a call passes, in order: calls of one form are one pool."""


@dataclass(frozen=True, slots=True)
class Signature:
    """The parameters that most branches give a function, and the other names that some of them use."""

    parameters: tuple[Parameter, ...] = ()
    aliases: tuple[tuple[str, str], ...] = ()

    def bind(self, args: Sequence[object], kwargs: Mapping[str, object]) -> dict[str, object]:
        """Argument by name in the order of the parameters; surplus ones are `args.0`, or their own keyword."""
        positional = [item for item in self.parameters if item.kind in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")]
        rest = next((item.name for item in self.parameters if item.kind == "VAR_POSITIONAL"), "args")
        bound = {item.name: value for item, value in zip(positional, args, strict=False)}
        bound |= {f"{rest}.{index}": value for index, value in enumerate(args[len(positional) :])}
        aliases = dict(self.aliases)
        named = {item.name for item in self.parameters}
        bound |= {name if name in named else aliases.get(name, name): value for name, value in kwargs.items()}
        order = {item.name: index for index, item in enumerate(self.parameters)}
        return dict(sorted(bound.items(), key=lambda item: order.get(item[0].split(".")[0], len(order))))

    def unbind(self, form: Form, args: Sequence[Json]) -> tuple[tuple[Json, ...], dict[str, Json]]:
        """The positional and the keyword arguments of a call with these arguments by name."""
        kinds = {item.name: item.kind for item in self.parameters}
        spread = next((item.name for item in self.parameters if item.kind == "VAR_POSITIONAL"), "args") + "."
        positional: list[Json] = []
        keywords: dict[str, Json] = {}
        expected = [item.name for item in self.parameters if item.kind in ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD")]
        for index, (name, value) in enumerate(zip(form, args, strict=True)):
            in_place = name.startswith(spread) or (index < len(expected) and expected[index] == name)
            if in_place and not keywords and kinds.get(name) != "KEYWORD_ONLY":
                positional.append(value)
            else:
                keywords[name] = value
        return tuple(positional), keywords

    def required(self) -> Form:
        """The names that every call must pass."""
        kinds = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "KEYWORD_ONLY")
        return tuple(item.name for item in self.parameters if item.kind in kinds and not item.has_default)


def agree(functions: Sequence[Function]) -> Signature:
    """The signature that most of the branches share; the first of equals."""
    shapes = [tuple(item.name for item in function.parameters) for function in functions]
    if not shapes:
        return Signature()
    chosen = functions[shapes.index(Counter(shapes).most_common(1)[0][0])].parameters
    aliases: dict[str, str] = {}
    for function in functions:
        if len(function.parameters) == len(chosen):
            pairs = zip(function.parameters, chosen, strict=True)
            aliases |= {other.name: own.name for other, own in pairs if other.name != own.name}
    return Signature(chosen, tuple(aliases.items()))


def bind_calls(signature: Signature, calls: Sequence[Call]) -> list[dict[str, object]]:
    """The decoded arguments of every call that can be played again."""
    bound = []
    for call in calls:
        if not call.replayable:
            continue
        try:
            args = [decode(value) for value in call.args]
            kwargs = {name: decode(value) for name, value in call.kwargs.items()}
        except (ValueError, TypeError):
            continue
        bound.append(signature.bind(args, kwargs))
    return bound
