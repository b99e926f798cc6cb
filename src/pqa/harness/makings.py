"""Makings: how a test made an object that it passes to the branch, so that the object can be made again.

Form: {"class": dotted name, "args": [...], "kwargs": {...}}, encoded; a member of an enumeration is a public name instead.
Only what is made of plain values by a class of the branch, and not used since, has one.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import naming
import values


class Makings:
    """Knows the classes of the tree, and the instances that the recorder saw being built."""

    def __init__(self, names: naming.Naming, built: Callable[[Any], Any]) -> None:
        self.naming = names
        self.built = built

    def form(self, value: Any, fields: Optional[list[str]], encode: Callable[[Any], Any]) -> Any:
        """The encoded form, or None where the object cannot be made again."""
        kind = type(value)
        name = self.naming.class_name(kind)
        if name is None:
            return None
        if fields == ["_name_"]:
            member = str(object.__getattribute__(value, "_name_"))
            known = type.__getattribute__(kind, "__dict__").get("_member_map_") or {}
            return {"$type": "public", "value": name + "." + member} if known.get(member) is value else None
        if fields is not None and not converts(kind):
            given = stated(kind, value, fields)
            if given is None:
                return None
            encoded = {key: encode(item) for key, item in given.items()}
            named = keyword_only(kind)
            args = [item for key, item in encoded.items() if key not in named]
            return made_of(name, args, {key: item for key, item in encoded.items() if key in named})
        entry = self.built(value)
        return None if entry is None else made_of(name, entry.args, entry.kwargs)


def converts(kind: type) -> bool:
    """Whether a dataclass does something with its fields once it is built: what they hold is then not what it was given."""
    return any(
        "__post_init__" in type.__getattribute__(each, "__dict__") for each in type.__getattribute__(kind, "__mro__")
    )


def made_of(name: str, args: Any, kwargs: Any) -> Any:
    """The form of an object that a class makes of these."""
    return {"$type": "made", "value": {"class": name, "args": args, "kwargs": kwargs}}


def stated(kind: type, value: Any, fields: list[str]) -> Optional[dict[str, Any]]:
    """What a dataclass or a named tuple is made of; None where its constructor takes anything else."""
    space = type.__getattribute__(kind, "__dict__")
    if issubclass(kind, tuple):
        return {field: tuple.__getitem__(value, index) for index, field in enumerate(fields)}
    parameters = space.get("__dataclass_params__")
    known = space.get("__dataclass_fields__") or {}
    if not getattr(parameters, "init", False):
        return None
    kept = {}
    for field in fields:
        sort = str(getattr(known[field], "_field_type", ""))
        if sort == "_FIELD_INITVAR":
            return None
        if sort == "_FIELD" and known[field].init:
            try:
                kept[field] = object.__getattribute__(value, field)
            except AttributeError:
                return None
    return kept


def keyword_only(kind: type) -> set[str]:
    """The fields that a dataclass takes by name only."""
    known = type.__getattribute__(kind, "__dict__").get("__dataclass_fields__") or {}
    return {name for name, field in known.items() if getattr(field, "kw_only", False) is True}


class NotMade(Exception):
    """The branch has no such class or name, or its class refuses what it is to be made of: that says nothing of the call."""


def make(form: Any, resolve: Callable[[str], Any]) -> Any:
    """The object, made again; raises NotMade."""
    args = [values.decode(item) for item in form.get("args") or []]
    kwargs = {key: values.decode(item) for key, item in (form.get("kwargs") or {}).items()}
    try:
        return resolve(form["class"])(*args, **kwargs)
    except Exception as error:
        raise NotMade() from error
