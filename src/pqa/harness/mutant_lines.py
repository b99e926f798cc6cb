"""Mutant lines: which lines of the tree's code files run, by a trace function or, from Python 3.12 on, by monitoring."""

from __future__ import annotations

import sys
import threading
from typing import Any, Optional

import naming

TOOL = 4


class Lines:
    """Collects (file, line) pairs between `take`s."""

    def __init__(self, names: naming.Naming) -> None:
        self.names = names
        self.own: dict[str, Optional[set[int]]] = {}
        self.seen: dict[str, set[int]] = {}
        self.monitoring: Any = getattr(sys, "monitoring", None)

    def of(self, filename: str) -> Optional[set[int]]:
        """The set of lines of a code file of the tree; None for any other file."""
        if filename not in self.own:
            name = self.names.relative(filename)
            self.own[filename] = None if name is None else self.seen.setdefault(name, set())
        return self.own[filename]

    def start(self) -> None:
        """Watch from now on, in all threads."""
        if self.monitoring is not None and self.monitoring.get_tool(TOOL) is None:
            event = self.monitoring.events.LINE
            self.monitoring.use_tool_id(TOOL, "lines")
            self.monitoring.register_callback(TOOL, event, self.line)
            self.monitoring.set_events(TOOL, event)
            return
        self.monitoring = None
        threading.settrace(self.trace)
        sys.settrace(self.trace)

    def stop(self) -> None:
        """Watch no more."""
        if self.monitoring is not None:
            self.monitoring.set_events(TOOL, 0)
            self.monitoring.free_tool_id(TOOL)
            return
        sys.settrace(None)
        threading.settrace(None)

    def line(self, code: Any, line: int) -> Any:
        """A line under monitoring; told once until the next `take`."""
        seen = self.of(code.co_filename)
        if seen is not None:
            seen.add(line)
        return self.monitoring.DISABLE

    def trace(self, frame: Any, event: str, argument: Any) -> Any:
        """A call under tracing."""
        seen = self.of(frame.f_code.co_filename)
        if seen is None:
            return None
        seen.add(frame.f_lineno)

        def inside(frame: Any, event: str, argument: Any, add: Any = seen.add) -> Any:
            if event == "line":
                add(frame.f_lineno)
            return inside

        return inside

    def take(self) -> dict[str, list[int]]:
        """The lines since the last time, by file."""
        found = {name: sorted(lines) for name, lines in self.seen.items() if lines}
        for lines in self.seen.values():
            lines.clear()
        if self.monitoring is not None:
            self.monitoring.restart_events()
        return found
