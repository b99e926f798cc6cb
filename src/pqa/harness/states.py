"""States: which attributes the tests' code names, and what an instance holds in them, to see what tests set from outside."""

from __future__ import annotations

import ast
from typing import Any

import values

NODES = 400
MAXIMUM_NAMES = 200
MAXIMUM_SOURCE = 2 << 20


class States:
    """The public attribute names in the tests' files, read once a file."""

    def __init__(self) -> None:
        self.names: set[str] = set()
        self._files: set[str] = set()

    def read(self, filename: str) -> None:
        """Take the attribute names of a test file."""
        if filename in self._files:
            return
        self._files.add(filename)
        try:
            with open(filename, "rb") as file:
                tree = ast.parse(file.read(MAXIMUM_SOURCE))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return
        found = (node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
        for name in found:
            if not name.startswith("_") and len(self.names) < MAXIMUM_NAMES:
                self.names.add(name)

    def of(self, instance: Any) -> dict[str, Any]:
        """What the instance's own attributes of these names hold, encoded; without those that are too large."""
        state: dict[str, Any] = {}
        for name, value in _own(instance).items():
            if name in self.names:
                encoder = values.Encoder(consume=False)
                encoder.nodes = values.MAXIMUM_NODES - NODES
                try:
                    state[name] = encoder.encode(value)
                except (values.TooLarge, RecursionError):
                    continue
        return state

    def named(self, instance: Any) -> list[str]:
        """The names that are attributes of the instance's own, or properties of its class."""
        own = _own(instance)
        return sorted(name for name in self.names if name in own or _is_property(type(instance), name))


def _own(instance: Any) -> dict[str, Any]:
    try:
        found = object.__getattribute__(instance, "__dict__")
    except AttributeError:
        return {}
    return dict(found) if type(found) is dict else {}


def _is_property(kind: type, name: str) -> bool:
    spaces = (type.__getattribute__(each, "__dict__") for each in type.__getattribute__(kind, "__mro__"))
    return any(isinstance(space.get(name), property) for space in spaces)
