"""Operators: one file here is one way to change a piece of code; found by folder, there is no registry to edit.

An operator has a KIND (what a survivor says about the tests: "boundary", "value" or "effect"), EXAMPLES (a snippet and
all that becomes of it) and `changes(node)`, which yields what may stand in the place of a node. It never alters `node`.
"""

from __future__ import annotations

import importlib
import os
from types import ModuleType


def found() -> dict[str, ModuleType]:
    """All operators by name, in alphabetical order."""
    here = os.path.dirname(os.path.abspath(__file__))
    names = sorted(name[:-3] for name in os.listdir(here) if name.endswith(".py") and name != "__init__.py")
    return {name: importlib.import_module(__name__ + "." + name) for name in names}
