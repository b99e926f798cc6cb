"""Recorder: which public calls do the tests make on the branch? Watched by a profile function; nothing is replaced.

Records: {"call", "args", "kwargs", "outcome", "at", "test", "replayable", "reads_time"} for functions, class methods,
static methods and constructors that raised; {"trace", "args", "kwargs", "calls": [...], "clocked", "test",
"replayable", "reads", "reads_time"} for instances, where a call that "sets" is an attribute that the test assigned; at the
end {"recorded": number, "truncated": bool}.
"""

from __future__ import annotations

import json
import sys
import threading
import types
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Optional

import clocks
import makings
import naming
import roles
import shapes
from entries import Entry, Trace, encoded, is_plain

CALLS_A_FUNCTION, TRACES_A_CLASS, CALLS_A_TRACE, RECORDS = 400, 200, 60, 20_000
ALL_BYTES = 8 << 20
EVENTS_A_TEST, EVENTS = 100_000, 3_000_000
"""How many profile events a phase of a test, and all together, may cost; then the rest of the phase goes unseen."""
UNRESOLVED = 16
UNKNOWN_ERROR = "?"
TOOL = 4


class Recorder:
    """Switch it on around the phases in which tests run; `records` gives what was seen."""

    def __init__(self, source: str, code: Iterable[str], test_root: str) -> None:
        self.roles = roles.Roles(naming.Naming(source, code), test_root)
        self.watch = clocks.Watch()
        self.watch.public_name = self.roles.public_name
        self.watch.making = makings.Makings(self.roles.naming, self._built).form
        self.calls: list[Entry] = []
        self.traces: list[Trace] = []
        self.by_instance: dict[int, Trace] = {}
        self.active: dict[int, tuple[types.FrameType, Entry]] = {}
        self.unresolved: list[tuple[types.FrameType, Entry]] = []
        self.leaving: dict[int, str] = {}
        self.counts: dict[str, int] = {}
        self.test = ""
        self.truncated = False
        self.total = self.events = self.closed = 0
        self.bound = EVENTS

    def on(self, test: str) -> None:
        """Begin to watch, on behalf of `test`."""
        self.test = test
        self.bound = min(self.events + EVENTS_A_TEST, EVENTS)
        if self.events >= EVENTS:
            self._give_up()
            return
        self._watch_unwinding(True)
        threading.setprofile(self._profile)
        sys.setprofile(self._profile)

    def off(self) -> None:
        """Stop to watch."""
        sys.setprofile(None)
        self._watch_unwinding(False)
        threading.setprofile(None)
        self.active.clear()
        self.unresolved.clear()

    def _watch_unwinding(self, wanted: bool) -> None:
        """Since Python 3.12 the interpreter says which exception leaves a frame; before, whoever handles it does."""
        monitoring = getattr(sys, "monitoring", None)
        if monitoring is None or (wanted and monitoring.get_tool(TOOL) is not None):
            return
        if wanted:
            monitoring.use_tool_id(TOOL, "recorder")
            monitoring.register_callback(TOOL, monitoring.events.PY_UNWIND, self._unwound)
            monitoring.set_events(TOOL, monitoring.events.PY_UNWIND)
        elif monitoring.get_tool(TOOL) == "recorder":
            monitoring.set_events(TOOL, 0)
            monitoring.free_tool_id(TOOL)

    def _unwound(self, _code: types.CodeType, _offset: int, error: BaseException) -> None:
        self.leaving[threading.get_ident()] = type(error).__name__

    def _profile(self, frame: types.FrameType, event: str, value: Any) -> None:
        self.events += 1
        if self.unresolved:
            self._resolve()
        if event == "c_call":
            if clocks.reads_time(value) and self.roles.is_branch(frame):
                self._note_time(frame, value)
        elif event == "call":
            if self.events > self.bound:
                self._give_up()
                return
            role = self.roles.of(frame)
            if role is not None and role.records:
                self._enter(frame, role)
            elif id(frame.f_code) in self.watch.by_code and self.roles.is_branch(frame.f_back):
                self._note_answer(frame)
        elif event == "return":
            if id(frame) in self.active:
                self._leave(frame, self.active.pop(id(frame))[1], value)
            if id(frame.f_code) in self.watch.by_code and self.roles.is_branch(frame.f_back):
                self.watch.returned(frame, value)

    def _give_up(self) -> None:
        """This phase costs too much: see no more of it, and nothing more of the instances that it may go on to use."""
        self.off()
        self.truncated = True
        for trace in self.traces[self.closed :]:
            trace.closed = True
        self.closed = len(self.traces)

    def _enter(self, frame: types.FrameType, role: roles.Role) -> None:
        if not shapes.is_first_entry(frame) or not self.roles.is_outermost(frame):
            return
        arguments = shapes.Arguments(frame, role.function, skip_first=role.kind in ("method", "init", "class"))
        holder = arguments.local.get(arguments.first)
        if role.kind == "init":
            self._construct(frame, holder, arguments)
        elif role.kind == "method":
            self._call_method(frame, role, holder, arguments)
        else:
            name = self._function_name(role, holder)
            if name is not None and self._has_room(name, CALLS_A_FUNCTION):
                entry = self._begin(frame, name, arguments)
                self.calls.append(entry)

    def _function_name(self, role: roles.Role, holder: Any) -> Optional[str]:
        if role.kind != "class":
            return role.name
        owner = self.roles.naming.class_name(holder) if isinstance(holder, type) else None
        return None if owner is None else owner + "." + role.name

    def _begin(self, frame: types.FrameType, name: str, arguments: shapes.Arguments) -> Entry:
        entry = Entry(name, self.test)
        entry.take(arguments, self.watch)
        if frame.f_code.co_flags & shapes.RESUMABLE:
            entry.outcome = {"value": {"$type": "other", "value": "generator"}}
        else:
            self.active[id(frame)] = (frame, entry)
        return entry

    def _construct(self, frame: types.FrameType, instance: Any, arguments: shapes.Arguments) -> None:
        name = self.roles.naming.class_name(type(instance))
        if name is None or id(instance) in self.by_instance or not self._has_room(name, TRACES_A_CLASS):
            return
        entry = self._begin(frame, name, arguments)
        entry.trace = self._keep(name, instance, entry)

    def _keep(self, name: str, instance: Any, made: Entry) -> Trace:
        trace = Trace(name, instance, made)
        self.by_instance[id(instance)] = trace
        self.traces.append(trace)
        return trace

    def _call_method(
        self, frame: types.FrameType, role: roles.Role, instance: Any, arguments: shapes.Arguments
    ) -> None:
        trace = self.by_instance.get(id(instance))
        if trace is None:
            name = self.roles.naming.class_name(type(instance))
            if name is None or not roles.is_made_from_nothing(instance) or not self._has_room(name, TRACES_A_CLASS):
                return
            trace = self._keep(name, instance, Entry(name, self.test))
        if trace.closed or len(trace.calls) >= CALLS_A_TRACE or not self._has_room("", RECORDS):
            self.truncated = True
            return
        self._note_assignments(trace)
        entry = self._begin(frame, role.name, arguments)
        entry.trace = trace
        trace.calls.append(entry)

    def _built(self, instance: Any) -> Optional[Entry]:
        """How an instance was built, as long as nothing was done to it since."""
        trace = self.by_instance.get(id(instance))
        if trace is None or trace.failed or trace.calls or not trace.made.plain or trace.made.candidates:
            return None
        made = [*trace.made.args, *trace.made.kwargs.values()]
        now = self.roles.states.of(instance)
        unchanged = trace.made.outcome == {"value": None} and now == trace.state
        return trace.made if unchanged and all(map(is_plain, made)) else None

    def _note_answer(self, frame: types.FrameType) -> None:
        """The branch calls what a test passed in: see what it is asked, and what it answers."""
        candidate = self.watch.called(frame)
        if candidate is None or len(candidate.calls) >= CALLS_A_TRACE or candidate.function is None:
            return
        arguments = shapes.Arguments(frame, candidate.function, skip_first=candidate.bound)
        candidate.calls.append(self._begin(frame, "", arguments))
        if sys.gettrace() is not None:
            return

        def note_error(running: types.FrameType, event: str, value: Any) -> Any:
            if event == "exception":
                self.leaving[threading.get_ident()] = value[0].__name__
            elif event == "return":
                running.f_trace = None
                sys.settrace(None)
            return note_error

        # A profile function does not see which exception leaves a frame, and whoever handles it may tell nobody.
        sys.settrace(ignore)
        frame.f_trace, frame.f_trace_lines = note_error, False

    def _note_assignments(self, trace: Trace) -> None:
        """What a test changed from outside since the last call on the instance."""
        now = self.roles.states.of(trace.instance)
        for name, value in now.items():
            if name in trace.state and trace.state[name] != value:
                trace.calls.append(Entry.assignment(name, value, self.test))
        trace.state = now

    def _has_room(self, name: str, limit: int) -> bool:
        count = self.counts.get(name, 0)
        if count >= limit or self.total >= RECORDS:
            self.truncated = True
            return False
        self.counts[name] = count + 1
        self.total += 1
        return True

    def _leave(self, frame: types.FrameType, entry: Entry, value: Any) -> None:
        made = entry.trace is not None and entry.trace.made is entry
        clock = entry.clock() or (entry.trace.made.clock() if entry.trace is not None else None)
        entry.at = clock.last if clock is not None else None
        if entry.trace is not None:
            entry.trace.state = self.roles.states.of(entry.trace.instance)
        if value is None and shapes.was_left_by_exception(frame):
            entry.outcome = {"raises": self.leaving.pop(threading.get_ident(), UNKNOWN_ERROR)}
            self.unresolved.append((frame, entry))
            del self.unresolved[:-UNRESOLVED]
            if made and entry.trace is not None:
                entry.trace.failed = True
            return
        entry.outcome = {"value": None} if made else encoded(value)

    def _resolve(self) -> None:
        """The exception that left a frame has a name as soon as somebody handles it."""
        error = sys.exc_info()[1]
        seen: set[int] = set()
        while error is not None and id(error) not in seen:
            seen.add(id(error))
            step = error.__traceback__
            frames = set()
            while step is not None:
                frames.add(id(step.tb_frame))
                step = step.tb_next
            for frame, entry in [each for each in self.unresolved if id(each[0]) in frames]:
                entry.outcome = {"raises": type(error).__name__}
                self.unresolved.remove((frame, entry))
            error = error.__cause__ or error.__context__

    def _note_time(self, frame: types.FrameType, function: Callable[..., Any]) -> None:
        if id(function) in self.watch.builtins:
            self.watch.read_builtin(function)
            return
        step: Optional[types.FrameType] = frame
        while step is not None:
            if id(step) in self.active:
                self.active[id(step)][1].reads_time = True
            step = step.f_back

    def _life(self, trace: Trace) -> dict[str, Any]:
        return trace.record(self.roles.states.named(trace.instance))

    def records(self) -> Iterator[dict[str, Any]]:
        """All that was seen, within the limit of bytes."""
        number, size = 0, 0
        failed = [trace.made for trace in self.traces if trace.failed]
        plain = [{"call": each.name, **each.record(), "reads_time": each.reads_time} for each in (*failed, *self.calls)]
        for record in (*plain, *(self._life(trace) for trace in self.traces if not trace.failed)):
            size += len(json.dumps(record))
            if size > ALL_BYTES:
                self.truncated = True
                break
            number += 1
            yield record
        yield {"recorded": number, "truncated": self.truncated}


def ignore(*_event: Any) -> None:
    """Trace nothing but the frames that are named otherwise."""
