"""Values: plain JSON for the Python values that a branch gives, by exact type, bounded, never by `repr` or pickle."""

from __future__ import annotations

import builtins
import collections
import datetime
import decimal
import fractions
import itertools
import json
import math
import types
from collections.abc import Callable
from typing import Any

MAXIMUM_NODES = 20_000
MAXIMUM_DEPTH = 60
MAXIMUM_TEXT = 200_000
MAXIMUM_ITERATED = 2_000
LONG_INT_BITS = 10_000

_ITERATORS: tuple[type, ...] = (
    types.GeneratorType,
    map,
    filter,
    zip,
    enumerate,
    reversed,
    itertools.chain,
    itertools.islice,
    type(iter([])),
    type(iter(())),
    type(iter({})),
    type(iter("")),
    type(iter(range(0))),
    type(iter(set())),
    type({}.keys()),
    type({}.values()),
    type({}.items()),
)


_NAMED_TYPES: tuple[type, ...] = (
    *(bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset),
    *(kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, Exception)),
)
"""Built-in types that a caller may pass as such, by name."""


MAKERS: dict[str, Callable[[Any], Any]] = {}
"""What builds the values of further kinds, by `$type`; filled by the module that knows them."""


class TooLarge(Exception):
    """The value has more nodes than an outcome may hold."""


class Encoder:
    """Encodes one outcome; counts nodes so that a huge value costs a bounded amount."""

    def __init__(
        self, consume: bool = True, names: dict[int, str] | None = None, making: Callable[..., Any] | None = None
    ) -> None:
        self.nodes = 0
        self.consume = consume
        self.names = names or {}
        self.making = making

    def encode(self, value: Any, depth: int = 0) -> Any:
        """The JSON form of `value`; a value without a plain form becomes {"$type": "other"}."""
        self.nodes += 1
        if self.nodes > MAXIMUM_NODES or depth > MAXIMUM_DEPTH:
            raise TooLarge()
        kind = type(value)
        if kind is type(None) or kind is bool:
            return value
        if id(value) in self.names and kind not in (int, str):
            return {"$name": self.names[id(value)]}
        if kind is int:
            return (
                value if value.bit_length() <= LONG_INT_BITS else {"$type": "int", "value": hex(value)[:MAXIMUM_TEXT]}
            )
        if kind is float:
            return value if math.isfinite(value) else {"$type": "float", "value": repr(value)}
        if kind is str:
            if len(value) > MAXIMUM_TEXT:
                raise TooLarge()
            return value
        if kind is list:
            return [self.encode(item, depth + 1) for item in list.__iter__(value)]
        if kind is dict:
            return self._dict(value, depth)
        return self._typed(kind, value, depth)

    def _dict(self, value: Any, depth: int) -> Any:
        pairs = list(dict.items(value))
        if all(type(key) is str and not key.startswith("$") for key, _ in pairs):
            return {key: self.encode(item, depth + 1) for key, item in pairs}
        return {"$type": "dict", "value": [[self.encode(k, depth + 1), self.encode(v, depth + 1)] for k, v in pairs]}

    def _typed(self, kind: type, value: Any, depth: int) -> Any:
        if kind is tuple:
            return {"$type": "tuple", "value": [self.encode(item, depth + 1) for item in tuple.__iter__(value)]}
        if kind in (set, frozenset):
            items = [self.encode(item, depth + 1) for item in kind.__iter__(value)]
            return {"$type": kind.__name__, "value": sorted(items, key=canonical)}
        if kind in (bytes, bytearray):
            return {"$type": kind.__name__, "value": bytes(value[:MAXIMUM_TEXT]).decode("latin-1")}
        if kind is complex:
            return {
                "$type": "complex",
                "value": [self.encode(value.real, depth + 1), self.encode(value.imag, depth + 1)],
            }
        if kind in (decimal.Decimal, fractions.Fraction):
            return {"$type": kind.__name__.lower(), "value": str(value)}
        if kind in (datetime.date, datetime.time, datetime.datetime):
            return {"$type": kind.__name__, "value": value.isoformat()}
        if kind is datetime.timedelta:
            return {"$type": "timedelta", "value": [value.days, value.seconds, value.microseconds]}
        if kind is range:
            return {"$type": "iterator", "value": [self.encode(item) for item in value[:MAXIMUM_ITERATED]]}
        return self._composite(kind, value, depth)

    def _composite(self, kind: type, value: Any, depth: int) -> Any:
        if kind is type and value in _NAMED_TYPES:
            return {"$type": "type", "value": value.__name__}
        if kind in (collections.OrderedDict, collections.defaultdict, collections.Counter):
            return self._dict(value, depth)
        if kind is collections.deque:
            return {"$type": "iterator", "value": [self.encode(item, depth + 1) for item in list(value)]}
        if kind in _ITERATORS and self.consume:
            return self._iterator(value, depth)
        name = _class_name(kind)
        fields = fields_of(kind)
        made = self.making(value, fields, lambda item: self.encode(item, depth + 1)) if self.making else None
        if made is not None:
            return made
        if fields is not None and issubclass(kind, tuple):
            return {
                "$type": "object",
                "class": name,
                "value": {f: self.encode(tuple.__getitem__(value, i), depth + 1) for i, f in enumerate(fields)},
            }
        if fields is not None:
            found = {f: object.__getattribute__(value, f) for f in fields if _has(value, f)}
            return {"$type": "object", "class": name, "value": {f: self.encode(v, depth + 1) for f, v in found.items()}}
        return {"$type": "other", "value": name}

    def _iterator(self, value: Any, depth: int) -> Any:
        items = [self.encode(item, depth + 1) for item in itertools.islice(value, MAXIMUM_ITERATED)]
        return {"$type": "iterator", "value": items}


def _class_name(kind: type) -> str:
    name = type.__getattribute__(kind, "__name__")
    return name if type(name) is str else "?"


def fields_of(kind: type) -> list[str] | None:
    """Field names of a dataclass, a named tuple or an enum member; None for any other class."""
    space = type.__getattribute__(kind, "__dict__")
    for source in ("__dataclass_fields__", "_fields", "_value2member_map_"):
        found = space.get(source)
        if source == "__dataclass_fields__" and type(found) is dict:
            return [name for name in found if type(name) is str]
        if source == "_fields" and type(found) is tuple:
            return [name for name in found if type(name) is str]
        if source == "_value2member_map_" and type(found) is dict:
            return ["_name_"]
    return None


def _has(value: Any, name: str) -> bool:
    try:
        object.__getattribute__(value, name)
    except Exception:
        return False
    return True


def canonical(value: Any) -> str:
    """One text for one encoded value."""
    return json.dumps(value, sort_keys=True)


def decode(value: Any, names: dict[str, Any] | None = None) -> Any:
    """The Python value of a JSON form; {"$name": N} is looked up in `names`."""
    if isinstance(value, list):
        return [decode(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    if "$name" in value:
        return (names or {})[value["$name"]]
    if "$type" not in value:
        return {key: decode(item, names) for key, item in value.items()}
    return _decode_typed(value["$type"], value.get("value"), names)


def _decode_typed(kind: str, value: Any, names: dict[str, Any] | None) -> Any:
    if kind == "once":
        return iter([decode(item, names) for item in value])
    items: dict[str, Any] = {"tuple": tuple, "set": set, "frozenset": frozenset, "list": list, "iterator": list}
    if kind in items:
        return items[kind](decode(item, names) for item in value)
    if kind == "dict":
        return {decode(k, names): decode(v, names) for k, v in value}
    if kind in MAKERS:
        return MAKERS[kind](value)
    if kind == "bytes":
        return value.encode("latin-1")
    if kind == "bytearray":
        return bytearray(value.encode("latin-1"))
    if kind == "timedelta":
        return datetime.timedelta(*value)
    if kind == "complex":
        return complex(float(decode(value[0])), float(decode(value[1])))
    if kind == "int":
        return int(value, 16)
    scalars: dict[str, Any] = {
        "float": float,
        "type": {each.__name__: each for each in _NAMED_TYPES}.__getitem__,
        "decimal": decimal.Decimal,
        "fraction": fractions.Fraction,
        "date": datetime.date.fromisoformat,
        "time": datetime.time.fromisoformat,
        "datetime": datetime.datetime.fromisoformat,
    }
    return scalars[kind](value)


def decode_known(value: Any) -> Any:
    """The same, where opaque parts stand for themselves as plain text."""
    if isinstance(value, list):
        return [decode_known(item) for item in value]
    if isinstance(value, dict) and value.get("$type") in ("other", "object"):
        return "<" + str(value.get("class") or value.get("value")) + ">"
    if isinstance(value, dict) and "$type" not in value:
        return {key: decode_known(item) for key, item in value.items()}
    return decode(value)
