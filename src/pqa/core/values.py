"""Values: plain JSON for Python values, exact in their types; the host's half of what `harness/values.py` does inside.

JSON's own types stand for themselves; every other value is {"$type": NAME, "value": V}: tuple, set, frozenset,
bytes (latin-1 text), complex [re, im], float ("nan", "inf", "-inf"), dict [[key, value], ...] when a key is not a
plain string, int (hexadecimal text, when too long for a decimal one), decimal, fraction, date, time, datetime and
timedelta as text, type by the name of a built-in one, callable by the form of its stand-in, public
by the dotted name of what the branch itself offers, once (an iterator) by its items. {"$type": "other"} is a
value that has no plain form: it is never equal to a plain one.
"""

from __future__ import annotations

import builtins
import datetime
import decimal
import fractions
import json
import math
from collections.abc import Callable, Iterable

from pqa.core.stand_in import Made, Once, PublicName, StandIn
from pqa.core.trigger import Json

PLAIN_TYPES = (type(None), bool, int, str)
NAMED_TYPES = {
    each.__name__: each
    for each in (
        *(bool, int, float, complex, str, bytes, list, tuple, dict, set, frozenset),
        *(kind for kind in vars(builtins).values() if isinstance(kind, type) and issubclass(kind, Exception)),
    )
}
LONG_INT_BITS = 10_000
LONG_RUN = 8


def encode(value: object) -> Json:
    """The JSON form of `value`; raises ValueError for one that has no plain form."""
    if type(value) is float:
        return value if math.isfinite(value) else {"$type": "float", "value": repr(value)}
    if type(value) is int and value.bit_length() > LONG_INT_BITS:
        return {"$type": "int", "value": hex(value)}
    if type(value) in PLAIN_TYPES:
        return value
    if type(value) is list:
        return [encode(item) for item in value]
    if type(value) is dict:
        return _encode_dict(value)
    return _encode_typed(value)


def _encode_dict(value: dict[object, object]) -> Json:
    if all(type(key) is str and not key.startswith("$") for key in value):
        return {str(key): encode(item) for key, item in value.items()}
    return {"$type": "dict", "value": [[encode(key), encode(item)] for key, item in value.items()]}


def _encode_typed(value: object) -> Json:
    kind = type(value)
    if kind is tuple and isinstance(value, tuple):
        return {"$type": "tuple", "value": [encode(item) for item in value]}
    if kind in (set, frozenset) and isinstance(value, set | frozenset):
        return {"$type": kind.__name__, "value": sorted((encode(item) for item in value), key=canonical)}
    if kind in (bytes, bytearray) and isinstance(value, bytes | bytearray):
        return {"$type": kind.__name__, "value": value.decode("latin-1")}
    if kind is complex and isinstance(value, complex):
        return {"$type": "complex", "value": [encode(value.real), encode(value.imag)]}
    if kind in (decimal.Decimal, fractions.Fraction):
        return {"$type": kind.__name__.lower(), "value": str(value)}
    if kind in (datetime.date, datetime.time, datetime.datetime) and isinstance(value, datetime.date | datetime.time):
        return {"$type": kind.__name__, "value": value.isoformat()}
    if isinstance(value, Once):
        return {"$type": "once", "value": value.items()}
    if isinstance(value, PublicName):
        return {"$type": "public", "value": value.text}
    if isinstance(value, StandIn):
        return {"$type": "callable", "value": value.form()}
    if isinstance(value, Made):
        return {"$type": "made", "value": value.form()}
    if kind is type and isinstance(value, type) and value in NAMED_TYPES.values():
        return {"$type": "type", "value": value.__name__}
    if isinstance(value, datetime.timedelta):
        return {"$type": "timedelta", "value": [value.days, value.seconds, value.microseconds]}
    raise ValueError(f"a value of type '{kind.__name__}' has no plain form")


def decode(value: Json) -> object:
    """The Python value of a JSON form; raises ValueError for an unknown or opaque `$type`, and for a form that a branch may
    have written itself and that stands for nothing."""
    if isinstance(value, list):
        return [decode(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "$type" not in value:
        return {key: decode(item) for key, item in value.items()}
    try:
        return _decode_typed(str(value["$type"]), value.get("value"))
    except (TypeError, LookupError, ArithmeticError) as error:
        raise ValueError(f"a value of kind '{value['$type']}' cannot be rebuilt: {error}") from error


def _decode_typed(kind: str, value: Json) -> object:
    items: dict[str, Callable[[Iterable[object]], object]] = {
        "tuple": tuple,
        "set": set,
        "frozenset": frozenset,
        "list": list,
        "iterator": list,
    }
    if kind in items:
        return items[kind](decode(item) for item in value)
    if kind == "dict":
        return {decode(key): decode(item) for key, item in value}
    if kind in ("bytes", "bytearray"):
        raw = str(value).encode("latin-1")
        return raw if kind == "bytes" else bytearray(raw)
    if kind == "timedelta":
        return datetime.timedelta(*value)
    return _decode_scalar(kind, value)


def _decode_scalar(kind: str, value: Json) -> object:
    if kind == "once":
        return Once(canonical(value))
    if kind == "public":
        return PublicName(str(value))
    if kind == "callable":
        return StandIn(canonical(value))
    if kind == "made":
        return Made(canonical(value))
    if kind == "complex":
        return complex(float(value[0]), float(value[1]))
    if kind == "int":
        return int(str(value), 16)
    scalars: dict[str, Callable[[str], object]] = {
        "type": _named_type,
        "float": float,
        "decimal": decimal.Decimal,
        "fraction": fractions.Fraction,
        "date": datetime.date.fromisoformat,
        "time": datetime.time.fromisoformat,
        "datetime": datetime.datetime.fromisoformat,
    }
    if kind not in scalars:
        raise ValueError(f"a value of kind '{kind}' cannot be rebuilt")
    return scalars[kind](str(value))


def _named_type(name: str) -> object:
    if name not in NAMED_TYPES:
        raise ValueError(f"'{name}' is no built-in type")
    return NAMED_TYPES[name]


def canonical(value: Json) -> str:
    """One text for one encoded value, to compare and to sort by."""
    return json.dumps(value, sort_keys=True, ensure_ascii=True, separators=(",", ":"))


def source_text(value: Json) -> str:
    """The encoded value as Python source, for triggers, questions and people."""
    if isinstance(value, dict) and "$name" in value:
        return str(value["$name"])
    if isinstance(value, dict) and value.get("$type") == "once":
        return f"iter({source_text(value['value'])})"
    if isinstance(value, dict) and value.get("$type") == "public":
        return PublicName(str(value["value"])).words
    if isinstance(value, dict) and value.get("$type") == "callable":
        return StandIn(canonical(value["value"])).words(source_text)
    if isinstance(value, dict) and value.get("$type") == "made":
        return Made(canonical(value["value"])).words(source_text)
    if isinstance(value, dict) and value.get("$type") in ("other", "object", "iterator"):
        inner = value.get("value")
        return source_text(inner) if value["$type"] == "iterator" else f"<{value.get('class', inner)}>"
    if isinstance(value, list):
        return _run_of_numbers(value) or "[" + ", ".join(source_text(item) for item in value) + "]"
    if isinstance(value, dict) and "$type" not in value:
        return "{" + ", ".join(f"{key!r}: {source_text(item)}" for key, item in value.items()) + "}"
    try:
        return _constructor(decode(value))
    except (ValueError, TypeError):
        return "<?>"


def _run_of_numbers(value: list[Json]) -> str:
    """`list(range(a, b))` for a long run of numbers that rise by one; "" for any other list."""
    if len(value) < LONG_RUN or type(value[0]) is not int:
        return ""
    start = value[0]
    if any(type(item) is not int or item != start + index for index, item in enumerate(value)):
        return ""
    return f"list(range({start}, {start + len(value)}))" if start else f"list(range({len(value)}))"


def _constructor(value: object) -> str:
    if isinstance(value, type):
        return value.__name__
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, decimal.Decimal | fractions.Fraction):
        return f"{type(value).__name__}({str(value)!r})"
    if type(value) is tuple:
        inner = ", ".join(_constructor(item) for item in value)
        return f"({inner},)" if len(value) == 1 else f"({inner})"
    if type(value) in (set, frozenset) and isinstance(value, set | frozenset):
        inner = ", ".join(sorted(_constructor(item) for item in value))
        return (f"{{{inner}}}" if value else "set()") if type(value) is set else f"frozenset({{{inner}}})"
    if type(value) is dict:
        return "{" + ", ".join(f"{_constructor(key)}: {_constructor(item)}" for key, item in value.items()) + "}"
    return f"[{', '.join(_constructor(item) for item in value)}]" if type(value) is list else repr(value)
