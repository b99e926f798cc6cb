"""Suppression: does a patch silence instead of mend: swallowed exceptions, ignored checks, special cases of the trigger?"""

from __future__ import annotations

import json

from pqa.core.trigger import Trigger
from pqa.instruments.anatomy import Anatomy
from pqa.instruments.literals import literals_of


def silenced(past: Anatomy, patched: Anatomy) -> list[str]:
    """What the patch added to silence something, in words."""
    added = {name: count - past.suppressions.get(name, 0) for name, count in patched.suppressions.items()}
    return [f"it adds '{name}'" for name, more in sorted(added.items()) if more > 0]


def special_cases(past: Anatomy, patched: Anatomy, trigger: Trigger) -> frozenset[str]:
    """The trigger's literals by which the patch decides and its past did not; canonical texts."""
    new = {text for text, count in patched.deciding.items() if count > past.deciding.get(text, 0)}
    return frozenset(new & literals_of(trigger))


def in_words(texts: frozenset[str]) -> str:
    """Literals for a person."""
    return ", ".join(repr(json.loads(text)) for text in sorted(texts))
