"""Program: run a program trigger on a branch; 10 shown, 0 not shown, and nothing else is an answer."""

from __future__ import annotations

from pqa.core.job import JobResult
from pqa.core.ports import Zygote
from pqa.core.trigger import Trigger

SHOWN, NOT_SHOWN = 10, 0
KEPT_OUTPUT = 2_000


def run_program(zygote: Zygote, trigger: Trigger, *, inert: bool) -> tuple[bool | None, str]:
    """One run. The status counts only as the one record between the harness's own start and end records."""
    if not trigger.source:
        return None, "the program is missing"
    job = {"source": trigger.source, "apart": True, "inert": inert}
    done = zygote.run("program", job, seconds=trigger.timeout)
    status, why = _status(done)
    shown = {SHOWN: True, NOT_SHOWN: False}.get(-1 if status is None else status)
    words = why or f"the program ended with exit status {status}"
    if shown is None and not why:
        words += f", which says neither shown ({SHOWN}) nor not shown ({NOT_SHOWN})"
    printed = done.output.strip()[-KEPT_OUTPUT:]
    return shown, f"{words}\n{printed}" if printed else words


def _status(done: JobResult) -> tuple[int | None, str]:
    if done.trouble:
        return None, f"could not check: {done.trouble}"
    found = [record.get("exit") for record in done.records]
    if len(found) == 1 and type(found[0]) is int:
        return found[0], ""
    return None, "could not check: something besides the program wrote records"
