"""Mutant code: the code objects of a mutant, of one outermost function or of its whole file, with a count of its runs.

Where the change stands, a call is put before the statement that counts how often it was reached: a mutant that never ran
proves nothing. The text of the file is never written anywhere; lines stay what they are.
"""

from __future__ import annotations

import ast
import itertools
import types
import warnings
from collections.abc import Callable, Iterator
from typing import Any, Optional

from mutants import FUNCTIONS, Mutant, Source

MARK = "\0reached"
CLASS_FIELDS: dict[str, Any] = {"bases": [], "keywords": [], "decorator_list": []}


class Counter:
    """Counts calls without a frame of its own."""

    def __init__(self) -> None:
        self.calls = itertools.count()
        self.call: Callable[[], int] = self.calls.__next__
        self.looked = 0

    def taken(self) -> int:
        """How many there were since this was asked last."""
        now = next(self.calls)
        seen, self.looked = now - self.looked, now + 1
        return seen


class Applied:
    """A mutant while its change stands in the tree."""

    def __init__(self, mutant: Optional[Mutant]) -> None:
        self.mutant = mutant
        self.at = -1

    def __enter__(self) -> None:
        mutant = self.mutant
        if mutant is None:
            return
        mutant.put(mutant.new)
        block, owner = mutant.block, mutant.new if mutant.old is mutant.owner else mutant.owner
        self.at = next((at for at, each in enumerate(block) if each is owner), -1)
        if self.at >= 0 and isinstance(owner, ast.stmt) and not _is_future(owner):
            block.insert(self.at, reached_before(owner))
        else:
            self.at = -1

    def __exit__(self, *error: object) -> None:
        if self.mutant is not None:
            if self.at >= 0:
                del self.mutant.block[self.at]
            self.mutant.put(self.mutant.old)


def _is_future(node: Any) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def reached_before(owner: Any) -> ast.stmt:
    """The statement that counts, on the line of the one it stands before."""
    call = ast.Call(func=ast.Constant(MARK), args=[], keywords=[])
    made = ast.fix_missing_locations(ast.copy_location(ast.Expr(call), owner))
    for node in ast.walk(made):
        if hasattr(node, "end_lineno"):
            node.end_lineno = node.lineno  # type: ignore[attr-defined]
    return made


def has_count(mutant: Mutant) -> bool:
    """Whether its runs are counted: not in a handler or a case, whose list takes no statements."""
    return isinstance(mutant.owner, ast.stmt)


def whole(source: Source, mutant: Optional[Mutant], counter: Counter) -> types.CodeType:
    """The file's code with the change."""
    with Applied(mutant):
        made = compiled(source.tree, source)
    return marked(made, counter.call)


def part(source: Source, root: Any, mutant: Optional[Mutant], counter: Counter) -> Optional[types.CodeType]:
    """The code of one outermost function with the change; None where it cannot be compiled alone."""
    body: Any = root
    for holder in reversed(source.classes[id(root)]):
        fields = {**CLASS_FIELDS, "name": holder.name, "body": [body]}
        if hasattr(holder, "type_params"):
            fields["type_params"] = holder.type_params
        body = ast.copy_location(ast.ClassDef(**fields), holder)
    with Applied(mutant):
        try:
            made = compiled(ast.Module(body=[body], type_ignores=[]), source)
        except (SyntaxError, ValueError, TypeError, RecursionError):
            return None
    found = inner_code(made, [*(holder.name for holder in source.classes[id(root)]), root.name])
    return marked(found, counter.call) if found is not None else None


def noted(
    source: Source, root: Any, counter: Counter, statement: Optional[ast.stmt] = None
) -> Optional[types.CodeType]:
    """The code of one outermost function that counts its calls and those of the functions within it; `statement` comes
    first in each. It must not end a body, as `raise` does: the compiler would drop what follows."""
    functions = [node for node in ast.walk(root) if isinstance(node, FUNCTIONS)]
    changed = []
    for function in functions:
        first = function.body[0]
        docstring = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
        at = 1 if docstring and len(function.body) > 1 else 0
        added = [reached_before(function.body[at]), *([statement] if statement is not None else [])]
        function.body[at:at] = added
        changed.append((function.body, at, len(added)))
    try:
        return part(source, root, None, counter)
    finally:
        for body, at, count in changed:
            del body[at : at + count]


def compiled(tree: Any, source: Source) -> types.CodeType:
    """Code of a tree whose nodes stand where they stood in the file."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        made: types.CodeType = compile(tree, source.path, "exec", flags=source.flags, dont_inherit=True)
    return made


def inner_code(code: types.CodeType, names: list[str]) -> Optional[types.CodeType]:
    """The code object at a path of names; scopes of type parameters are looked through."""
    if not names:
        return code
    for each in codes_in(code):
        if each.co_name == names[0]:
            return inner_code(each, names[1:])
        if each.co_name.startswith("<generic parameters"):
            found = inner_code(each, names)
            if found is not None:
                return found
    return None


def codes_in(code: types.CodeType) -> Iterator[types.CodeType]:
    """The code objects among the constants."""
    return (each for each in code.co_consts if isinstance(each, types.CodeType))


def marked(code: types.CodeType, call: Any) -> types.CodeType:
    """The code with the mark replaced by what counts, at every depth."""
    constants = tuple(
        call if type(each) is str and each == MARK else marked(each, call) if isinstance(each, types.CodeType) else each
        for each in code.co_consts
    )
    if all(new is old for new, old in zip(constants, code.co_consts)):
        return code
    return code.replace(co_consts=constants)


def same(left: types.CodeType, right: types.CodeType) -> bool:
    """Whether two code objects do the same, wherever they stand."""
    return _form(left) == _form(right)


def _form(code: types.CodeType) -> tuple[Any, ...]:
    constants = tuple(
        _form(each) if isinstance(each, types.CodeType) else (type(each), repr(each)) for each in code.co_consts
    )
    names = (code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars, code.co_name)
    counts = (code.co_argcount, code.co_kwonlyargcount, code.co_posonlyargcount, code.co_flags)
    return (code.co_code, names, counts, constants)


def plain(source: Source, mutant: Optional[Mutant]) -> Optional[types.CodeType]:
    """The file's code with the change and without the count; None where it does not compile."""
    if mutant is not None:
        mutant.put(mutant.new)
    try:
        return compiled(source.tree, source)
    except (SyntaxError, ValueError, TypeError, RecursionError):
        return None
    finally:
        if mutant is not None:
            mutant.put(mutant.old)
