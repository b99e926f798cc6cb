"""Stand-ins: functions that answer as a callable of the tests did, and remember how they were called.

A form is {"name", "id", "answers": [[args, kwargs, answer], ...], "script": [answer or null, ...], "otherwise": answer or
null}. An answer is {"value": V}, {"raises": NAME}, {"echo": index of the argument} or {"part": [index, how many items]}.
"""

from __future__ import annotations

import builtins
import dis
import importlib
import sys
import types
from typing import Any, Callable, Optional

import values

LOGGED = 200
SILENT_METHODS = (
    *("append", "appendleft", "extend", "add", "update", "insert", "discard", "clear"),
    *("put", "put_nowait", "write", "set"),
)
STEADY = (
    *("RESUME", "LOAD_CONST", "RETURN_CONST", "RETURN_VALUE"),
    *("NOP", "CACHE", "COPY_FREE_VARS", "MAKE_CELL"),
)


class Unanswered(BaseException):
    """The tests do not show what the callable answers here; a BaseException so that `except Exception` lets it pass.

    A branch that swallows it all the same goes on from an answer that nobody gave: `happened` remembers it for the case.
    """

    happened = False


class Answers:
    """What a form says to each call in turn."""

    def __init__(self, form: dict[str, Any]) -> None:
        self.script = form.get("script") or []
        self.otherwise = form.get("otherwise")
        self.table: dict[str, list[Any]] = {}
        for args, kwargs, answer in form.get("answers") or ():
            self.table.setdefault(values.canonical([args, kwargs]), []).append(answer)

    def next(self, number: int, key: str) -> Any:
        """The answer to call `number`: by the script, else the next one recorded for these arguments, else the general one."""
        if number < len(self.script) and self.script[number] is not None:
            return self.script[number]
        known = self.table.get(key)
        if known:
            return known.pop(0) if len(known) > 1 else known[0]
        return self.otherwise


def stand_in(form: dict[str, Any]) -> Callable[..., Any]:
    """A function of any arguments that answers by `form`; its attribute `calls` lists the arguments of each call."""
    answers, count = Answers(form), [0]
    log: list[Any] = []

    def called(*args: Any, **kwargs: Any) -> Any:
        given = [values.Encoder(consume=False).encode(list(args)), values.Encoder(consume=False).encode(kwargs)]
        number, count[0] = count[0], count[0] + 1
        if len(log) < LOGGED:
            log.append(values.decode_known(given[0]) + ([values.decode_known(given[1])] if kwargs else []))
        answer = answers.next(number, values.canonical(given))
        if answer is None:
            Unanswered.happened = True
            raise Unanswered()
        return give(answer, args)

    called.__name__ = called.__qualname__ = str(form.get("name") or "called")
    called.calls = log  # type: ignore[attr-defined]
    return called


def give(answer: dict[str, Any], args: tuple[Any, ...]) -> Any:
    """Return or raise what an answer says."""
    if "raises" in answer:
        raise error_class(answer["raises"])("from the stand-in of a test's callable")
    if "echo" in answer:
        return args[answer["echo"]] if answer["echo"] < len(args) else None
    if "part" in answer:
        index, size = answer["part"]
        whole = args[index] if index < len(args) else None
        return whole[:size] if isinstance(whole, (list, tuple, str)) else whole
    return values.decode(answer["value"])


def error_class(name: str) -> Any:
    """The exception class of a built-in or dotted name."""
    module, _, inner = name.rpartition(".")
    found = getattr(importlib.import_module(module), inner) if module else getattr(builtins, inner)
    return found if isinstance(found, type) and issubclass(found, Exception) else RuntimeError


def known_error(name: str) -> Optional[str]:
    """The name under which an exception class can be found again: a built-in one, or one that a module defines once."""
    if isinstance(getattr(builtins, name, None), type):
        return name
    found = {
        module + "." + name
        for module, loaded in list(sys.modules.items())
        if isinstance(getattr(loaded, "__dict__", {}).get(name), type) and vars(loaded)[name].__module__ == module
    }
    return found.pop() if len(found) == 1 else None


def form_of(thing: Any, name: str, number: int, seen: list[Any], errors: Callable[[str], Optional[str]]) -> Any:
    """The form of a callable that answered the calls in `seen` (args, kwargs, outcome); None where it has none.

    What all answers have in common holds for further calls too: the same value, or one of the arguments.
    """
    answers = []
    for args, kwargs, outcome in seen:
        answer = dict(outcome)
        if "raises" in answer:
            known = errors(answer["raises"])
            if known is None:
                return None
            answer = {"raises": known}
        answers.append([args, kwargs, answer])
    otherwise = general([[args, answer] for args, _, answer in answers]) if answers else silence(thing)
    if not answers and otherwise is None:
        return None
    return {"name": name, "id": number, "answers": distinct(answers, otherwise), "otherwise": otherwise}


def distinct(answers: list[Any], otherwise: Any) -> list[Any]:
    """The answers that the general one does not cover; none where it covers all."""
    rest = [each for each in answers if each[2] != otherwise]
    return answers if rest and (otherwise is None or "echo" not in otherwise) else []


def general(answers: list[Any]) -> Any:
    """What the callable answers whatever it is given, as far as its answers agree; one answer shows it only by being empty."""
    forms = {values.canonical(answer) for _, answer in answers}
    if len(forms) == 1 and (len(answers) > 1 or answers[0][1].get("value") in (None, True, [], {})):
        return answers[0][1]
    for index in range(min(len(args) for args, _ in answers)):
        if len(forms) > 1 and all(answer.get("value", answer) == args[index] for args, answer in answers):
            return {"echo": index}
    return None


def silence(thing: Any) -> Any:
    """What a callable that was never called answers, where its own form tells: a constant, or a container's method."""
    if isinstance(thing, types.BuiltinMethodType) and thing.__name__ in SILENT_METHODS:
        return {"value": None}
    code = getattr(thing, "__code__", None)
    if not isinstance(code, types.CodeType) or code.co_flags & 0x2A0:
        return None
    steps = list(dis.get_instructions(code))
    if not all(step.opname in STEADY for step in steps):
        return None
    constants = [step.argval for step in steps if step.opname in ("LOAD_CONST", "RETURN_CONST")]
    plain = len(constants) == 1 and type(constants[0]) in (type(None), bool, int, float, str)
    return {"value": constants[0]} if plain else None


values.MAKERS["callable"] = stand_in
