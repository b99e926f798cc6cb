"""One command line in a fresh sandbox: its exit status and output come back, and nothing else."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pqa.core.job import MIB, CommandResult, Guest, Limits
from pqa.core.ports import Sandbox
from pqa.sandbox import processes
from pqa.sandbox.bubblewrap import BubblewrapSandbox
from pqa.sandbox.unsandboxed import UnsandboxedSandbox

MakeGuest = Callable[..., Guest]


@pytest.fixture(params=["full", "none"])
def either(request: pytest.FixtureRequest) -> Sandbox:
    box: Sandbox = request.getfixturevalue("sandbox" if request.param == "full" else "unsandboxed")
    return box


def test_a_command_runs_in_a_writable_copy_and_its_status_and_output_come_back(
    either: Sandbox, make_guest: MakeGuest
) -> None:
    guest = make_guest({"m.py": "X = 7\n"})
    argv = ["sh", "-c", "ls; echo changed > m.py; echo $NAME >&2; read line || echo no input; exit 3"]
    result = either.execute(guest, argv, env={"NAME": "value"}, seconds=10)
    assert result == CommandResult(exit_code=3, output="m.py\nvalue\nno input\n")
    assert (Path(guest.snapshot) / "m.py").read_text(encoding="utf-8") == "X = 7\n"


def test_a_command_that_does_not_exist_is_lost_and_named(either: Sandbox, make_guest: MakeGuest) -> None:
    result = either.execute(make_guest(), ["no-such-tool", "x"], env={}, seconds=10)
    assert result.exit_code is None
    assert result.lost == "it could not be started: 'no-such-tool': No such file or directory"


def test_an_interpreter_that_is_not_there_is_lost(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    from dataclasses import replace

    guest = make_guest()
    guest = replace(guest, interpreter=replace(guest.interpreter, executable="/usr/bin/no-such-python"))
    result = sandbox.execute(guest, ["true"], env={}, seconds=10)
    assert result.lost.startswith("it could not be started: bwrap: execvp /usr/bin/no-such-python")


def test_a_command_past_its_time_is_killed_with_its_daemons(either: Sandbox, make_guest: MakeGuest) -> None:
    import os

    before = set(processes.descendants(os.getpid()))
    started = time.monotonic()
    argv = ["sh", "-c", "echo begun; (setsid sleep 60 &) ; sleep 60"]
    result = either.execute(make_guest(), argv, env={}, seconds=1)
    assert result == CommandResult(exit_code=None, output="begun\n", timed_out=True)
    assert time.monotonic() - started < 5
    assert set(processes.descendants(os.getpid())) <= before


def test_a_daemon_that_holds_the_output_open_does_not_delay_the_result(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest
) -> None:
    started = time.monotonic()
    result = sandbox.execute(make_guest(), ["sh", "-c", "setsid sleep 60 & echo done"], env={}, seconds=30)
    assert result == CommandResult(exit_code=0, output="done\n")
    assert time.monotonic() - started < 5


def test_the_output_of_a_command_is_cut(either: Sandbox, make_guest: MakeGuest) -> None:
    guest = make_guest(limits=Limits(output_bytes=1000))
    result = either.execute(guest, ["sh", "-c", "echo first; yes | head -c 5000000; echo last"], env={}, seconds=10)
    assert (result.exit_code, result.truncated) == (0, True)
    assert result.output.startswith("first\ny\n")
    assert result.output.endswith("y\nlast\n")
    assert len(result.output) < 1100


def test_a_command_over_its_memory_is_stopped(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    guest = make_guest(limits=Limits(memory_bytes=128 * MIB))
    source = "x = bytearray(600 << 20); print('held')"
    result = sandbox.execute(guest, [guest.interpreter.executable, "-c", source], env={}, seconds=10)
    assert "held" not in result.output
    assert result.exit_code != 0


def test_a_tree_that_does_not_fit_is_lost(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    guest = make_guest({"big": "x" * (2 * MIB)}, limits=Limits(disk_bytes=MIB))
    assert "the tree is too large" in sandbox.execute(guest, ["true"], env={}, seconds=10).lost


def test_a_command_cannot_write_outside_its_copy(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    script = "for path in /x /usr/x /src/x /opt/x /etc/x /dev/x; do (echo x > $path) 2>/dev/null && echo wrote $path; done; true"
    assert sandbox.execute(make_guest(), ["sh", "-c", script], env={}, seconds=10) == CommandResult(0, "")


def test_nothing_is_left_of_a_command_without_a_sandbox(unsandboxed: UnsandboxedSandbox, make_guest: MakeGuest) -> None:
    import tempfile

    before = set(Path(tempfile.gettempdir()).glob("guest-*"))
    unsandboxed.execute(make_guest(), ["true"], env={}, seconds=10)
    assert set(Path(tempfile.gettempdir()).glob("guest-*")) == before


def test_an_input_is_given_and_standard_error_comes_back_apart(either: Sandbox, make_guest: MakeGuest) -> None:
    argv = ["sh", "-c", "cat; echo aside >&2"]
    result = either.execute(make_guest(), argv, env={}, seconds=10, stdin=b"one\ntwo")
    assert result == CommandResult(exit_code=0, output="one\ntwo", errors="aside\n")


def test_an_empty_input_is_at_its_end_at_once(either: Sandbox, make_guest: MakeGuest) -> None:
    result = either.execute(make_guest(), ["sh", "-c", "cat; echo end"], env={}, seconds=10, stdin=b"")
    assert result == CommandResult(exit_code=0, output="end\n")


def test_an_input_that_is_not_read_holds_nothing_up(either: Sandbox, make_guest: MakeGuest) -> None:
    result = either.execute(make_guest(), ["true"], env={}, seconds=10, stdin=b"x" * (4 * MIB))
    assert result == CommandResult(exit_code=0, output="")
    long = either.execute(make_guest(), ["wc", "-c"], env={}, seconds=10, stdin=b"x" * (4 * MIB))
    assert long == CommandResult(exit_code=0, output=f"{4 * MIB}\n")
