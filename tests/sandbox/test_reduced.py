"""The tier without namespaces: what it holds by other means, what it must refuse, and that a refusal accuses nobody."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pqa.core.errors import GuestLost
from pqa.core.job import MIB, Guest, JobResult, Limits, Mount
from pqa.core.verdict import SuiteRun
from pqa.instruments.observation import breaks, observe
from pqa.instruments.suite import LOCKED_MOUNT, run_suite
from pqa.sandbox import folders, processes, reduced, watchdog
from pqa.sandbox.choose import reduced as choose_reduced
from pqa.sandbox.reduced import ReducedSandbox

MakeGuest = Callable[..., Guest]
Run = Callable[..., JobResult]


@pytest.fixture(scope="module")
def bare() -> Iterator[ReducedSandbox]:
    sandbox, refusal, _ = next(iter(choose_reduced({})))
    if sandbox is None:
        pytest.skip(f"the tier 'reduced' cannot be had here: {refusal}")
    assert isinstance(sandbox, ReducedSandbox)
    yield sandbox
    sandbox.close()


@pytest.fixture
def run_bare(bare: ReducedSandbox, make_guest: MakeGuest) -> Run:
    def carry_out(source: str, *, limits: Limits | None = None, seconds: float = 10) -> JobResult:
        with bare.open(make_guest(limits=limits)) as zygote:
            return zygote.run("program", {"source": source}, seconds=seconds)

    return carry_out


REFUSED = """
import ctypes, os, resource, socket
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    if libc.syscall(*numbers) < 0: raise OSError(ctypes.get_errno(), 'call')
open('mine', 'w').close()
attempts = {
    'socket': lambda: socket.socket(),
    'unix socket': lambda: socket.socket(socket.AF_UNIX),
    'pair of datagrams': lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    'mode of a file': lambda: os.chmod('mine', 0o600),
    'time of a file': lambda: os.utime('mine', (1, 1)),
    'owner of a file': lambda: os.chown('mine', 1, 1),
    'attribute': lambda: os.setxattr('mine', 'user.x', b'1'),
    'priority of others': lambda: os.setpriority(os.PRIO_PROCESS, 1, 1),
    'limits of others': lambda: resource.prlimit(os.getppid(), resource.RLIMIT_CPU),
    'terminal': lambda: open('/dev/tty'),
    'processes': lambda: os.listdir('/proc'),
    'home folders': lambda: os.listdir('/root'),
    'message queue': lambda: call(68 if os.uname().machine == 'x86_64' else 186, 0, 0o1600),
    'signal': lambda: os.kill(os.getppid(), 0),
}
for name, attempt in attempts.items():
    try: attempt()
    except OSError: continue
    print(name)
"""


def test_what_no_namespace_hides_is_refused(run_bare: Run) -> None:
    result = run_bare(REFUSED)
    assert (result.output, result.complete) == ("", True)


def test_ordinary_things_work(run_bare: Run) -> None:
    source = """
import asyncio, getpass, os, socket, sqlite3, subprocess, sys, tempfile, threading, resource
left, right = socket.socketpair()
left.send(b'x'); print(right.recv(1))
print(asyncio.run(asyncio.sleep(0, 'slept')), getpass.getuser())
print(subprocess.run([sys.executable, '-c', 'print(1)'], capture_output=True, text=True).stdout, end='')
with tempfile.TemporaryDirectory() as folder: print(sqlite3.connect(folder + '/x.db').execute('select 1').fetchone())
resource.setrlimit(resource.RLIMIT_NOFILE, (100, 100))
print(open('/proc/self/stat').read().split()[0] == str(os.getpid()))
"""
    assert run_bare(source).output == "b'x'\nslept user\n1\n(1,)\nTrue\n"


def test_root_has_no_powers_inside(run_bare: Run) -> None:
    source = "print([line.split()[1] for line in open('/proc/self/status') if line.startswith(('CapEff', 'CapPrm', 'CapBnd'))])"
    text = run_bare(source).output
    assert text.count("0000000000000000") >= 2


def test_the_disk_is_watched(run_bare: Run, tmp_path: Path) -> None:
    source = "import time\nfor n in range(24): open(f'{n}', 'wb').write(bytes(1 << 20))\ntime.sleep(3)\nprint('held')"
    assert run_bare(source, limits=Limits(disk_bytes=64 * MIB)).output == "held\n"
    assert run_bare(source, limits=Limits(disk_bytes=8 * MIB)).output == ""


def test_what_is_held_is_counted_by_blocks_and_given_up_on_where_there_is_too_much(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner/file").write_bytes(bytes(1 << 20))
    held = folders.held_bytes([str(tmp_path)])
    assert held is not None
    assert 1 << 20 <= held < 2 << 20
    monkeypatch.setattr(folders, "MOST_ENTRIES", 1)
    assert folders.held_bytes([str(tmp_path)]) is None
    with subprocess.Popen(["sleep", "5"]) as process:
        watch = watchdog.Watch(process, Limits(), frozenset(), (str(tmp_path),), looks=2)
        assert not watchdog.holds_too_much(watch)
        process.kill()


def test_a_command_gets_no_network_and_its_daemons_die_with_it(bare: ReducedSandbox, make_guest: MakeGuest) -> None:
    before = set(processes.descendants(os.getpid()))
    asked = bare.execute(make_guest(), ["true"], env={}, seconds=5, network=True)
    done = bare.execute(make_guest(), ["sh", "-c", "(setsid sleep 60 &); exit 4"], env={}, seconds=10)
    late = bare.execute(make_guest(), ["sh", "-c", "(setsid sleep 60 &); sleep 60"], env={}, seconds=1)
    killed = bare.execute(make_guest(), ["sh", "-c", "kill -9 $$"], env={}, seconds=10)
    assert asked.lost == "the tier 'reduced' gives no program the network"
    assert (done.exit_code, done.lost) == (4, "")
    assert (late.timed_out, late.exit_code) == (True, None)
    assert killed.exit_code is None
    assert set(processes.descendants(os.getpid())) <= before


def test_closed_folders_of_a_job_are_removed(bare: ReducedSandbox, make_guest: MakeGuest) -> None:
    source = "import os\nos.makedirs('a/b'); open('a/b/c', 'w').close(); os.umask(0o777); os.mkdir('a/closed')"
    with bare.open(make_guest()) as zygote:
        folder = bare._open[zygote]
        first = zygote.run("program", {"source": source}, seconds=5)
        after = zygote.run("program", {"source": "import os; print(os.listdir('.'))"}, seconds=5)
    assert (first.complete, after.output) == (True, "[]\n")
    assert not folder.exists()


def test_a_very_deep_folder_is_removed_from_outside_as_well() -> None:
    folder = folders.make_folder()
    source = "import os\nfor _ in range(1500): os.mkdir('deep'); os.chdir('deep')\nos.chmod('.', 0)"
    subprocess.run([sys.executable, "-c", source], cwd=folder, check=True)
    folders.remove_folder(folder)
    assert not folder.exists()


def test_a_job_ends_with_its_fork_server(bare: ReducedSandbox, make_guest: MakeGuest) -> None:
    with bare.open(make_guest()) as zygote:
        talk = zygote.converse("session", {}, seconds=30)
        assert talk.say({"look": "os.path"}, seconds=5)["value"]["kind"] == "value"
        (child,) = processes.descendants(zygote._process.pid)
        os.kill(zygote._process.pid, signal.SIGKILL)
        with pytest.raises(GuestLost):
            talk.say({"look": "os.path"}, seconds=5)
        for _ in range(200):
            if processes.is_dead(child):
                break
            time.sleep(0.01)
        assert processes.is_dead(child)
        assert zygote.run("program", {"source": "print(1)"}, seconds=5).lost


def test_the_path_of_the_fork_server_names_nobody(run_bare: Run) -> None:
    assert "pqa" not in run_bare("print(open('/proc/self/cmdline').read())").output.replace(
        str(reduced.layout.HARNESS_FOLDER.parents[2]), ""
    )


def suite_of(bare: ReducedSandbox, guest: Guest, **more: object) -> SuiteRun:
    with bare.open(guest) as zygote:
        return run_suite(zygote, ["test_it.py"], code=["it.py"], seconds=30, **more)  # type: ignore[arg-type]


def test_a_test_that_needs_more_than_the_tier_gives_is_not_runnable_here(
    bare: ReducedSandbox, make_guest: MakeGuest
) -> None:
    needy = "import os, it\ndef test_mode(): os.chmod(it.__file__, 0o600)\ndef test_value(): assert it.X == 7\n"
    run = suite_of(bare, make_guest({"it.py": "X = 7\n", "test_it.py": needy}, preload=("pytest",)))
    assert run.status == "could-not-check"
    assert run.why.startswith("not runnable here: 1 tests or files")
    assert {test.node_id: test.outcome for test in run.tests} == {
        "test_it.py::test_mode": "skipped",
        "test_it.py::test_value": "passed",
    }


def test_a_file_that_needs_more_than_the_tier_gives_is_not_runnable_here(
    bare: ReducedSandbox, make_guest: MakeGuest
) -> None:
    files = {"it.py": "import socket\nX = socket.socket()\n", "test_it.py": "import it\ndef test_x(): assert it.X\n"}
    run = suite_of(bare, make_guest(files))
    assert (run.status, [test.outcome for test in run.tests]) == ("could-not-check", ["skipped"])
    assert run.why.startswith("not runnable here")


def test_a_test_that_fails_by_itself_still_fails(bare: ReducedSandbox, make_guest: MakeGuest) -> None:
    run = suite_of(bare, make_guest({"it.py": "X = 7\n", "test_it.py": "def test_x(): assert 1 == 2\n"}))
    assert (run.status, [test.outcome for test in run.tests]) == ("red", ["failed"])


def test_a_locked_suite_is_found_without_a_mount(bare: ReducedSandbox, make_guest: MakeGuest, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    (locked / "inner").mkdir(parents=True)
    (locked / "test_it.py").write_text("import it\ndef test_it(): assert it.X == 7\n")
    (locked / "inner/data.txt").write_text("x")
    guest = make_guest({"it.py": "X = 7\n"}, mounts=(Mount(str(locked), LOCKED_MOUNT),))
    run = suite_of(bare, guest, copy_from=LOCKED_MOUNT)
    assert (run.status, len(run.tests)) == ("green", 1)


def test_a_refused_call_shows_nothing_and_a_raise_of_its_own_does(bare: ReducedSandbox, make_guest: MakeGuest) -> None:
    code = "import socket\ndef talk(): return socket.socket()\ndef refuse(): raise PermissionError('no')\n"
    calls = [[{"on": None, "call": f"it.{name}", "args": [], "kwargs": {}}] for name in ("talk", "refuse")]
    with bare.open(make_guest({"it.py": code})) as zygote:
        talk, refuse = observe(zygote, [{"setup": [], "calls": one} for one in calls])
    assert breaks({"outcome": "returns"}, [talk]) is False
    assert breaks({"values": [1]}, [talk]) is None
    assert breaks({"outcome": "returns"}, [refuse]) is True
