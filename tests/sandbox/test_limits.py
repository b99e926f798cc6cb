"""What a guest cannot use up; each limit has a clean twin that stays below it."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pqa.core.job import MIB, Guest, JobResult, Limits
from pqa.sandbox import bubblewrap, processes
from pqa.sandbox.bubblewrap import BubblewrapSandbox

Run = Callable[..., JobResult]
MakeGuest = Callable[..., Guest]

BOMB = """
import os, time
number = 0
try:
    while number < 300:
        if os.fork() == 0:
            os.setsid()
            time.sleep(30)
            os._exit(0)
        number += 1
except OSError:
    pass
print(number, flush=True)
time.sleep(0.5)
"""


@pytest.fixture(params=["with a control group", "with the watchdog alone"])
def either(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "with the watchdog alone":
        monkeypatch.setattr(bubblewrap, "_group", lambda limits: None)
    else:
        group = bubblewrap._group(Limits())
        if group is None:
            pytest.skip("no control group can be written here")
        group.remove()
    return str(request.param)


def test_a_fork_bomb_stops_at_the_limit_and_nothing_of_it_survives(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, either: str
) -> None:
    with sandbox.open(make_guest(limits=Limits(processes=20))) as zygote:
        result = zygote.run("program", {"source": BOMB}, seconds=10)
        left = set(processes.descendants(zygote._process.pid)) - zygote._spared
        after = zygote.run("program", {"source": "print('next')"}, seconds=10)
    assert result.signal == 9 or int(result.output) <= 21
    assert left == set()
    assert after.output == "next\n"


def test_a_few_processes_are_allowed(sandbox: BubblewrapSandbox, make_guest: MakeGuest, either: str) -> None:
    with sandbox.open(make_guest(limits=Limits(processes=20))) as zygote:
        result = zygote.run(
            "program", {"source": BOMB.replace("300", "10").replace("sleep(30)", "sleep(0)")}, seconds=10
        )
    assert (result.output, result.complete) == ("10\n", True)


def test_a_heap_beyond_the_limit_is_stopped(sandbox: BubblewrapSandbox, make_guest: MakeGuest, either: str) -> None:
    with sandbox.open(make_guest(limits=Limits(memory_bytes=256 * MIB))) as zygote:
        result = zygote.run("program", {"source": "x = bytearray(600 << 20); print('held')"}, seconds=10)
        small = zygote.run("program", {"source": "x = bytearray(100 << 20); print('held')"}, seconds=10)
    assert "held" not in result.output
    assert not result.complete
    assert small.output == "held\n"


def test_memory_spread_over_many_processes_is_stopped(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, either: str
) -> None:
    greedy = "import os, time\nfor _ in range(5): os.fork()\nx = bytearray(30 << 20)\ntime.sleep(1)\nprint('held')"
    with sandbox.open(make_guest(limits=Limits(memory_bytes=300 * MIB, processes=200))) as zygote:
        result = zygote.run("program", {"source": greedy}, seconds=10)
        after = zygote.run("program", {"source": "print('next')"}, seconds=10)
    assert result.output.count("held") < 32
    assert after.output == "next\n"


def test_memory_files_are_not_a_way_around_the_limit(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, either: str
) -> None:
    source = """
import os
kept = []
for _ in range(100):
    handle = os.memfd_create('x')
    kept.append(handle)
    os.write(handle, bytes(8 << 20))
print('held')
"""
    with sandbox.open(make_guest(limits=Limits(memory_bytes=256 * MIB))) as zygote:
        result = zygote.run("program", {"source": source}, seconds=10)
    assert "held" not in result.output


def test_every_writable_folder_is_bounded(run: Run) -> None:
    source = """
import os
for folder, most in (('/work', 8), ('/tmp', 8), ('/home', 8), ('/dev/shm', 8)):
    written = 0
    try:
        for number in range(64):
            with open(f'{folder}/{number}', 'wb', buffering=0) as out:
                written += out.write(bytes(1 << 20))
    except OSError as error:
        print(folder, written >> 20 <= most, error.strerror)
"""
    result = run(source, limits=Limits(disk_bytes=8 * MIB))
    assert result.output.splitlines() == [
        f"{folder} True No space left on device" for folder in ("/work", "/tmp", "/home", "/dev/shm")
    ]


def test_one_file_is_bounded(run: Run) -> None:
    source = "open('/work/tree/x', 'wb', buffering=0).write(bytes(3 << 20)); open('/work/tree/x', 'ab', buffering=0).write(b'x')"
    result = run(source, limits=Limits(file_bytes=3 * MIB))
    assert "File too large" in result.output


def test_output_is_cut_to_head_and_tail_while_the_hosts_memory_stays_flat(run: Run) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    source = "import sys\nprint('first')\nfor _ in range(64): sys.stdout.write('x' * (1 << 20)); sys.stderr.write('')\nprint('last')"
    result = run(source, seconds=20)
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert result.complete
    assert result.output.startswith("first\nxxx")
    assert result.output.endswith("xxxlast\n")
    assert f"[... {64 * MIB + 11 - 65536} bytes left out ...]" in result.output
    assert grown < 16 * 1024


def test_a_flood_of_records_ends_the_job(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    source = "import os\nwhile True: os.write(900, b'{\"x\": 1}\\n' * 1000)"
    with sandbox.open(make_guest(limits=Limits(record_bytes=MIB))) as zygote:
        result = zygote.run("program", {"source": source}, seconds=10)
    assert (result.truncated, result.complete) == (True, False)
    assert result.trouble == "it wrote more records than allowed"


def test_one_endless_record_ends_the_job(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    source = "import os\nwhile True: os.write(900, b'x' * 10000)"
    with sandbox.open(make_guest(limits=Limits(record_line_bytes=MIB // 4))) as zygote:
        result = zygote.run("program", {"source": source}, seconds=10)
    assert (result.truncated, result.complete) == (True, False)


def test_an_endless_loop_that_ignores_signals_is_dead_by_its_deadline_with_its_daemon(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest
) -> None:
    source = """
import os, signal, time
for number in set(signal.Signals) - {9, 19}: signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        while True: time.sleep(1)
    os._exit(0)
while True: pass
"""
    with sandbox.open(make_guest()) as zygote:
        started = time.monotonic()
        result = zygote.run("program", {"source": source}, seconds=0.5)
        took = time.monotonic() - started
        left = set(processes.descendants(zygote._process.pid)) - zygote._spared
    assert (result.timed_out, result.signal, result.complete) == (True, 9, False)
    assert took < 3
    assert left == set()


def test_a_daemon_that_outlives_a_finished_job_is_gone_with_it(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest
) -> None:
    source = "import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(60)"
    with sandbox.open(make_guest()) as zygote:
        result = zygote.run("program", {"source": source}, seconds=5)
        left = set(processes.descendants(zygote._process.pid)) - zygote._spared
    assert result.complete
    assert left == set()


def test_processor_time_is_bounded(run: Run) -> None:
    result = run("while True: pass", limits=Limits(cpu_seconds=1), seconds=10)
    assert result.signal == 24
    assert 0.5 < result.cpu_seconds < 3


def test_ten_thousand_links_and_a_very_deep_folder_are_cleaned_up(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest
) -> None:
    source = """
import os
for number in range(10_000): os.symlink('/', f'link{number}')
for number in range(3_000):
    os.mkdir('deep'); os.chdir('deep')
open('file', 'w').close()
os.chmod('.', 0)
os.mkdir('/tmp/closed'); open('/tmp/closed/x', 'w').close(); os.chmod('/tmp/closed', 0)
"""
    look = "import os; print(os.listdir('.'), [os.listdir(each) for each in ('/work', '/tmp', '/home', '/dev/shm')])"
    with sandbox.open(make_guest({"m.py": ""})) as zygote:
        before = zygote.run("program", {"source": look}, seconds=5)
        result = zygote.run("program", {"source": source}, seconds=20)
        after = zygote.run("program", {"source": look}, seconds=5)
    assert result.complete
    assert before.output.startswith("['m.py'] [['tree'")
    assert after.output == before.output


def test_a_snapshot_with_thousands_of_links_is_used_in_place(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    guest = make_guest({"m.py": "X = 7\n"})
    for number in range(2_500):
        (Path(guest.snapshot) / f"link{number}").symlink_to("/etc/passwd")
    with sandbox.open(guest) as zygote:
        result = zygote.run("program", {"source": "import os, m; print(os.getcwd(), m.X)"}, seconds=5)
    assert result.output == "/src 7\n"


def test_several_threads_take_turns_on_one_sandbox(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    outputs: list[str] = []
    with sandbox.open(make_guest()) as zygote:

        def ask(number: int) -> None:
            outputs.append(zygote.run("program", {"source": f"print({number})"}, seconds=10).output)

        threads = [threading.Thread(target=ask, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert sorted(outputs, key=int) == [f"{number}\n" for number in range(12)]
