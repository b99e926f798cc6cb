"""Static tests: which tests the files of a suite define, read from their syntax in the branch's interpreter; nothing is run.

job: {"files": [...]}; one record a file: {"file", "tests": ["TestGroup::test_name", "test_name"]}.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from typing import Any, Union

DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """A file that cannot be read has no tests here; the run of the suite says what is wrong with it."""
    for name in job["files"]:
        try:
            with open(os.path.join(context.source, name), "rb") as source:
                module = ast.parse(source.read())
        except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        emit({"file": name, "tests": sorted(set(tests_of(module.body)))})


def tests_of(body: list[ast.stmt]) -> Iterator[str]:
    """Tests that stand unconditionally in a module, by pytest's own rules for names."""
    for node in body:
        if isinstance(node, DEFINITIONS) and is_test(node):
            yield node.name
        elif isinstance(node, ast.ClassDef) and is_group(node):
            for each in node.body:
                if isinstance(each, DEFINITIONS) and is_test(each):
                    yield node.name + "::" + each.name


def is_test(node: Union[ast.FunctionDef, ast.AsyncFunctionDef]) -> bool:
    """A plain definition of that name; one that is decorated with anything but marks may be no test at all."""
    return node.name.startswith("test") and all(
        "mark" in ast.dump(decorator) or "patch" in ast.dump(decorator) for decorator in node.decorator_list
    )


def is_group(node: ast.ClassDef) -> bool:
    """A class whose methods are tests."""
    names = {each.name for each in node.body if isinstance(each, DEFINITIONS)}
    names |= {
        target.id
        for each in node.body
        if isinstance(each, ast.Assign)
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    if names & {"__init__", "__new__", "__test__"} or node.decorator_list:
        return False
    named = [getattr(base, "attr", "") or getattr(base, "id", "") for base in node.bases]
    case = any(str(name).endswith("TestCase") for name in named)
    return case or (node.name.startswith("Test") and not node.bases)
