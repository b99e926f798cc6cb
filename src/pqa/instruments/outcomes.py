"""Outcomes: what one call did, compared outside the process that made it, by classes of difference (DESIGN 4.2)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from enum import StrEnum

from pqa.core.trigger import Json
from pqa.core.values import canonical, source_text

Outcome = Mapping[str, Json]
CLOSE = 1e-9


class Difference(StrEnum):
    """How two outcomes differ; only VALUE and RAISES separate branches, the rest is kinship or noise."""

    NONE = "none"
    VALUE = "value"
    RAISES = "raises"
    EXCEPTION_TYPE = "exception-type"
    FLOAT_CLOSE = "float-close"
    TYPE_ONLY = "type-only"
    ORDER_ONLY = "order-only"
    MUTATION = "mutation"
    UNKNOWN = "unknown"


SEPARATING = (Difference.VALUE, Difference.RAISES)


def kind_of(outcome: Outcome) -> str:
    """ "value", "raises", "timeout" or "unknown" (too large, skipped, opaque)."""
    if "value" in outcome:
        return "unknown" if opaque(outcome["value"]) else "value"
    if "raises" in outcome:
        return "raises"
    return "timeout" if "timeout" in outcome else "unknown"


def opaque(value: Json) -> bool:
    """Whether an encoded value holds a part without a plain form, so that equality cannot be told."""
    if isinstance(value, list):
        return any(opaque(item) for item in value)
    if isinstance(value, dict):
        if value.get("$type") == "other":
            return True
        return any(opaque(item) for item in value.values())
    return False


def difference(left: Outcome, right: Outcome) -> Difference:
    """The class of difference between two outcomes of the same call."""
    kinds = kind_of(left), kind_of(right)
    if "unknown" in kinds:
        return Difference.UNKNOWN
    if kinds[0] != kinds[1]:
        return Difference.RAISES
    if kinds[0] == "timeout":
        return Difference.NONE
    if kinds[0] == "raises":
        return Difference.NONE if left["raises"] == right["raises"] else Difference.EXCEPTION_TYPE
    found = value_difference(left["value"], right["value"])
    if found is Difference.NONE and canonical(left.get("mutated")) != canonical(right.get("mutated")):
        return Difference.MUTATION
    return found


def value_difference(left: Json, right: Json) -> Difference:
    """The class of difference between two encoded values; the coarsest that explains it."""
    if canonical(left) == canonical(right):
        return Difference.NONE
    if canonical(loose(left)) == canonical(loose(right)):
        return Difference.TYPE_ONLY
    if _close(loose(left), loose(right)):
        return Difference.FLOAT_CLOSE
    if canonical(_sorted(loose(left))) == canonical(_sorted(loose(right))):
        return Difference.ORDER_ONLY
    return Difference.VALUE


def loose(value: Json) -> Json:
    """The value with types forgotten that `==` or a reader forgets: True as 1, 1.0 as 1, tuple and iterator as list."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, float) and value.is_integer() and abs(value) < 2**53:
        return int(value)
    if isinstance(value, list):
        return [loose(item) for item in value]
    if not isinstance(value, dict):
        return value
    if value.get("$type") in ("tuple", "iterator", "list"):
        return [loose(item) for item in value["value"]]
    if value.get("$type") == "frozenset":
        return {"$type": "set", "value": loose(value["value"])}
    if value.get("$type") == "bytearray":
        return {"$type": "bytes", "value": value["value"]}
    if value.get("$type") == "dict":
        return {"$type": "dict", "value": sorted(([loose(k), loose(v)] for k, v in value["value"]), key=canonical)}
    return {key: loose(item) for key, item in value.items()}


def _close(left: Json, right: Json) -> bool:
    if isinstance(left, int) and isinstance(right, int):
        return left == right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return math.isclose(left, right, rel_tol=CLOSE, abs_tol=CLOSE)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(_close(a, b) for a, b in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_close(left[key], right[key]) for key in left)
    return bool(left == right)


def _sorted(value: Json) -> Json:
    if isinstance(value, list):
        return sorted((_sorted(item) for item in value), key=canonical)
    if isinstance(value, dict):
        return {key: _sorted(item) for key, item in value.items()}
    return value


def vector_difference(left: Sequence[Outcome], right: Sequence[Outcome]) -> Difference:
    """The first separating difference of two runs of the same calls, else the first of any class.

    Calls of which both give the same sort of opaque object, or too much, say nothing, and the others still count.
    """
    pairs = list(zip(left, right, strict=False))
    found = [difference(a, b) for a, b in pairs if not _alike_and_opaque(a, b)]
    ends_alike = len(left) == len(right) and (found or not pairs)
    if not ends_alike and not any(one in SEPARATING for one in found):
        return Difference.UNKNOWN
    for one in found:
        if one in SEPARATING or one is Difference.UNKNOWN:
            return one
    return next((one for one in found if one is not Difference.NONE), Difference.NONE)


def _alike_and_opaque(left: Outcome, right: Outcome) -> bool:
    if "too_large" in left and "too_large" in right:
        return True
    same = "value" in left and "value" in right and canonical(left["value"]) == canonical(right["value"])
    return same and opaque(left["value"])


def describe(outcome: Outcome, limit: int = 120) -> str:
    """The outcome in words for a person: a literal, `raises X`, or why it is not known."""
    if "value" in outcome:
        text = source_text(outcome["value"])
    elif "raises" in outcome:
        text = f"raises {outcome['raises']}"
    elif "timeout" in outcome:
        text = "does not return"
    else:
        text = str(outcome.get("skipped") or "too large to compare")
    return text if len(text) <= limit else text[: limit - 1] + "…"


def describe_vector(outcomes: Sequence[Outcome], limit: int = 160) -> str:
    """A run of calls in words."""
    if len(outcomes) == 1:
        return describe(outcomes[0], limit)
    text = ", ".join(describe(outcome, 40) for outcome in outcomes)
    return f"[{text}]" if len(text) <= limit else f"[{text[: limit - 1]}…]"
