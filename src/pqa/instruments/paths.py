"""Path: a way into a value. "*" steps to every item, "**" to every leaf of a nest, anything else is an index or key."""

from __future__ import annotations

from collections.abc import Callable

from pqa.instruments.shapes import leaves

Path = tuple[object, ...]


def reach(value: object, path: Path) -> list[object]:
    """All values at the end of `path`; a step that a value does not have leads nowhere."""
    found = [value]
    for step in path:
        found = [inner for outer in found for inner in _step(outer, step)]
    return found


def _step(value: object, step: object) -> list[object]:
    if step == "**":
        return leaves(value, type(value).__name__) if isinstance(value, list | tuple) else []
    if step == "*":
        if isinstance(value, dict):
            return list(value.values())
        if isinstance(value, set | frozenset):
            return sorted(value, key=repr)
        return list(value) if isinstance(value, list | tuple) else []
    if isinstance(value, dict):
        return [value[step]] if step in value else []
    if isinstance(value, list | tuple) and isinstance(step, int) and step < len(value):
        return [value[step]]
    return []


def update(value: object, path: Path, change: Callable[[object], object]) -> object:
    """A copy of `value` in which each value at the end of `path` is changed."""
    if not path:
        return change(value)
    step, rest = path[0], path[1:]
    if step == "**" and isinstance(value, list | tuple):
        inner = [update(item, path if type(item) is type(value) else rest, change) for item in value]
        return type(value)(inner)
    if isinstance(value, dict):
        return {key: update(item, rest, change) if step in ("*", key) else item for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(
            update(item, rest, change) if step in ("*", index) else item for index, item in enumerate(value)
        )
    if isinstance(value, set | frozenset) and step == "*":
        return type(value)(update(item, rest, change) for item in sorted(value, key=repr))
    return value


def path_text(name: str, path: Path) -> str:
    """The path as a person writes it: `rows[*][0]`."""
    return name + "".join(
        f"[{step}]" if step in ("*", "**") or isinstance(step, int) else f"[{step!r}]" for step in path
    )
