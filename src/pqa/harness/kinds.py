"""Kinds: what kinds of state the instances of a branch really keep, seen after calls; paths such as "dict/sequence/float".

job: {"cases": [...], "call_seconds"}. One record a case: {"case", "state": [[class, attribute, [paths]]]}.
"""

from __future__ import annotations

import collections
import sys
from collections.abc import Callable, Iterator
from typing import Any

import calls

ITEMS, DEPTH, INSTANCES = 20, 6, 40
MAPPINGS = (dict, collections.OrderedDict, collections.defaultdict, collections.Counter)
SEQUENCES = (list, collections.deque)
SCALARS = (int, float, str, bytes, bool, complex)


def run(job: dict[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> None:
    """Carry out each case from a fresh state, then look at every instance that its set-up built."""
    frozen = calls.FrozenTime()
    frozen.install()
    deadline = calls.Deadline(float(job.get("call_seconds", 0.5)))
    for index, case in enumerate(job["cases"]):
        performer = calls.Performer(deadline, context.source, frozen)
        stopped = any(performer.prepare(item) is not None for item in case.get("setup", ()))
        for item in () if stopped else case.get("calls", ()):
            if "timeout" in performer.call(item):
                break
        found: dict[tuple[str, str], set[str]] = {}
        for thing in list(performer.names.values())[:INSTANCES]:
            for holder, attribute, paths in state_of(thing, context.source):
                found.setdefault((holder, attribute), set()).update(paths)
        emit(
            {
                "case": index,
                "state": [[holder, attribute, sorted(paths)] for (holder, attribute), paths in sorted(found.items())],
            }
        )
    calls.flush()


def state_of(thing: Any, source: str) -> Iterator[tuple[str, str, set[str]]]:
    """(class, attribute, paths) of an instance of one of the branch's own classes."""
    if not is_own(type(thing), source):
        return
    holder = type.__getattribute__(type(thing), "__name__")
    for attribute, value in attributes(thing):
        yield str(holder), attribute, set(paths_of(value, source, "", 0))


def attributes(thing: Any) -> Iterator[tuple[str, Any]]:
    """What an instance keeps in its `__dict__` and its slots."""
    try:
        space = object.__getattribute__(thing, "__dict__")
    except Exception:
        space = {}
    yield from ((name, value) for name, value in list(dict.items(space)) if type(name) is str)
    for kind in type(thing).__mro__:
        slots = kind.__dict__.get("__slots__", ())
        for name in (slots,) if type(slots) is str else tuple(slots):
            try:
                yield name, object.__getattribute__(thing, name)
            except Exception:
                continue


def is_own(kind: type, source: str) -> bool:
    """Whether a class was written in the branch."""
    module = sys.modules.get(str(type.__getattribute__(kind, "__module__")))
    path = getattr(module, "__file__", None)
    return type(path) is str and path.startswith(source)


def paths_of(value: Any, source: str, prefix: str, depth: int) -> Iterator[str]:
    """The paths below one value, the first items of each container looked at."""
    kind = type(value)
    name, inner = "", []
    if kind in MAPPINGS:
        name, inner = "dict", list(dict.values(value))[:ITEMS]
    elif kind in SEQUENCES:
        name, inner = "sequence", list(value)[:ITEMS]
    elif kind in (set, frozenset):
        name, inner = "set", list(value)[:ITEMS]
    elif kind is tuple:
        name, inner = "record", list(value)[:ITEMS]
    elif kind in SCALARS:
        name = kind.__name__
    elif is_own(kind, source):
        name, inner = "object", [held for _, held in attributes(value)][:ITEMS]
    elif kind.__name__.lower().endswith("lock"):
        name = "lock"
    if name:
        yield prefix + name
        for each in inner if depth < DEPTH else ():
            yield from paths_of(each, source, prefix + name + "/", depth + 1)
