"""Vain tests: which tests swallow all their assertions, never reach them, or patch what they call; and do they pass regardless?

job to look: {"files": [test files], "names": [bare names of the branch's functions]}; one record each: {"file", "test",
"sign": "swallowed", "dead" or "mocked", "name", "line"}; nothing is run. job to run: as for `suite`, with
{"falsify": {file: [tests]}}: every assertion of these tests is replaced by one that must fail, before anything is imported.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator, Mapping
from typing import Any, Optional

import static_tests
import suite

SWALLOWED, DEAD, MOCKED = "swallowed", "dead", "mocked"
CATCHES = ("AssertionError", "Exception", "BaseException")
ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break)
NESTED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
PATCHES = ("patch", "setattr")
BODIES = ("body", "orelse", "finalbody")


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """Look, or falsify and run."""
    if "falsify" in job:
        if not context.copied:
            return
        for name, tests in job["falsify"].items():
            falsify(os.path.join(context.source, name), set(tests))
        suite.run(job, emit, context)
        return
    names = set(job["names"])
    for file in job["files"]:
        module = parsed(os.path.join(context.source, file))
        for title, node in tests_of(module.body if module is not None else []):
            for sign, name in signs(node, names):
                emit({"file": file, "test": title, "sign": sign, "name": name, "line": node.lineno})


def parsed(path: str) -> Optional[ast.Module]:
    """The syntax of a file; None where it has none."""
    try:
        with open(path, "rb") as source:
            return ast.parse(source.read())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def falsify(path: str, tests: set[str]) -> None:
    """Write the file anew, with assertions that must fail in these tests."""
    module = parsed(path)
    if module is None:
        return
    for title, node in tests_of(module.body):
        if title in tests:
            Falsifier().generic_visit(node)
    with open(path, "wb") as target:
        target.write(ast.unparse(ast.fix_missing_locations(module)).encode())


class Falsifier(ast.NodeTransformer):
    """Puts a false assertion in the place of each."""

    def visit_Assert(self, node: Any) -> Any:
        """A statement of the language."""
        return ast.copy_location(ast.Assert(ast.Constant(False), ast.Constant("falsified")), node)

    def visit_Expr(self, node: Any) -> Any:
        """A call of a method of unittest's."""
        return (
            ast.copy_location(ast.Assert(ast.Constant(False), ast.Constant("falsified")), node)
            if asserts(node)
            else node
        )


def tests_of(body: list[ast.stmt]) -> Iterator[tuple[str, Any]]:
    """The tests of a module, by pytest's rules for names, with their syntax."""
    for node in body:
        if isinstance(node, static_tests.DEFINITIONS) and node.name.startswith("test"):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            for each in node.body:
                if isinstance(each, static_tests.DEFINITIONS) and each.name.startswith("test"):
                    yield node.name + "::" + each.name, each


def asserts(node: Any) -> bool:
    """Whether a statement is an assertion."""
    if isinstance(node, ast.Assert):
        return True
    call = node.value if isinstance(node, ast.Expr) else None
    method = call.func if isinstance(call, ast.Call) else None
    if not isinstance(method, ast.Attribute) or not isinstance(method.value, ast.Name):
        return False
    return method.value.id == "self" and method.attr.startswith("assert") and not method.attr.startswith("assertRaises")


def signs(test: Any, names: set[str]) -> Iterator[tuple[str, str]]:
    """What is wrong with a test: all of its assertions are void for one reason, or it calls what it patches."""
    found = list(void(test.body, ""))
    reasons = {reason for _, reason in found}
    if found and reasons <= {SWALLOWED, DEAD}:
        yield (SWALLOWED if SWALLOWED in reasons else DEAD), ""
    called = {name_of(each.func) for each in ast.walk(test) if isinstance(each, ast.Call)}
    for name in sorted(patched(test) & names & called):
        yield MOCKED, name


def void(body: list[Any], reason: str) -> Iterator[tuple[Any, str]]:
    """Every assertion of some statements, with the reason why it is void, "" where it is not."""
    ended = reason
    for node in body:
        if asserts(node):
            yield node, ended
        elif not isinstance(node, NESTED):
            yield from within(node, ended)
        if isinstance(node, ENDS[:2]):
            ended = ended or DEAD


def within(node: Any, reason: str) -> Iterator[tuple[Any, str]]:
    """The assertions inside a compound statement."""
    inner = reason
    if isinstance(node, ast.Try) and any(swallows(each) for each in node.handlers):
        inner = reason or SWALLOWED
    elif isinstance(node, (ast.If, ast.While)) and isinstance(node.test, ast.Constant) and not node.test.value:
        inner = reason or DEAD
    elif isinstance(node, (ast.With, ast.AsyncWith)) and any(suppresses(item.context_expr) for item in node.items):
        inner = reason or SWALLOWED
    for name in BODIES:
        yield from void(getattr(node, name, None) or [], inner if name == "body" else reason)
    for each in [*getattr(node, "handlers", ()), *getattr(node, "cases", ())]:
        yield from void(each.body, reason)


def swallows(handler: Any) -> bool:
    """Whether a handler takes a failed assertion and neither raises nor calls anything that may."""
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    if not any(kind is None or name_of(kind) in CATCHES for kind in kinds):
        return False
    return not any(isinstance(each, (ast.Raise, ast.Assert)) or fails(each) for each in ast.walk(handler))


def fails(node: Any) -> bool:
    """Whether a call is one by which a test fails."""
    return isinstance(node, ast.Call) and ("fail" in name_of(node.func) or "exit" in name_of(node.func))


def suppresses(node: Any) -> bool:
    """Whether a context manager is `contextlib.suppress` of a failed assertion."""
    return (
        isinstance(node, ast.Call)
        and name_of(node.func) == "suppress"
        and any(name_of(a) in CATCHES for a in node.args)
    )


def name_of(node: Any) -> str:
    """The last name of an expression: of `a.b.c` it is "c"."""
    return str(node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", ""))


def patched(test: Any) -> set[str]:
    """The bare names that a test replaces."""
    found: set[str] = set()
    for node in ast.walk(test):
        if isinstance(node, ast.Call) and is_patch(node.func):
            texts = [
                each.value for each in node.args[:2] if isinstance(each, ast.Constant) and isinstance(each.value, str)
            ]
            found |= {text.rpartition(".")[2] for text in texts[:1]}
        elif isinstance(node, ast.Assign):
            found |= {each.attr for each in node.targets if isinstance(each, ast.Attribute)}
    return found


def is_patch(function: Any) -> bool:
    """Whether a call is one of mock's or monkeypatch's."""
    if name_of(function) == "object" and isinstance(function, ast.Attribute):
        return name_of(function.value) == "patch"
    return name_of(function) in PATCHES
