"""Testing: does a sandbox keep what pqa relies on? For whoever writes a backend of the port `core.ports.Sandbox`.

`check_sandbox(sandbox)` answers, for each promise by name, True or in words why it is broken. Attacks on the host are also
made outside the sandbox: where one fails even there, the promise is not proved, and that is said.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Literal

from pqa.core.errors import GuestLost
from pqa.core.job import MIB, Guest, JobResult, Limits
from pqa.core.ports import Sandbox, Zygote
from pqa.sandbox.doctor import Targets, set_up
from pqa.sandbox.interpreter import own_interpreter
from pqa.sandbox.unsandboxed import UnsandboxedSandbox

__all__ = ["CONTAINMENT", "check_sandbox"]

SECONDS = 15.0
SHORT = 1.0
SECRET = "CONFORMANCE_SECRET"  # noqa: S105 - the name of a decoy
ODD_NAMES = ("-dash.txt", "two words.txt", "ümlaut.txt", "new\nline.txt", "quote'\".txt")
DAEMON = """
import os, signal, sys, time
for number in set(signal.Signals) - {9, 19}: signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execlp('sleep', 'sleep', '%s')
    os._exit(0)
"""
CONTAINMENT = (
    "writes nothing outside",
    "reads nothing outside",
    "reaches no listener",
    "signals no process of the host",
)
"""The promises that an attack on the host tests; without any sandbox these must be broken."""
ATTACKS = {
    "writes nothing outside": ("write", "open({!r}, 'w').write('overwritten')"),
    "reads nothing outside": ("read", "print(open({!r}).read())"),
    "reaches no listener": ("connect", "import socket; socket.create_connection(('127.0.0.1', {!r}), 2).sendall(b'x')"),
    "signals no process of the host": ("signal", "import os; os.kill({!r}, 9)"),
}

Answer = Literal[True] | str


class Kit:
    """One sandbox and a folder for the decoys and snapshots of its checks."""

    def __init__(self, sandbox: Sandbox, folder: Path) -> None:
        self.sandbox, self.folder = sandbox, folder

    def guest(self, files: Mapping[str, str] | None = None, limits: Limits | None = None) -> Guest:
        """A guest on a fresh snapshot that holds the given files."""
        snapshot = Path(tempfile.mkdtemp(dir=self.folder))
        for name, text in (files or {}).items():
            (snapshot / name).write_text(text, encoding="utf-8")
        return Guest(str(snapshot), own_interpreter(), limits=limits or Limits())

    @contextlib.contextmanager
    def opened(self, files: Mapping[str, str] | None = None, limits: Limits | None = None) -> Iterator[Zygote]:
        """A running zygote."""
        with self.sandbox.open(self.guest(files, limits)) as zygote:
            yield zygote

    def program(self, source: str, *, limits: Limits | None = None, seconds: float = SECONDS) -> JobResult:
        """One program in a fresh sandbox."""
        with self.opened(limits=limits) as zygote:
            return run(zygote, source, seconds)


def run(zygote: Zygote, source: str, seconds: float = SECONDS) -> JobResult:
    """One program."""
    return zygote.run("program", {"source": source}, seconds=seconds)


def check_sandbox(sandbox: Sandbox) -> Mapping[str, Answer]:
    """Every promise by name: True, or why it is broken. Takes about half a minute and closes what it opens."""
    answers: dict[str, Answer] = {}
    with tempfile.TemporaryDirectory(prefix="conformance-", ignore_cleanup_errors=True) as folder:
        kit = Kit(sandbox, Path(folder))
        for name, check in CHECKS.items():
            answers[name] = _answer(check, kit)
        for name, (decoy, source) in ATTACKS.items():
            answers[name] = _attacked(kit, decoy, source)
    return answers


def _answer(check: Callable[[Kit], str], kit: Kit) -> Answer:
    try:
        return check(kit) or True
    except (GuestLost, OSError, ValueError) as error:
        return f"{type(error).__name__}: {error}"


def _attacked(kit: Kit, decoy: str, source: str) -> Answer:
    """The same attack inside and, without a sandbox, on a second set of targets."""

    def hit(sandbox: Sandbox, targets: Targets) -> bool:
        text = source.format(targets.job()[decoy])
        result = Kit(sandbox, kit.folder).program(text)
        return targets.hit(decoy, result.output)

    outside = UnsandboxedSandbox()
    try:
        with set_up(kit.folder / secrets.token_hex(4)) as inner, set_up(kit.folder / secrets.token_hex(4)) as outer:
            if hit(kit.sandbox, inner):
                return "the attack succeeded"
            return True if hit(outside, outer) else "not proved: the attack failed without a sandbox too"
    except GuestLost as error:
        return f"the sandbox was lost: {error}"
    finally:
        outside.close()


def _says_its_tier(kit: Kit) -> str:
    return "" if kit.sandbox.tier in ("full", "reduced", "none") else f"its tier is {kit.sandbox.tier!r}"


def _runs_a_program(kit: Kit) -> str:
    with kit.opened({"m.py": "X = 7\n"}) as zygote:
        result = run(zygote, "import m; print(m.X)")
    fine = result.complete and result.output == "7\n" and result.records == ({"exit": 0},)
    return "" if fine else f"it gave {result}"


def _works_on_a_copy(kit: Kit) -> str:
    guest = kit.guest({"m.py": "X = 7\n"})
    with kit.sandbox.open(guest) as zygote:
        first = run(zygote, "open('m.py', 'w').write('X = 8\\n'); open('new.py', 'w').close()")
        second = run(zygote, "import os, m; print(m.X, sorted(os.listdir('.')))")
    if (Path(guest.snapshot) / "m.py").read_text("utf-8") != "X = 7\n":
        return "the snapshot was changed"
    return "" if first.complete and second.output == "7 ['m.py']\n" else f"the next job saw {second.output!r}"


def _keeps_odd_names(kit: Kit) -> str:
    with kit.opened(dict.fromkeys(ODD_NAMES, "x")) as zygote:
        result = run(zygote, "import os; print(sorted(os.listdir('.')))")
    return "" if result.output == f"{sorted(ODD_NAMES)}\n" else f"it saw {result.output!r}"


def _passes_no_environment_on(kit: Kit) -> str:
    os.environ[SECRET] = secret = secrets.token_hex(8)
    try:
        result = kit.program("import os; print(dict(os.environ)); print(open('/proc/self/environ').read())")
    finally:
        del os.environ[SECRET]
    return "a variable of the host came through" if secret in result.output else ""


def _takes_no_exit_for_a_result(kit: Kit) -> str:
    result = kit.program("import os; os._exit(0)")
    return "" if not result.complete and result.trouble else "an exit without an end record counts as a result"


def _tells_a_signal(kit: Kit) -> str:
    result = kit.program("import os, signal; signal.raise_signal(signal.SIGSEGV)")
    return "" if result.signal == 11 and not result.complete else f"it gave {result}"


def _ends_what_runs_too_long(kit: Kit) -> str:
    mark = f"77.{secrets.randbelow(10**9)}"
    began = time.monotonic()
    with kit.opened() as zygote:
        result = run(zygote, DAEMON % mark + "while True: pass\n", SHORT)
        left = _alive(mark)
        after = run(zygote, "print('next')")
    if not result.timed_out or time.monotonic() - began > SECONDS:
        return f"it was not ended in time: {result}"
    return "its daemon lives on" if left else "" if after.output == "next\n" else f"the next job: {after.trouble}"


def _ends_daemons_of_a_command(kit: Kit) -> str:
    mark = f"78.{secrets.randbelow(10**9)}"
    argv = ["sh", "-c", f"(setsid sleep {mark} &) ; exit 3"]
    result = kit.sandbox.execute(kit.guest(), argv, env={}, seconds=SECONDS)
    if _alive(mark):
        return "its daemon lives on"
    return "" if result.exit_code == 3 else f"it gave {result}"


def _gives_a_command_its_input(kit: Kit) -> str:
    argv = ["sh", "-c", "cat; echo $NAME; echo apart >&2"]
    result = kit.sandbox.execute(kit.guest(), argv, env={"NAME": "value"}, seconds=SECONDS, stdin=b"given\n")
    return "" if (result.output, result.errors) == ("given\nvalue\n", "apart\n") else f"it gave {result}"


def _cuts_output(kit: Kit) -> str:
    result = kit.program("import os\nfor _ in range(32): os.write(1, b'x' * (1 << 20))")
    return "" if result.complete and len(result.output) < 2 * MIB else f"{len(result.output)} characters were kept"


def _cuts_records(kit: Kit) -> str:
    flood = "import os\nwhile True: os.write(900, b'{\"x\": 1}\\n' * 1000)"
    result = kit.program(flood, limits=Limits(record_bytes=MIB))
    return "" if result.truncated and not result.complete else f"it gave {result.trouble!r}"


def _bounds_memory(kit: Kit) -> str:
    result = kit.program("x = bytearray(600 << 20); print('held')", limits=Limits(memory_bytes=256 * MIB))
    return "600 MiB were held where 256 are allowed" if "held" in result.output else ""


def _bounds_processes(kit: Kit) -> str:
    many = "import os, time\nfor n in range(200):\n if os.fork() == 0: time.sleep(5); os._exit(0)\ntime.sleep(1)\nprint('held')"
    result = kit.program(many, limits=Limits(processes=16))
    return "200 processes were held where 16 are allowed" if "held" in result.output else ""


def _bounds_processor_time(kit: Kit) -> str:
    result = kit.program("while True: pass", limits=Limits(cpu_seconds=1), seconds=SECONDS)
    return "" if result.signal is not None and not result.timed_out else f"it gave {result}"


def _bounds_a_file(kit: Kit) -> str:
    source = "out = open('x', 'wb', buffering=0)\nfor _ in range(8): out.write(bytes(1 << 20))\nout.write(b'held')"
    result = kit.program(source + "\nprint('held')", limits=Limits(file_bytes=4 * MIB))
    return "8 MiB in one file were held where 4 are allowed" if "held" in result.output.splitlines() else ""


def _holds_a_conversation(kit: Kit) -> str:
    with kit.opened({"m.py": "X = 7\n"}) as zygote:
        talk = zygote.converse("session", {}, seconds=SECONDS)
        answer = talk.say({"look": "m.X"}, seconds=SECONDS)
        talk.close()
        talk.close()
    return "" if answer == {"value": {"kind": "value", "value": 7}} else f"it answered {answer}"


def _closes(kit: Kit) -> str:
    zygote = kit.sandbox.open(kit.guest())
    zygote.close()
    zygote.close()
    return "" if run(zygote, "print(1)").lost else "a closed sandbox still runs jobs"


def _alive(mark: str) -> bool:
    """Whether a process with this word on its command line is there."""
    for entry in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if entry.name.isdecimal() and mark.encode() in (entry / "cmdline").read_bytes().split(b"\0"):
                return True
    return False


CHECKS: Mapping[str, Callable[[Kit], str]] = {
    "says its tier": _says_its_tier,
    "runs a program": _runs_a_program,
    "works on a copy, fresh for each job": _works_on_a_copy,
    "keeps odd file names": _keeps_odd_names,
    "passes no environment on": _passes_no_environment_on,
    "takes no bare exit for a result": _takes_no_exit_for_a_result,
    "tells a signal": _tells_a_signal,
    "ends what runs too long, daemons included": _ends_what_runs_too_long,
    "ends the daemons of a command": _ends_daemons_of_a_command,
    "gives a command its input and environment": _gives_a_command_its_input,
    "cuts floods of output": _cuts_output,
    "cuts floods of records": _cuts_records,
    "bounds memory": _bounds_memory,
    "bounds processes": _bounds_processes,
    "bounds processor time": _bounds_processor_time,
    "bounds the size of a file": _bounds_a_file,
    "holds a conversation": _holds_a_conversation,
    "closes for good": _closes,
}
