"""The host's half of the fork server: start it, ask it for jobs one at a time, and know when it is gone."""

from __future__ import annotations

import contextlib
import io
import itertools
import json
import queue
import subprocess
import threading
from collections.abc import Callable, Mapping
from types import TracebackType

from pqa.core.errors import GuestLost
from pqa.core.job import JobResult, Limits
from pqa.core.trigger import Json
from pqa.sandbox import processes
from pqa.sandbox.cgroup import Cgroup
from pqa.sandbox.exchange import Exchange
from pqa.sandbox.watchdog import WATCHDOG, Watch

START_SECONDS = 30.0
GRACE_SECONDS = 10.0
JOIN_SECONDS = 3.0
ENVELOPE = 1 << 20
ESCAPED = 6
KEPT_COMPLAINT = 4096


class HostZygote:
    """One sandbox with its fork server; several threads may use it, they take turns."""

    def __init__(
        self,
        process: subprocess.Popen[bytes],
        config: Mapping[str, Json],
        limits: Limits,
        *,
        group: Cgroup | None = None,
        on_close: Callable[[HostZygote], None] = lambda _: None,
        rooms: tuple[str, ...] = (),
    ) -> None:
        self._process, self._limits, self._group, self._on_close = process, limits, group, on_close
        self._input, self._output, self._errors = map(processes.opened, (process.stdin, process.stdout, process.stderr))
        self._turn, self._writing, self._closing = threading.Lock(), threading.Lock(), threading.Lock()
        self._numbers, self._rooms = itertools.count(1), rooms
        self._current: Exchange | None = None
        self._talker: int | None = None
        self._watch: Watch | None = None
        self._complaint = bytearray()
        self._why = ""
        self._closed = False
        self._ready, self._complained = threading.Event(), threading.Event()
        self.jail: tuple[str, ...] = ()
        """What the kernel did not give to the second line of defence, in words."""
        self._threads: list[threading.Thread] = []
        try:
            for work in (self._read_errors, self._read):
                thread = threading.Thread(target=work, name="pqa-reader", daemon=True)
                thread.start()
                self._threads.append(thread)
            self._start(config)
        except BaseException:
            self.close()
            raise

    def _start(self, config: Mapping[str, Json]) -> None:
        """No job is sent before the fork server is up and, where there is one, inside its control group."""
        self._write(config)
        if not self._ready.wait(START_SECONDS):
            raise GuestLost("the sandbox ended: it did not come up in time")
        trusted = processes.descendants(self._process.pid) or [self._process.pid]
        self._spared = frozenset(trusted)
        if self._why:
            raise GuestLost(self._why)
        if self._group is not None and not (trusted and self._group.add(trusted)):
            raise GuestLost("the sandbox ended: the kernel refused its control group")

    @property
    def alive(self) -> bool:
        """Whether it can still take a job."""
        return not self._why

    def run(self, kind: str, job: Mapping[str, Json], *, seconds: float) -> JobResult:
        """Fork a child that runs `harness/KIND.py` on `job`; what the parent saw of it."""
        exchange = self._begin(kind, job, seconds, conversation=False)
        if not exchange.done.wait(seconds + GRACE_SECONDS):
            self._give_up("the sandbox ended: it did not answer in time")
            exchange.done.wait(GRACE_SECONDS)
        return exchange.result

    def converse(self, kind: str, job: Mapping[str, Json], *, seconds: float) -> HostConversation:
        """Start a job that is spoken to; the fork server is taken until it ends."""
        return HostConversation(self, self._begin(kind, job, seconds, conversation=True))

    def _begin(self, kind: str, job: Mapping[str, Json], seconds: float, *, conversation: bool) -> Exchange:
        me = threading.get_ident()
        if self._talker == me:
            raise RuntimeError("this thread has an open conversation with the sandbox: close it first")
        self._turn.acquire()
        exchange = Exchange(next(self._numbers), self._release, listening=conversation)
        self._talker = me if conversation else None
        self._current = exchange
        if self._why:
            exchange.lose(self._why)
            return exchange
        self._watch = WATCHDOG.add(self._process, self._limits, self._spared, self._rooms)
        request = {"id": exchange.number, "kind": kind, "job": job, "seconds": seconds, "conversation": conversation}
        self._write(request)
        if self._why:
            exchange.lose(self._why)
        if exchange.done.is_set():
            WATCHDOG.remove(self._process)
        return exchange

    def _release(self) -> None:
        WATCHDOG.remove(self._process)
        self._current = self._talker = None
        self._turn.release()

    def _write(self, message: Mapping[str, Json]) -> None:
        view = memoryview(json.dumps(message).encode() + b"\n")
        with self._writing, contextlib.suppress(OSError, ValueError):
            while view:
                view = view[self._input.write(view) or 0 :]

    def _read(self) -> None:
        longest = ESCAPED * self._limits.record_line_bytes + ENVELOPE
        with contextlib.suppress(OSError, ValueError):
            stream = io.BufferedReader(self._output, 1 << 16)  # type: ignore[type-var]
            while (line := stream.readline(longest)).endswith(b"\n"):
                self._dispatch(json.loads(line))
        self._lose()

    def _dispatch(self, message: Mapping[str, Json]) -> None:
        current = self._current
        if message.get("ready"):
            self.jail = tuple(message["jail"])
            self._ready.set()
        elif current is not None and message.get("id") == current.number:
            current.take(message)

    def _read_errors(self) -> None:
        with contextlib.suppress(OSError, ValueError):
            while part := self._errors.read(1 << 16):
                self._complaint += part
                del self._complaint[:-KEPT_COMPLAINT]
        self._complained.set()

    def _lose(self) -> None:
        self._complained.wait(0.5)
        processes.kill_tree(self._process)
        said = self._complaint.decode("utf-8", "replace").strip()
        watched = self._watch.reason if self._watch else ""
        status = f"exit status {self._process.returncode}"
        self._why = self._why or f"the sandbox ended: {watched or said or status}"
        self._ready.set()
        current = self._current
        if current is not None:
            current.lose(self._why)

    def _give_up(self, why: str) -> None:
        self._why = self._why or why
        processes.kill_tree(self._process)

    def close(self) -> None:
        """Kill the sandbox with everything in it; safe to call twice."""
        with self._closing:
            if self._closed:
                return
            self._closed = True
        self._give_up("the sandbox ended: it was closed")
        for thread in self._threads:
            thread.join(JOIN_SECONDS)
        for stream in (self._input, self._output, self._errors):
            with contextlib.suppress(OSError):
                stream.close()
        if self._group is not None:
            self._group.remove()
        self._on_close(self)

    def __enter__(self) -> HostZygote:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class HostConversation:
    """A running job that answers one record to each message."""

    def __init__(self, zygote: HostZygote, exchange: Exchange) -> None:
        self._zygote, self._exchange = zygote, exchange

    @property
    def result(self) -> JobResult | None:
        """What the parent saw of the whole job; None while it runs."""
        return self._exchange.result if self._exchange.done.is_set() else None

    def say(self, message: Mapping[str, Json], *, seconds: float) -> Mapping[str, Json]:
        """Send one message and wait for its answer; raises GuestLost when none comes."""
        exchange = self._exchange
        if exchange.done.is_set():
            raise GuestLost(exchange.result.trouble or "the conversation is over")
        while not exchange.answers.empty():
            exchange.answers.get()
        self._zygote._write({"id": exchange.number, "say": message})
        try:
            answer = exchange.answers.get(timeout=seconds)
        except queue.Empty:
            self.close()
            raise GuestLost(f"it gave no answer within {seconds:g} seconds") from None
        if answer is None:
            raise GuestLost(exchange.result.trouble or "the conversation is over")
        return answer

    def close(self) -> None:
        """End the job; safe to call twice."""
        exchange = self._exchange
        if exchange.done.is_set():
            return
        self._zygote._write({"id": exchange.number, "hang_up": True})
        if not exchange.done.wait(GRACE_SECONDS):
            self._zygote._give_up("the sandbox ended: it did not end a conversation")
            exchange.done.wait(GRACE_SECONDS)
