"""Plain suite: runs a suite of unittest cases where there is no pytest, with the same records."""

from __future__ import annotations

import ast
import importlib
import os
import sys
import traceback
import unittest
from typing import Any

MESSAGE = 2_000


def is_enough(root: str, paths: list[str]) -> bool:
    """Whether all test files hold nothing but unittest cases."""
    files = list(test_files(root, paths))
    return bool(files) and all(_is_unittest(os.path.join(root, name)) for name in files)


def test_files(root: str, paths: list[str]) -> list[str]:
    """The test files below `paths`, relative to `root`; conftest files count, so that they stop the plain runner."""
    found = []
    for path in paths:
        full = os.path.join(root, path)
        if os.path.isfile(full):
            found.append(path)
        for folder, _, names in os.walk(full):
            wanted = [name for name in names if name.endswith(".py") and name.startswith("test")]
            found += [os.path.relpath(os.path.join(folder, name), root) for name in wanted]
    return sorted(set(found))


def _is_unittest(path: str) -> bool:
    if not os.path.basename(path).endswith(".py") or os.path.basename(path) == "conftest.py":
        return os.path.basename(path) == "__init__.py"
    try:
        with open(path, "rb") as source:
            module = ast.parse(source.read())
    except (OSError, SyntaxError, ValueError):
        return False
    for node in ast.walk(module):
        if isinstance(node, (ast.Import, ast.ImportFrom)) and "pytest" in ast.dump(node):
            return False
    for node in module.body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name.startswith("test"):
            return False
        if isinstance(node, ast.ClassDef) and node.name.startswith("Test") and not node.bases:
            return False
    return True


class Result(unittest.TestResult):
    """Emits one record a test; a failed subtest fails its test."""

    def __init__(self, emit: Any, ids: dict[str, str], watcher: Any) -> None:
        super().__init__()
        self.emit, self.ids, self.watcher = emit, ids, watcher
        self.found: tuple[str, str] = ("passed", "")
        self.bad = False

    def startTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        super().startTest(test)
        self.found = ("passed", "")
        if self.watcher is not None:
            self.watcher.on(self.ids[test.id()])

    def stopTest(self, test: unittest.TestCase) -> None:  # noqa: N802
        if self.watcher is not None:
            self.watcher.off()
        super().stopTest(test)
        self.bad = self.bad or self.found[0] == "failed"
        self.emit({"test": self.ids[test.id()], "outcome": self.found[0], "message": self.found[1][-MESSAGE:]})

    def _failed(self, error: Any) -> None:
        self.found = ("failed", "".join(traceback.format_exception_only(*error[:2])))

    def addFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self._failed(err)

    def addError(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self._failed(err)

    def addSubTest(self, test: Any, subtest: Any, err: Any) -> None:  # noqa: N802
        if err is not None:
            self._failed(err)

    def addSkip(self, test: unittest.TestCase, reason: str) -> None:  # noqa: N802
        self.found = ("skipped", reason)

    def addExpectedFailure(self, test: unittest.TestCase, err: Any) -> None:  # noqa: N802
        self.found = ("xfailed", "")

    def addUnexpectedSuccess(self, test: unittest.TestCase) -> None:  # noqa: N802
        self.found = ("failed", "unexpected success")


def run(root: str, paths: list[str], emit: Any, watcher: Any) -> int:
    """Load and run all cases; pytest's exit status."""
    loader, cases, ids = unittest.TestLoader(), [], {}
    for name in test_files(root, paths):
        if os.path.basename(name) == "__init__.py":
            continue
        try:
            loaded = loader.loadTestsFromModule(_load(root, name))
        except Exception as error:
            missing = error.name if isinstance(error, ModuleNotFoundError) else None
            message = (type(error).__name__ + ": " + str(error))[:MESSAGE]
            emit({"collect_error": name, "message": message, "missing": missing})
            emit({"collected": []})
            return 2
        for case in _flat(loaded):
            cases.append(case)
            ids[case.id()] = name + "::" + "::".join(case.id().rsplit(".", 2)[1:])
    emit({"collected": list(ids.values())})
    result = Result(emit, ids, watcher)
    unittest.TestSuite(cases).run(result)
    return 5 if not cases else 1 if result.bad or not result.wasSuccessful() else 0


def _load(root: str, name: str) -> Any:
    folder = os.path.join(root, os.path.dirname(name))
    parts = [os.path.basename(name)[: -len(".py")]]
    while os.path.isfile(os.path.join(folder, "__init__.py")) and folder != os.path.dirname(folder):
        parts.insert(0, os.path.basename(folder))
        folder = os.path.dirname(folder)
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return importlib.import_module(".".join(parts))


def _flat(suite: Any) -> list[Any]:
    return [suite] if not isinstance(suite, unittest.TestSuite) else [case for each in suite for case in _flat(each)]
