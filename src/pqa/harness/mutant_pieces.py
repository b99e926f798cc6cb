"""Mutant pieces: a file's code as one code object a statement, so that for a mutant only the changed part is compiled.

Run one after another in one module they do what the whole file does. That is for running a module again within a fork;
whoever imports the file afresh gets it whole.
"""

from __future__ import annotations

import ast
import types
from typing import Any, Optional

import mutant_code
from mutants import Mutant, Source


class Pieces:
    """The statements of one file; made before the forks, so that all share what was compiled."""

    def __init__(self, source: Source, counter: mutant_code.Counter) -> None:
        self.source, self.counter = source, counter
        body = source.tree.body
        self.clean = [self.compiled(body[at : at + 1], first=at == 0) for at in range(len(body))]
        self.place = {id(node): at for at, each in enumerate(body) for node in ast.walk(each)}

    def compiled(self, statements: list[Any], *, first: bool) -> types.CodeType:
        """The code of some statements; a text that is not the file's first statement is no docstring."""
        if not first and all(is_text(each) for each in statements):
            statements = [ast.copy_location(ast.Pass(), statements[0])]
        made = mutant_code.compiled(ast.Module(body=statements, type_ignores=[]), self.source)
        return mutant_code.marked(made, self.counter.call)

    def changed(self, mutant: Mutant) -> list[types.CodeType]:
        """All pieces with the change."""
        at = mutant.place if mutant.parent is self.source.tree else self.place[id(mutant.parent)]
        pieces = list(self.clean)
        pieces[at] = self.with_function(mutant, pieces[at]) or self.with_statement(mutant, at)
        return pieces

    def with_statement(self, mutant: Mutant, at: int) -> types.CodeType:
        """A statement compiled with the change, and with the count before it where it is changed itself."""
        body = self.source.tree.body
        before = len(body)
        with mutant_code.Applied(mutant):
            return self.compiled(body[at : at + 1 + len(body) - before], first=at == 0)

    def with_function(self, mutant: Mutant, piece: types.CodeType) -> Optional[types.CodeType]:
        """A statement's code with that of a changed function in the place of the old one."""
        if mutant.root is None:
            return None
        new = mutant_code.part(self.source, mutant.root, mutant, self.counter)
        if new is None:
            return None
        names = [*(holder.name for holder in self.source.classes[id(mutant.root)]), mutant.root.name]
        made, times = replaced(piece, names, new)
        return made if times == 1 else None


def replaced(code: types.CodeType, names: list[str], new: types.CodeType) -> tuple[types.CodeType, int]:
    """The code with another one at the end of a path of names, and how often it stands there."""
    constants, times = [], 0
    for each in code.co_consts:
        made: Any = each
        if isinstance(each, types.CodeType) and each.co_name == names[0]:
            if len(names) > 1:
                made, found = replaced(each, names[1:], new)
                times += found
            elif each.co_firstlineno == new.co_firstlineno and each.co_freevars == new.co_freevars:
                made, times = new, times + 1
        constants.append(made)
    return (code.replace(co_consts=tuple(constants)) if times else code), times


def is_text(node: Any) -> bool:
    """Whether a statement is a text alone."""
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
