"""Fake equality: observe, and say of every opaque object in an answer whether it equals things that nothing equals.

job: as for `observe`. In the outcomes such an object has the form {"$type", ..., "everything": true}.
"""

from __future__ import annotations

from typing import Any, Callable

import observe
import values

TEXT = "\ue000 no answer is this"
NUMBER = -982_451_653


class Fresh:
    """Nothing equals an instance of it but itself."""


def run(job: dict[str, Any], emit: Callable[[dict[str, Any]], None], context: Any) -> None:
    """Mark the objects while they are encoded; the true encoder goes on as before."""
    encode = values.Encoder._composite

    def marked(self: values.Encoder, kind: type, value: Any, depth: int) -> Any:
        form = encode(self, kind, value, depth)
        return {**form, "everything": True} if isinstance(form, dict) and equals_everything(value) else form

    setattr(values.Encoder, "_composite", marked)  # noqa: B010 - a method is replaced on purpose
    observe.run(job, emit, context)


def equals_everything(value: Any) -> bool:
    """Whether `==` says yes to four unlike things, one of them made just now."""
    try:
        return all((value == other) is True for other in (Fresh(), TEXT, NUMBER, [TEXT]))
    except BaseException:
        return False
