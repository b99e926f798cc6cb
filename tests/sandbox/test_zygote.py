"""What the host believes of a job, and what becomes of it when the sandbox is gone."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pqa.core.errors import GuestLost
from pqa.core.job import Guest, JobResult, Mount
from pqa.sandbox import cgroup, processes
from pqa.sandbox.bubblewrap import BubblewrapSandbox
from pqa.sandbox.unsandboxed import UnsandboxedSandbox

Run = Callable[..., JobResult]
MakeGuest = Callable[..., Guest]

ECHO = '''
def run(job, emit, context):
    """Answers each message with itself and how many there were."""
    import m
    count = 0
    while True:
        message = context.listen()
        if message is None:
            return
        count += 1
        if message.get("twice"):
            emit({"stray": True})
        if message.get("die"):
            import os
            os._exit(3)
        if message.get("sleep"):
            import time
            time.sleep(message["sleep"])
        emit({"heard": message, "count": count, "m": m.__file__})
'''


@pytest.fixture
def extra_harness(tmp_path: Path) -> str:
    folder = tmp_path / "extra_harness"
    folder.mkdir()
    (folder / "echo.py").write_text(ECHO, encoding="utf-8")
    (folder / "broken.py").write_text("raise RuntimeError('broken on purpose')\n", encoding="utf-8")
    return str(folder)


def test_an_exit_with_zero_at_import_gives_no_end_record(run: Run) -> None:
    result = run("import m", {"m.py": "import os\nos._exit(0)\n"})
    assert (result.exit_code, result.complete, result.records) == (0, False, ())
    assert result.trouble == "it ended without its end record (exit status 0)"
    assert run("import m", {"m.py": "X = 1\n"}).complete


@pytest.mark.parametrize(
    ("ending", "status"),
    [("raise SystemExit(10)", 10), ("raise SystemExit", 0), ("raise SystemExit('no')", 1), ("1 / 0", 1), ("pass", 0)],
)
def test_the_exit_status_of_a_program_is_its_own(run: Run, ending: str, status: int) -> None:
    result = run(ending)
    assert result.exit_code == status
    assert result.records == ({"exit": status},)
    assert result.complete is (status == 0)


def test_an_exit_status_without_its_record_can_be_told_from_an_honest_one(run: Run) -> None:
    assert run("import os; os._exit(10)").records == ()


def test_a_crash_is_seen_as_its_signal(run: Run) -> None:
    result = run("import ctypes; ctypes.string_at(0)")
    assert (result.signal, result.exit_code, result.complete) == (signal.SIGSEGV, None, False)


@pytest.mark.parametrize(
    "line",
    ["not json", "[1, 2]", "7", '"text"', "{" * 100_000, "[" * 100_000, "\\xff\\xfe", '{"end": "guess"', "1" * 9999],
)
def test_a_line_that_is_no_record_is_ignored_and_spoils_the_job(run: Run, line: str) -> None:
    result = run(f"import os; os.write(900, b'''{line}\\n''')")
    assert result.records == ({"exit": 0},)
    assert not result.complete
    assert "1 lines on the record pipe were no records" in result.output


def test_half_characters_in_a_record_are_spelled_out(run: Run) -> None:
    """They could not be written to a report or a data base."""
    source = r"""import os; os.write(900, b'{"lone": "a\\udc80b", "pair": "\\ud83d\\ude00", "\\ud800": [1]}\n')"""
    assert run(source).records[0] == {"lone": "a\\udc80b", "pair": "\U0001f600", "\\ud800": [1]}


def test_a_guessed_end_record_does_not_end_the_job(run: Run) -> None:
    result = run("""import os; os.write(900, b'{"end": "0000000000000000"}\\n'); os._exit(0)""")
    assert not result.complete


def test_records_after_the_end_spoil_the_job(run: Run) -> None:
    source = "import gc, os\nfor frame in [__import__('sys')._getframe()]:\n while frame.f_back: frame = frame.f_back\n"
    source += "import json\nfor each in gc.get_objects():\n pass\nos.write(900, b'{\"x\": 1}\\n')"
    assert {"x": 1} in run(source).records


def test_the_record_pipe_is_not_met_by_code_that_closes_the_first_hundreds(run: Run) -> None:
    assert run("import os; os.closerange(3, 256)").complete


def test_a_killed_sandbox_is_a_lost_result_and_not_an_exception(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest
) -> None:
    with sandbox.open(make_guest()) as zygote:
        assert zygote.alive
        threading.Timer(0.3, zygote._process.kill).start()
        result = zygote.run("program", {"source": "import time; time.sleep(30)"}, seconds=30)
        later = zygote.run("program", {"source": "pass"}, seconds=5)
        assert not zygote.alive
    assert result.lost.startswith("the sandbox ended: ")
    assert later.lost == result.lost
    assert not later.complete


def test_a_closed_sandbox_answers_that_it_was_closed(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    zygote = sandbox.open(make_guest())
    zygote.close()
    zygote.close()
    assert zygote.run("program", {"source": "pass"}, seconds=5).lost == "the sandbox ended: it was closed"


def groups_of(pid: int) -> list[Path]:
    """The control groups that a process made; others come and go meanwhile, which `rglob` does not bear."""
    folders = [Path(folder) for folder, _, _ in os.walk("/sys/fs/cgroup")]
    return [folder for folder in folders if folder.name.startswith(f"guest-{pid}-")]


def test_closing_leaves_no_process_no_mount_no_control_group_and_no_folder(
    sandbox: BubblewrapSandbox, unsandboxed: UnsandboxedSandbox, make_guest: MakeGuest
) -> None:
    guest = make_guest()

    def left() -> tuple[list[int], str, list[str], list[str]]:
        groups = sorted(map(str, groups_of(os.getpid())))
        folders = sorted(path.name for path in Path(tempfile.gettempdir()).glob("guest-*"))
        mounts = Path("/proc/self/mountinfo").read_text(encoding="utf-8")
        return processes.descendants(os.getpid()), mounts, groups, folders

    before, descriptors = left(), len(list(Path("/proc/self/fd").iterdir()))
    daemon = "import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(60)\ntime.sleep(60)"
    for box in (sandbox, unsandboxed):
        zygote = box.open(guest)
        waiting = threading.Thread(target=zygote.run, args=("program", {"source": daemon}), kwargs={"seconds": 30})
        waiting.start()
        time.sleep(0.3)
        assert len(left()[0]) > len(before[0])
        zygote.close()
        waiting.join(5)
        assert not waiting.is_alive()
    assert left() == before
    assert len(list(Path("/proc/self/fd").iterdir())) == descriptors


def test_a_sandbox_dies_with_pqa(make_guest: MakeGuest, sandbox: BubblewrapSandbox) -> None:
    snapshot = make_guest().snapshot
    script = f"""
import os, sys, time
from pqa.core.job import Guest
from pqa.sandbox.bubblewrap import BubblewrapSandbox
from pqa.sandbox.interpreter import own_interpreter
zygote = BubblewrapSandbox({sandbox.program!r}).open(Guest({snapshot!r}, own_interpreter()))
print(*zygote._spared, flush=True)
time.sleep(60)
"""
    import sys

    source = str(Path(__file__).parents[2] / "src")
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env={**os.environ, "PYTHONPATH": source}
    ) as host:
        assert host.stdout is not None
        pids = [int(each) for each in host.stdout.readline().split()]
        assert pids
        assert not any(processes.is_dead(pid) for pid in pids)
        host.kill()
    limit = time.monotonic() + 5
    while not all(processes.is_dead(pid) for pid in pids) and time.monotonic() < limit:
        time.sleep(0.02)
    assert all(processes.is_dead(pid) for pid in pids)
    for group in groups_of(host.pid):
        group.rmdir()


def test_an_interrupt_while_a_sandbox_starts_leaves_nothing(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(self: object, message: object) -> None:
        raise KeyboardInterrupt

    before = processes.descendants(os.getpid())
    guest = make_guest()
    with monkeypatch.context() as patch:
        patch.setattr("pqa.sandbox.zygote.HostZygote._write", interrupted)
        with pytest.raises(KeyboardInterrupt):
            sandbox.open(guest)
    assert processes.descendants(os.getpid()) == before
    assert groups_of(os.getpid()) == []


def test_control_groups_of_a_killed_pqa_are_removed_later(tmp_path: Path) -> None:
    with subprocess.Popen(["true"]) as gone:
        gone.wait()
    left, fresh, living = (
        tmp_path / f"guest-{gone.pid}-a",
        tmp_path / f"guest-{gone.pid}-b",
        tmp_path / f"guest-{os.getpid()}-c",
    )
    for folder in (left, fresh, living):
        folder.mkdir()
    for folder in (left, living):
        os.utime(folder, (0, 0))
    cgroup._remove_orphans(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([fresh, living])


def test_a_sandbox_outlives_the_thread_that_opened_it(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    opened = []
    thread = threading.Thread(target=lambda: opened.append(sandbox.open(make_guest())))
    thread.start()
    thread.join()
    time.sleep(0.2)
    with opened[0] as zygote:
        assert zygote.run("program", {"source": "pass"}, seconds=5).complete


def test_files_left_by_one_job_are_not_seen_by_the_next(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    leave = """
import os
for folder in ('.', '/work', '/tmp', '/home', '/dev/shm'): open(folder + '/left', 'w').close()
open('m.py', 'w').write('X = 8')
"""
    look = """
import os, m
print(m.X, [folder for folder in ('.', '/work', '/tmp', '/home', '/dev/shm') if os.path.exists(folder + '/left')])
"""
    with sandbox.open(make_guest({"m.py": "X = 7\n"})) as zygote:
        assert zygote.run("program", {"source": leave}, seconds=5).complete
        assert zygote.run("program", {"source": look}, seconds=5).output == "7 []\n"


def test_names_of_the_harness_do_not_hide_modules_of_the_branch(run: Run) -> None:
    names = ("zygote", "child", "jail", "trial", "tree", "session", "observe", "values")
    files = {f"{name}.py": f"X = '{name}'\n" for name in names}
    source = "\n".join(f"import {name}; assert {name}.X == '{name}'" for name in names)
    assert run(source, files).complete


def test_the_hash_seed_is_honoured(sandbox: BubblewrapSandbox, make_guest: MakeGuest) -> None:
    answers = []
    for seed in (1, 1, 2):
        with sandbox.open(make_guest(hash_seed=seed)) as zygote:
            answers.append(zygote.run("program", {"source": "print(hash('text'))"}, seconds=5).output)
    assert answers[0] == answers[1] != answers[2]


def test_import_roots_come_first_and_other_checkouts_are_out_of_reach(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, tmp_path: Path
) -> None:
    """An editable installation, once as a path and once as a finder, loses to the snapshot."""
    other = tmp_path / "checkout"
    (other / "wanted").mkdir(parents=True)
    (other / "wanted" / "__init__.py").write_text("X = 'checkout'\n", encoding="utf-8")
    finder = f"""
import sys
from importlib.machinery import ModuleSpec, PathFinder
class _EditableFinder:
    @classmethod
    def find_spec(cls, name, path=None, target=None):
        return PathFinder.find_spec(name, [{str(other)!r}]) if name == 'wanted' else None
sys.meta_path.insert(0, _EditableFinder)
sys.path.append({str(other)!r})
"""
    place = tmp_path / "preloaded"
    place.mkdir()
    (place / "__editable___wanted_finder.py").write_text(finder, encoding="utf-8")
    guest = make_guest(
        {"src/wanted/__init__.py": "X = 'snapshot'\n"},
        import_roots=("src",),
        mounts=(Mount(str(other), str(other)), Mount(str(place), "/opt/site")),
        preload=("__editable___wanted_finder",),
    )
    from dataclasses import replace

    guest = replace(guest, interpreter=replace(guest.interpreter, extra_paths=("/opt/site",)))
    source = "import subprocess, sys, wanted; print(wanted.X, wanted.__file__)\nprint([each for each in sys.meta_path if 'ditable' in repr(each)])"
    with sandbox.open(guest) as zygote:
        result = zygote.run("program", {"source": source}, seconds=5)
    assert result.output == "snapshot /work/tree/src/wanted/__init__.py\n[]\n"
    with sandbox.open(replace(guest, import_roots=("elsewhere",))) as zygote:
        result = zygote.run("program", {"source": source}, seconds=5)
    assert "No module named 'wanted'" in result.output


def test_stale_byte_code_of_the_snapshot_is_not_used(run: Run, make_guest: MakeGuest) -> None:
    import importlib.util
    import py_compile
    import sys

    folder = Path(make_guest({"m.py": "X = 'forged'\n"}).snapshot)
    cached = importlib.util.cache_from_source(str(folder / "m.py"))
    py_compile.compile(
        str(folder / "m.py"), cfile=cached, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
    )
    assert Path(cached).exists(), sys.version
    assert run("import m; print(m.X)", {"m.py": "X = 'source'\n"}).output == "source\n"


def test_an_unknown_job_and_a_broken_one_say_so(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, extra_harness: str
) -> None:
    with sandbox.open(make_guest(), harness=(extra_harness,)) as zygote:
        assert "no job 'nothing'" in zygote.run("nothing", {}, seconds=5).output
        assert "broken on purpose" in zygote.run("broken", {}, seconds=5).output


def test_a_conversation_answers_message_by_message(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, extra_harness: str
) -> None:
    with sandbox.open(make_guest({"m.py": ""}), harness=(extra_harness,)) as zygote:
        talk = zygote.converse("echo", {}, seconds=20)
        for count in (1, 2, 3):
            answer = talk.say({"x": "é" * 70_000}, seconds=5)
            assert answer == {"heard": {"x": "é" * 70_000}, "count": count, "m": "/work/tree/m.py"}
        assert talk.result is None
        talk.close()
        talk.close()
        assert talk.result is not None
        assert talk.result.complete
        assert zygote.run("program", {"source": "pass"}, seconds=5).complete


def test_a_stray_record_is_not_taken_for_the_next_answer(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, extra_harness: str
) -> None:
    with sandbox.open(make_guest({"m.py": ""}), harness=(extra_harness,)) as zygote:
        talk = zygote.converse("echo", {}, seconds=20)
        assert talk.say({"twice": True}, seconds=5) == {"stray": True}
        time.sleep(0.2)
        assert talk.say({"x": 2}, seconds=5)["count"] == 2
        talk.close()


def test_a_conversation_with_a_dead_or_silent_guest_is_lost(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, extra_harness: str
) -> None:
    with sandbox.open(make_guest({"m.py": ""}), harness=(extra_harness,)) as zygote:
        talk = zygote.converse("echo", {}, seconds=20)
        with pytest.raises(GuestLost, match=r"without its end record \(exit status 3\)"):
            talk.say({"die": True}, seconds=5)
        talk = zygote.converse("echo", {}, seconds=20)
        with pytest.raises(GuestLost, match=r"no answer within 0\.3 seconds"):
            talk.say({"sleep": 30}, seconds=0.3)
        talk = zygote.converse("echo", {}, seconds=0.5)
        with pytest.raises(GuestLost, match="past its time limit"):
            talk.say({"sleep": 30}, seconds=10)
        assert zygote.run("program", {"source": "pass"}, seconds=5).complete


def test_a_thread_that_talks_is_told_to_end_that_first(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, extra_harness: str
) -> None:
    with sandbox.open(make_guest({"m.py": ""}), harness=(extra_harness,)) as zygote:
        talk = zygote.converse("echo", {}, seconds=20)
        with pytest.raises(RuntimeError, match="close it first"):
            zygote.run("program", {"source": "pass"}, seconds=5)
        talk.close()


def test_without_a_sandbox_the_same_jobs_run_and_are_cleaned_up(
    unsandboxed: UnsandboxedSandbox, make_guest: MakeGuest, extra_harness: str
) -> None:
    daemon = "import os, time\nif os.fork() == 0:\n os.setsid()\n time.sleep(60)\nopen('/'.join([os.environ['TMPDIR'], 'x']), 'w')\nprint(os.getcwd())"
    with unsandboxed.open(make_guest({"m.py": ""}), harness=(extra_harness,)) as zygote:
        result = zygote.run("program", {"source": daemon}, seconds=5)
        assert result.complete
        assert set(processes.descendants(zygote._process.pid)) == set()
        assert list((Path(result.output.strip()).parent.parent / "tmp").iterdir()) == []
        late = zygote.run("program", {"source": "while True: pass"}, seconds=0.3)
        assert (late.timed_out, late.signal) == (True, 9)
        talk = zygote.converse("echo", {}, seconds=5)
        assert talk.say({"x": 1}, seconds=5)["count"] == 1
        talk.close()
    assert unsandboxed.tier == "none"
    assert [check.holds for check in unsandboxed.probe()] == [False]
