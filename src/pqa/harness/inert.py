"""Inert: import a branch with every function body replaced by a stop, the control on which no true trigger shows."""

from __future__ import annotations

import ast
import importlib.machinery
import sys
from types import CodeType
from typing import Any

STOP = 70


class _Stopper(ast.NodeTransformer):
    def _stop(self, node: Any) -> Any:
        node.body = [ast.copy_location(_stop_statement(), node.body[0])]
        node.decorator_list = [d for d in node.decorator_list if _harmless(d)]
        return node

    visit_FunctionDef = _stop
    visit_AsyncFunctionDef = _stop


def _stop_statement() -> ast.Raise:
    return ast.Raise(
        exc=ast.Call(func=ast.Name(id="SystemExit", ctx=ast.Load()), args=[ast.Constant(value=STOP)], keywords=[]),
        cause=None,
    )


def _harmless(decorator: ast.expr) -> bool:
    return isinstance(decorator, ast.Name) and decorator.id in ("staticmethod", "classmethod", "property")


def stopped(source: bytes, path: str) -> CodeType:
    """The code object of `source` with every body stopped."""
    tree = _Stopper().visit(ast.parse(source, filename=path))
    code: CodeType = compile(ast.fix_missing_locations(tree), path, "exec", dont_inherit=True)
    return code


def install(root: str) -> None:
    """From now on, modules below `root` are imported inert; all others as they are."""

    class Loader(importlib.machinery.SourceFileLoader):
        """Compiles files below the root with their bodies stopped."""

        def get_code(self, fullname: str) -> CodeType | None:
            path = self.get_filename(fullname)
            if not path.startswith(root):
                return super().get_code(fullname)
            return stopped(self.get_data(path), path)

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
