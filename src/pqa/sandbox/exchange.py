"""Exchange: what comes back from the fork server about one job, parsed with bounds; every record is only a claim."""

from __future__ import annotations

import json
import queue
import re
import threading
from collections.abc import Callable, Mapping

from pqa.core.job import JobResult
from pqa.core.trigger import Json

LONE = re.compile("[\ud800-\udfff]")


def parse(line: str) -> Json:
    """A JSON value whose text can be written anywhere: half characters become their escapes, spelled out."""
    value = json.loads(line)
    if "\\ud" not in line.lower():
        return value
    whole = json.dumps(value, ensure_ascii=False)
    return json.loads(LONE.sub(lambda half: f"\\\\u{ord(half[0]):04x}", whole))


class Exchange:
    """Collects the messages about one job until its end; filled by the reader, read by the caller."""

    def __init__(self, number: int, on_end: Callable[[], None], *, listening: bool = False) -> None:
        self.number, self.listening = number, listening
        self._on_end, self._ending = on_end, threading.Lock()
        self.done = threading.Event()
        self.answers: queue.SimpleQueue[Mapping[str, Json] | None] = queue.SimpleQueue()
        self.result = JobResult(lost="the job has not ended")
        self._token: str | None = None
        self._started = self._ended = False
        self._malformed = 0
        self._records: list[Mapping[str, Json]] = []

    def take(self, message: Mapping[str, Json]) -> None:
        """One message of the fork server about this job."""
        if "token" in message:
            self._token = message["token"]
        elif "line" in message:
            self._take_line(message["line"])
        elif "end" in message:
            self._finish(message["end"])

    def lose(self, why: str) -> None:
        """The sandbox is gone, and with it the rest of the job."""
        self._close(JobResult(records=tuple(self._records), lost=why))

    def _take_line(self, line: str) -> None:
        if not line:
            return
        try:
            record = parse(line)
        except (ValueError, RecursionError):
            self._malformed += 1
            return
        if not isinstance(record, dict) or self._ended:
            self._malformed += 1
        elif not self._started:
            self._started = record == {"start": self._token}
            self._malformed += not self._started
        elif record == {"end": self._token}:
            self._ended = True
        elif self.listening:
            self.answers.put(record)
        else:
            self._records.append(record)

    def _finish(self, end: Mapping[str, Json]) -> None:
        whole = self._started and self._ended and not self._malformed
        output = str(end["output"])
        if self._malformed:
            output += f"\n[{self._malformed} lines on the record pipe were no records]"
        result = JobResult(
            records=tuple(self._records),
            complete=whole and end["exit_code"] == 0 and not end["timed_out"] and not end["truncated"],
            exit_code=end["exit_code"],
            signal=None if end["truncated"] else end["signal"],  # that kill was our own
            timed_out=bool(end["timed_out"]),
            truncated=bool(end["truncated"]),
            output=output,
            cpu_seconds=float(end["cpu_seconds"]),
        )
        self._close(result)

    def _close(self, result: JobResult) -> None:
        with self._ending:
            if self.done.is_set():
                return
            self.result = result
            self._on_end()
            self.done.set()
            self.answers.put(None)
