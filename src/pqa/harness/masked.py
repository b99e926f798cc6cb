"""Masked: observe without the tells of a test run, or with false ones, and with chosen constants of the code changed.

job: as for `observe`, and {"test": node id whose run is pretended, or "" for no test run, "changes": {file: [places]}}.
"""

from __future__ import annotations

import ast
import importlib
import importlib.machinery
import os
import sys
from collections.abc import Mapping
from types import CodeType
from typing import Any, Callable, Optional

import calls
import observe

RUNNERS = ("pytest", "_pytest", "pluggy", "iniconfig", "unittest", "coverage", "hypothesis", "nose", "nose2", "xdist")
SIGN = "\ue000"
FAR = 982_451_653
CALLER = "def {name}(*arguments, **keywords):\n    return target(*arguments, **keywords)\n"


def run(job: dict[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> None:
    """Set the stage, then observe."""
    if job.get("changes"):
        install(context.source, job["changes"])
    if job.get("test"):
        pretend(str(job["test"]), context.source)
    else:
        forget()
        if context.copied:
            hide(context.source)
    observe.run(job, emit, context)


def forget() -> None:
    """No test runner is loaded, and the environment knows none."""
    for name in list(sys.modules):
        if name.split(".")[0] in RUNNERS:
            del sys.modules[name]
    for name in [name for name in os.environ if name.startswith("PYTEST")]:
        del os.environ[name]


def hide(source: str) -> None:
    """No test file lies beside the code."""
    for folder, names, files in os.walk(source):
        names[:] = [name for name in names if not os.path.islink(os.path.join(folder, name))]
        for name in files:
            if name.endswith(".py") and (
                name.startswith("test_") or name.endswith("_test.py") or name == "conftest.py"
            ):
                try:
                    os.unlink(os.path.join(folder, name))
                except OSError:
                    return


def pretend(test: str, source: str) -> None:
    """What code sees that looks whether a test calls it: modules, environment, arguments, the calling frame."""
    try:
        version = str(getattr(importlib.import_module("pytest"), "__version__", "8.0"))
    except ImportError:
        version = "8.0"
    os.environ["PYTEST_CURRENT_TEST"] = test + " (call)"
    os.environ["PYTEST_VERSION"] = version
    path, _, name = test.partition("::")
    sys.argv[:] = ["pytest", path]
    bare = name.rpartition("::")[2].partition("[")[0]
    text = CALLER.format(name=bare if bare.isidentifier() else "test_it")
    code = compile(text, os.path.join(source, path), "exec")
    found = calls.resolve

    def resolve(name: str) -> Any:
        target = found(name)
        if isinstance(target, type):
            return target
        space: dict[str, Any] = {"target": target, "__name__": os.path.basename(path).partition(".")[0]}
        exec(code, space)
        return next(value for key, value in space.items() if key not in ("target", "__name__", "__builtins__"))

    calls.resolve = resolve


class Changer(ast.NodeTransformer):
    """Gives the literals at some places other values of the same type."""

    def __init__(self, places: Any) -> None:
        self.places = {tuple(each) for each in places}

    def visit(self, node: Any) -> Any:
        """Change a literal whole, or look inside."""
        if isinstance(node, ast.expr) and here(node) in self.places:
            try:
                return changed(node, ast.literal_eval(node))
            except (ValueError, TypeError, SyntaxError):
                return node
        return self.generic_visit(node)


def here(node: Any) -> tuple[Any, ...]:
    """The place of a node."""
    return (node.lineno, node.col_offset, node.end_lineno, node.end_col_offset)


def changed(node: Any, value: Any) -> Any:
    """The expression of the other value."""
    return ast.copy_location(ast.parse(repr(other(value)), mode="eval").body, node)


def other(value: Any) -> Any:
    """Another value of the same type, which nothing expects."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + FAR
    if isinstance(value, (float, complex)):
        return value + FAR + 0.5
    if isinstance(value, str):
        return SIGN + value[1:]
    if isinstance(value, bytes):
        return b"\xff\xfe" + value[2:]
    if isinstance(value, (list, tuple, set)):
        return type(value)([other(each) for each in value] or [SIGN])
    if isinstance(value, dict):
        return {other(key): other(each) for key, each in value.items()} or {SIGN: SIGN}
    return SIGN


def install(root: str, changes: Mapping[str, Any]) -> None:
    """From now on, modules below `root` are imported with their changes; all others as they are."""
    wanted = {os.path.realpath(os.path.join(root, name)): places for name, places in changes.items()}

    class Loader(importlib.machinery.SourceFileLoader):
        """Compiles files below the root with their constants changed."""

        def get_code(self, fullname: str) -> Optional[CodeType]:
            path = self.get_filename(fullname)
            places = wanted.get(os.path.realpath(path))
            if places is None:
                return super().get_code(fullname)
            tree = Changer(places).visit(ast.parse(self.get_data(path), filename=path))
            code: CodeType = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
            return code

    loaders = (
        (importlib.machinery.ExtensionFileLoader, importlib.machinery.EXTENSION_SUFFIXES),
        (Loader, importlib.machinery.SOURCE_SUFFIXES),
    )
    find = importlib.machinery.FileFinder.path_hook(*loaders)

    def hook(path: str) -> Any:
        if not path.startswith(root):
            raise ImportError("not below the root")
        return find(path)

    sys.path_hooks.insert(0, hook)
    sys.path_importer_cache.clear()
