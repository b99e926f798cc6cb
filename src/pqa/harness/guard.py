"""Guard: run a suite under watch, on the code or on a control mutant of it, and say which tests were made and which run.

job: as for `suite` without record and coverage, and {"mutant": "", "null" or "gut", "restore": bool}. With "restore" every
test that was collected is run, whatever dropped it afterwards. Records carry sequence numbers: {"sentinel", "mutated": how
many files}, those of `reporter`, {"lies": [what a conftest replaced and now accepts falsehoods]}, {"made": [ids]},
{"set_aside": [ids]}, {"stray", "path"}, {"exit": status}.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Callable, Mapping
from typing import Any

import reporter
import suite
import suite_options
import tampering

NOTE = "# end\n"
PART = 1_000


def run(job: Mapping[str, Any], emit: Any, context: Any) -> None:
    """Change the code before anything of it is imported, then run the suite."""
    say = reporter.Numbered(emit)
    root = suite.prepare_root(job, context)
    mutated = mutate(str(job.get("mutant") or ""), job["code"], context.source)
    os.chdir(root)
    sentinel = suite.place_sentinel(job.get("sentinel"), root)
    pytest = suite.trusted("pytest", context)
    say({"sentinel": bool(sentinel) and pytest is not None, "mutated": mutated})
    if pytest is None:
        say({"missing": "pytest"})
        return
    arguments = suite_options.arguments(job, root, context, own=not job.get("copy"))
    chosen = [*(job.get("select") or job["paths"]), *sentinel]
    before = {title: tampering.current(space) for title, space in tampering.watched(pytest).items()}
    watch = Watch(say, bool(job.get("restore")), lambda: tampering.lying(before, pytest))
    plugins = [reporter.Reporter(say, bare=context.bare).hooks(pytest), watch.hooks(pytest)]
    status = int(pytest.main([*chosen, *arguments], plugins=plugins))
    for name, path in suite.strays(job["code"], context):
        say({"stray": name, "path": path})
    say({"exit": status})


class Watch:
    """A pytest plug-in that remembers every test that was made, before anybody could drop it."""

    def __init__(self, say: Any, restore: bool, lying: Callable[[], list[str]]) -> None:
        self.say, self.restore, self.lying = say, restore, lying
        self.made: list[Any] = []
        self.set_aside: list[str] = []

    def hooks(self, pytest: Any) -> Any:
        """The plug-in object."""
        watch = self

        class Hooks:
            """What pytest calls."""

            def pytest_collection(self) -> None:
                lying = watch.lying()
                if lying:
                    watch.say({"lies": lying[:PART]})

            def pytest_itemcollected(self, item: Any) -> None:
                watch.made.append(item)

            def pytest_deselected(self, items: Any) -> None:
                watch.set_aside += [item.nodeid for item in items]

            def pytest_runtestloop(self, session: Any) -> None:
                watch.begin(session)

        pytest.hookimpl(tryfirst=True)(Hooks.pytest_runtestloop)
        pytest.hookimpl(tryfirst=True)(Hooks.pytest_collection)
        return Hooks()

    def begin(self, session: Any) -> None:
        """Say what there was; bring back what was dropped, where that is asked for."""
        names = [item.nodeid for item in self.made]
        for key, ids in (("made", names), ("set_aside", self.set_aside)):
            for start in range(0, len(ids), PART):
                self.say({key: ids[start : start + PART]})
        if self.restore:
            session.items[:] = self.made


def mutate(mutant: str, files: list[str], source: str) -> int:
    """Rewrite the code of the tree; how many files were changed."""
    changed = 0
    for name in files if mutant else ():
        path = os.path.join(source, name)
        with open(path, "rb") as old:
            content = old.read()
        new = with_note(content) if mutant == "null" else gutted(content)
        if new != content:
            with open(path, "wb") as out:
                out.write(new)
            changed += 1
    return changed


def with_note(content: bytes) -> bytes:
    """The same code with a comment at its end."""
    if not content.strip():
        return content
    return content + (b"" if content.endswith(b"\n") else b"\n") + NOTE.encode()


def gutted(content: bytes) -> bytes:
    """Every body replaced by `return None`."""
    try:
        module = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError):
        return content
    found = [node for node in ast.walk(module) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))]
    for node in found:
        node.body = [ast.Return(ast.Constant(None))]
    return ast.unparse(ast.fix_missing_locations(module)).encode() if found else content
