"""Suite: run one test suite in the child and say of every test what became of it.

job: {"paths": [...], "root": folder or "", "copy": {"from": folder, "skip": [...]} or absent, "record": bool,
"coverage": bool, "code": [...], "select": [node ids], "extra": [pytest arguments], "sentinel": {...} or absent,
"inert": bool, whether the code's bodies are replaced by a stop}. "copy" may instead be {"files": {path: base64}}.
With "copy" the suite is not the branch's: it is copied to a fresh folder, and neither the branch's conftest nor its
pytest plug-ins apply to it.
Records: first, before any code of the branch, {"sentinel": placed}; then {"collected": [ids]}, {"deselected": n},
{"collect_error", "message", "missing"}, {"test", "outcome", "message"}, {"stray", "path"}, {"coverage", "why"},
{"missed", "lines"}, those of `recorder`, {"missing": "pytest"}, {"exit": status}.
"""

from __future__ import annotations

import base64
import importlib
import importlib.util
import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from typing import Any, Optional

import coverer
import inert
import naming
import plain_suite
import recorder
import reporter
import suite_options

SKIPPED_FOLDERS = ("__pycache__", ".git", ".pytest_cache", ".venv", "node_modules", ".pqa")


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """Run the suite; the last record is its exit status."""
    emit = reporter.Numbered(emit)
    root = prepare_root(job, context)
    paths = list(job["paths"])
    os.chdir(root)
    if job.get("inert"):
        inert.install(context.source)
    sentinel = place_sentinel(job.get("sentinel"), root)
    watcher = recorder.Recorder(context.source, job["code"], root) if job.get("record") else None
    pytest = trusted("pytest", context)
    emit({"sentinel": bool(sentinel) and pytest is not None})
    if pytest is None and not plain_suite.is_enough(root, paths):
        emit({"missing": "pytest"})
        return
    measure = None
    if job.get("coverage"):
        measure = coverer.Coverer(trusted("coverage", context), context.source, job["code"])
    if pytest is None:
        status = plain_suite.run(root, paths, emit, watcher)
    else:
        arguments = suite_options.arguments(job, root, context, own=not job.get("copy"))
        plugin = reporter.Reporter(emit, watcher, bare=context.bare)
        chosen = [*(job.get("select") or paths), *sentinel]
        status = int(pytest.main([*chosen, *arguments], plugins=[plugin.hooks(pytest)]))
    finish(measure, watcher, job, context, emit)
    emit({"exit": status})


def place_sentinel(sentinel: Optional[Mapping[str, str]], root: str) -> list[str]:
    """Write the host's pair of tests beside the suite's; its path, or nothing where nothing can be written."""
    if not sentinel:
        return []
    name = os.path.join(sentinel["folder"], sentinel["name"])
    try:
        with open(os.path.join(root, name), "x", encoding="utf-8") as target:
            target.write(sentinel["source"])
    except OSError:
        return []
    return [name]


def trusted(name: str, context: Any) -> Any:
    """A library of the interpreter's; None when there is none, or when the branch would bring its own."""
    if name not in sys.modules:
        try:
            origin = getattr(importlib.util.find_spec(name), "origin", None)
        except (ImportError, ValueError):
            return None
        own = os.path.realpath(context.source) + os.sep
        if not isinstance(origin, str) or os.path.realpath(origin).startswith(own):
            return None
    return importlib.import_module(name)


def prepare_root(job: Mapping[str, Any], context: Any) -> str:
    """The folder that the suite is run in; a suite from elsewhere is copied, so that it can write beside itself."""
    copy: Optional[Mapping[str, Any]] = job.get("copy")
    if not copy:
        return os.path.join(context.source, job.get("root") or "")
    target = os.path.join(tempfile.mkdtemp(), "suite")
    if "files" in copy:
        write_suite(target, copy["files"])
        return target
    origin = os.path.realpath(context.place(copy["from"]))
    copy_suite(origin, target, {os.path.join(origin, name) for name in copy.get("skip", ())})
    return os.path.join(target, job.get("root") or "")


def write_suite(target: str, files: Mapping[str, str]) -> None:
    """Write a suite that came with the job; a path that would leave the folder is left out."""
    os.makedirs(target)
    for name, content in files.items():
        path = os.path.normpath(os.path.join(target, name))
        if path.startswith(target + os.sep):
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "wb") as written:
                written.write(base64.b64decode(content))


def copy_suite(origin: str, target: str, left_out: set[str]) -> None:
    """Copy contents only: links are left out, and modes and times are not ours to set in every sandbox."""
    for folder, names, files in os.walk(origin):
        inner = os.path.join(target, os.path.relpath(folder, origin))
        os.makedirs(inner, exist_ok=True)
        names[:] = [
            name
            for name in names
            if name not in SKIPPED_FOLDERS
            and not os.path.islink(os.path.join(folder, name))
            and os.path.join(folder, name) not in left_out
        ]
        for name in files:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and not os.path.islink(path) and path not in left_out:
                shutil.copyfile(path, os.path.join(inner, name))


def finish(measure: Optional[coverer.Coverer], watcher: Any, job: Mapping[str, Any], context: Any, emit: Any) -> None:
    """Say what the tests loaded, covered and called."""
    for name, path in strays(job["code"], context):
        emit({"stray": name, "path": path})
    if measure is not None:
        measure.report(emit)
    if watcher is not None:
        for record in watcher.records():
            emit(record)


def strays(code: list[str], context: Any) -> list[tuple[str, str]]:
    """Modules that go by the name of one in the tree but were loaded from outside it."""
    own = naming.Naming(context.source, code)
    found = []
    for name in code:
        module_name = module_of(name, context)
        path = getattr(sys.modules.get(module_name), "__file__", None)
        if isinstance(path, str) and own.relative(path) is None:
            found.append((module_name, path))
    return found


def module_of(name: str, context: Any) -> str:
    """The dotted name under which a code file is imported, by the first import root that holds it."""
    path = os.path.normpath(os.path.join(context.source, name))
    roots = sorted((os.path.normpath(root) for root in context.import_roots), key=len, reverse=True)
    for root in roots:
        if path.startswith(root + os.sep):
            parts = path[len(root) + 1 : -len(".py")].split(os.sep)
            return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
    return name[: -len(".py")].replace("/", ".")
