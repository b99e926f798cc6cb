"""Surface: import every code module of the tree and report its public functions and classes, as plain text and numbers.

job: {"code": [...], "module_seconds": number}. Records: {"function": {...}}, {"class": {...}}, {"unimportable", "why"},
{"stray", "path"}, {"literal"}, {"rest": a digest of the code beside the public functions and classes}.
"""

from __future__ import annotations

import importlib
import inspect
import os
import signal
import sys
from collections.abc import Iterator, Mapping
from typing import Any, Optional

import bodies
import naming
import suite

SKIPPED_FILES = ("setup.py", "conftest.py", "noxfile.py", "__main__.py", "fabfile.py", "tasks.py")
SKIPPED_FOLDERS = ("tests", "test", "docs", "doc", "examples", "benchmarks", "scripts")
DOCUMENTATION = 4_000
MESSAGE = 300
ANNOTATION = 300
MODULE_SECONDS = 5.0


class Late(BaseException):
    """Raised in a module that takes too long to import."""


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """Import module by module, then report what they offer."""
    seconds = float(job.get("module_seconds", MODULE_SECONDS))
    code = [name for name in job["code"] if is_library(name)]
    names = naming.Naming(context.source, code)
    emit({"rest": bodies.rest(context.source, code)})
    for name in code:
        module_name = suite.module_of(name, context)
        why = import_within(module_name, seconds)
        if why:
            emit({"unimportable": module_name, "why": why})
    for module_name, path in suite.strays(code, context):
        emit({"stray": module_name, "path": path})
    seen: set[int] = set()
    for module_name, module in list(names.modules()):
        for record in offered(module_name, module, names, seen):
            emit(record)
    for literal in bodies.literals(os.path.join(context.source, name) for name in code):
        emit({"literal": literal})


def is_library(name: str) -> bool:
    """Whether a code file is one that users import."""
    parts = name.split("/")
    return parts[-1] not in SKIPPED_FILES and not any(part in SKIPPED_FOLDERS for part in parts[:-1])


def import_within(name: str, seconds: float) -> str:
    """Import one module; why not, or ""."""

    def late(_number: int, _frame: Any) -> None:
        raise Late()

    for number in (signal.SIGPROF, signal.SIGALRM):
        signal.signal(number, late)
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds, 0.1)
        signal.setitimer(signal.ITIMER_REAL, seconds * 4, 0.1)
        importlib.import_module(name)
    except Late:
        return f"it took longer than {seconds:g} seconds to import"
    except BaseException as error:
        try:
            return (type(error).__name__ + ": " + str(error))[:MESSAGE]
        except BaseException:
            return type(error).__name__
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
    return ""


def offered(module_name: str, module: Any, names: naming.Naming, seen: set[int]) -> Iterator[dict[str, Any]]:
    """The functions and classes that a module defines, if public: listed in `__all__`, or without underscore."""
    space = dict(vars(module))
    listed = space.get("__all__")
    wanted = {each for each in listed if type(each) is str} if isinstance(listed, (list, tuple)) else None
    for attribute, value in space.items():
        if wanted is not None and attribute not in wanted:
            continue
        if isinstance(value, type):
            if getattr(value, "__module__", None) == module_name and id(value) not in seen:
                seen.add(id(value))
                name = names.class_name(value)
                if name is not None:
                    yield {"class": class_record(name, value, names)}
            continue
        chain = list(naming.functions_below(value, attribute))
        if not chain or chain[-1].__module__ != module_name or id(chain[-1]) in seen:
            continue
        public = names.public_name(module_name, attribute, value)
        if public is not None and names.relative(chain[-1].__code__.co_filename) is not None:
            seen.add(id(chain[-1]))
            yield {"function": function_record(public, value, chain[-1], "function", names, skip_first=False)}


def function_record(
    name: str, value: Any, function: Any, kind: str, names: naming.Naming, *, skip_first: bool
) -> dict[str, Any]:
    """One function or method."""
    parameters, returns = signature_of(function, skip_first=skip_first)
    return {
        "name": name,
        "kind": kind,
        "parameters": parameters,
        "returns": returns,
        "doc": text_of(getattr(function, "__doc__", None), DOCUMENTATION),
        "file": names.relative(function.__code__.co_filename) or "",
        "line": function.__code__.co_firstlineno,
        "body_digest": bodies.digest(function.__code__.co_filename, function.__code__.co_firstlineno),
        "async": bool(function.__code__.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)),
        "wrapped": value is not function and not isinstance(value, (staticmethod, classmethod, property)),
    }


def signature_of(thing: Any, *, skip_first: bool) -> tuple[list[dict[str, Any]], str]:
    """Parameters and the return annotation, as text."""
    try:
        signature = inspect.signature(thing)
    except Exception:
        return [], ""
    found = list(signature.parameters.values())[1 if skip_first else 0 :]
    empty = inspect.Parameter.empty
    parameters = [
        {
            "name": each.name,
            "kind": each.kind.name,
            "has_default": each.default is not empty,
            "default": each.default if type(each.default) in (bool, int, float, str) else None,
            "annotation": annotation_text(each.annotation),
        }
        for each in found
    ]
    return parameters, annotation_text(signature.return_annotation)


def annotation_text(annotation: Any) -> str:
    """An annotation as it was written, as far as that can be told."""
    if annotation is inspect.Signature.empty:
        return ""
    try:
        return annotation[:ANNOTATION] if type(annotation) is str else inspect.formatannotation(annotation)[:ANNOTATION]
    except Exception:
        return ""


def class_record(name: str, kind: type, names: naming.Naming) -> dict[str, Any]:
    """One class with its public methods, inherited ones from the tree's own classes included."""
    owner = next((each for each in kind.__mro__ if "__init__" in each.__dict__), object)
    init, _ = ([], "") if owner is object else signature_of(owner.__dict__["__init__"], skip_first=True)
    path = getattr(sys.modules.get(kind.__module__), "__file__", "") or ""
    line, digest = bodies.class_place(path, kind.__qualname__)
    return {
        "name": name,
        "init": init,
        "methods": list(methods_of(kind, names)),
        "doc": text_of(type.__getattribute__(kind, "__dict__").get("__doc__"), DOCUMENTATION),
        "file": names.relative(path) or "",
        "line": line,
        "body_digest": digest,
    }


def methods_of(kind: type, names: naming.Naming) -> Iterator[dict[str, Any]]:
    """Methods and properties by attribute name."""
    seen: set[str] = set()
    for owner in kind.__mro__:
        if not names.holds_module(owner.__dict__.get("__module__")):
            continue
        for attribute, value in list(owner.__dict__.items()):
            if attribute in seen or isinstance(value, type):
                continue
            seen.add(attribute)
            record = method_record(attribute, value, names)
            if record is not None and naming.is_public_method(attribute):
                yield record


def method_record(attribute: str, value: Any, names: naming.Naming) -> Optional[dict[str, Any]]:
    """One method, static or class method, or property; None for any other attribute."""
    method_kind = "method"
    if isinstance(value, staticmethod):
        method_kind = "staticmethod"
    elif isinstance(value, classmethod):
        method_kind = "classmethod"
    source = value
    if isinstance(value, property) or hasattr(type(value), "attrname") or type(value).__name__ == "cached_property":
        method_kind, source = "property", getattr(value, "fget", None) or getattr(value, "func", None)
    chain = list(naming.functions_below(source, attribute))
    if not chain or names.relative(chain[-1].__code__.co_filename) is None:
        return None
    return function_record(attribute, value, chain[-1], method_kind, names, skip_first=method_kind != "staticmethod")


def text_of(value: Any, limit: int) -> str:
    """Text, cut to size; anything else is no text."""
    return value[:limit] if type(value) is str else ""
