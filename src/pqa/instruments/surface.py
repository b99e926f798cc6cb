"""Surface: what a branch offers, from the harness's records; they are claims, so malformed ones are ignored."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pqa.core.branch import Branch
from pqa.core.job import JobResult
from pqa.core.ports import Zygote
from pqa.core.surface import Class, Function, Parameter, Surface
from pqa.core.trigger import Json
from pqa.core.values import decode

PARAMETER_KINDS = ("POSITIONAL_ONLY", "POSITIONAL_OR_KEYWORD", "VAR_POSITIONAL", "KEYWORD_ONLY", "VAR_KEYWORD")
FUNCTION_KINDS = ("function", "method", "staticmethod", "classmethod", "property")
LITERALS = 200
MODULE_SECONDS = 5.0
WHOLE = "*"


def read_surface(
    zygote: Zygote, branch: Branch, *, seconds: float = 60.0, module_seconds: float = MODULE_SECONDS
) -> Surface:
    """Import all code modules of the branch in the sandbox and report its public names.

    A run that did not end well adds the entry `("*", why)` to `unimportable`; what it reported until then stands.
    """
    job: dict[str, Json] = {"code": list(branch.code), "module_seconds": min(module_seconds, seconds / 2)}
    return surface_of(zygote.run("surface", job, seconds=seconds))


def surface_of(result: JobResult) -> Surface:
    """The surface that one run of the harness's `surface` job reports, in a stable order."""
    functions = [_function(record["function"]) for record in result.records if "function" in record]
    classes = [_class(record["class"]) for record in result.records if "class" in record]
    unimportable = list(_pairs(result.records, "unimportable", "why"))
    if result.trouble:
        unimportable.append((WHOLE, result.trouble))
    return Surface(
        functions=tuple(sorted((each for each in functions if each is not None), key=lambda each: each.name)),
        classes=tuple(sorted((each for each in classes if each is not None), key=lambda each: each.name)),
        unimportable=tuple(unimportable),
        strays=tuple(_pairs(result.records, "stray", "path")),
        literals=tuple(_literals(result.records)),
        rest_digest=next((one["rest"] for one in result.records if isinstance(one.get("rest"), str)), ""),
    )


def _pairs(records: Iterable[Mapping[str, Json]], key: str, value: str) -> Iterable[tuple[str, str]]:
    for record in records:
        if isinstance(record.get(key), str) and isinstance(record.get(value), str):
            yield record[key], record[value]


def _literals(records: Iterable[Mapping[str, Json]]) -> Iterable[object]:
    number = 0
    for record in records:
        literal = record.get("literal")
        if isinstance(literal, dict):
            try:
                literal = decode(literal)
            except (ValueError, TypeError, KeyError):
                continue
        if type(literal) in (int, float, str, bytes) and number < LITERALS:
            number += 1
            yield literal


def _function(record: Json) -> Function | None:
    if not isinstance(record, dict) or record.get("kind") not in FUNCTION_KINDS:
        return None
    parameters = _parameters(record.get("parameters"))
    if parameters is None or not _has_texts(record, "name", "doc", "file", "body_digest", "returns"):
        return None
    if type(record.get("line")) is not int:
        return None
    return Function(
        name=record["name"],
        parameters=parameters,
        doc=record["doc"],
        file=record["file"],
        line=record["line"],
        body_digest=record["body_digest"],
        kind=record["kind"],
        returns=record["returns"],
    )


def _class(record: Json) -> Class | None:
    if not isinstance(record, dict) or not _has_texts(record, "name", "doc", "file", "body_digest"):
        return None
    init, methods = _parameters(record.get("init")), record.get("methods")
    if init is None or not isinstance(methods, list) or type(record.get("line")) is not int:
        return None
    return Class(
        name=record["name"],
        init=init,
        methods=tuple(method for method in map(_function, methods) if method is not None),
        doc=record["doc"],
        file=record["file"],
        line=record["line"],
        body_digest=record["body_digest"],
    )


def _parameters(records: Json) -> tuple[Parameter, ...] | None:
    if not isinstance(records, list):
        return None
    found = []
    for record in records:
        if not isinstance(record, dict) or not _has_texts(record, "name", "annotation"):
            return None
        if record.get("kind") not in PARAMETER_KINDS or not isinstance(record.get("has_default"), bool):
            return None
        default = record.get("default")
        known = default if isinstance(default, bool | int | float | str) else None
        found.append(Parameter(record["name"], record["kind"], record["has_default"], record["annotation"], known))
    return tuple(found)


def _has_texts(record: Mapping[str, Json], *keys: str) -> bool:
    return all(isinstance(record.get(key), str) for key in keys)
