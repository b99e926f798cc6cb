"""Surface: the public names that a branch offers, with their signatures, read in its own interpreter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Parameter:
    """`kind` is inspect's name ("POSITIONAL_OR_KEYWORD", ...); `annotation` its source text or ""; `default` the value,
    where it is a number, a text or a truth value."""

    name: str
    kind: str
    has_default: bool = False
    annotation: str = ""
    default: bool | int | float | str | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A public function or method: `name` is "module.function" or, within a class, the bare method name."""

    name: str
    parameters: tuple[Parameter, ...] = ()
    doc: str = ""
    file: str = ""
    line: int = 0
    body_digest: str = ""
    kind: str = "function"
    returns: str = ""


@dataclass(frozen=True, slots=True)
class Class:
    """A public class: `name` is "module.Class"; `init` the parameters of its constructor without self."""

    name: str
    init: tuple[Parameter, ...] = ()
    methods: tuple[Function, ...] = ()
    doc: str = ""
    file: str = ""
    line: int = 0
    body_digest: str = ""


@dataclass(frozen=True, slots=True)
class Surface:
    """What one branch offers. `unimportable` maps a module to why it could not be imported;
    `strays` maps a module to the path outside the snapshot from which it was loaded: the wrong code.
    `literals` are the plain constants found in the branch's source; `rest_digest` is one of all code beside the public
    functions and classes: what they stand on."""

    functions: tuple[Function, ...] = ()
    classes: tuple[Class, ...] = ()
    unimportable: tuple[tuple[str, str], ...] = ()
    strays: tuple[tuple[str, str], ...] = ()
    literals: tuple[object, ...] = ()
    rest_digest: str = ""
