"""What a guest cannot reach; each attack succeeds outside, so that its failure inside means something."""

from __future__ import annotations

import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

from pqa.core.job import Guest, JobResult, Mount
from pqa.sandbox.bubblewrap import BubblewrapSandbox

Run = Callable[..., JobResult]
MakeGuest = Callable[..., Guest]


def test_the_first_program_sees_its_own_files_and_nothing_of_the_host(run: Run) -> None:
    source = "import os, m; print(sorted(os.listdir('.')), m.X, os.getcwd(), os.environ.get('PQA'))"
    result = run(source, {"m.py": "X = 7\n"})
    assert result.output == "['m.py'] 7 /work/tree None\n"
    assert result == JobResult(
        records=({"exit": 0},), complete=True, exit_code=0, output=result.output, cpu_seconds=result.cpu_seconds
    )


def test_a_write_outside_changes_nothing(run: Run, run_outside: Run, tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("untouched", encoding="ascii")
    source = f"import os; os.makedirs({str(tmp_path)!r}, exist_ok=True); open({str(target)!r}, 'w').write('changed')"
    assert run(source).exit_code == 0
    assert target.read_text(encoding="ascii") == "untouched"
    assert run_outside(source).exit_code == 0
    assert target.read_text(encoding="ascii") == "changed"


def test_the_system_and_the_interpreter_cannot_be_written(run: Run) -> None:
    source = """
import os, sys
for path in ('/usr/x', '/etc/x', '/x', '/src/x', '/opt/x', '/dev/x', '/opt/harness/x', sys.prefix + '/x', os.__file__):
    try:
        open(path, 'a').close()
    except OSError:
        continue
    print('wrote', path)
"""
    assert run(source, {"m.py": ""}).output == ""


def test_a_secret_file_is_not_there(run: Run, run_outside: Run, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("token-1234", encoding="ascii")
    source = f"print(open({str(secret)!r}).read())"
    assert "token-1234" not in run(source).output
    assert "token-1234" in run_outside(source).output


def test_the_environment_of_the_host_is_not_passed_on(run: Run) -> None:
    os.environ["DECOY_TOKEN"] = "token-1234"
    try:
        source = """
import os, glob
print(dict(os.environ))
for path in glob.glob('/proc/*/environ'):
    try: print(open(path).read())
    except OSError: pass
"""
        assert "token-1234" not in run(source).output
    finally:
        del os.environ["DECOY_TOKEN"]


def test_a_sibling_of_the_snapshot_is_invisible(run: Run, run_outside: Run, tmp_path: Path) -> None:
    sibling = tmp_path / "sibling"
    sibling.mkdir()
    (sibling / "answer.py").write_text("X = 1\n", encoding="ascii")
    source = f"import os; print(os.path.exists({str(sibling)!r}))"
    assert run(source).output == "False\n"
    assert run_outside(source).output == "True\n"
    assert "sibling" not in run("import os; print(os.listdir('..'), os.listdir('/src/..'))").output


def test_the_arguments_of_the_first_process_do_not_tell_where_the_snapshot_lies(run: Run, tmp_path: Path) -> None:
    output = run("import glob\nfor path in glob.glob('/proc/[0-9]*/cmdline'): print(open(path).read())").output
    assert "zygote.py" in output
    assert str(tmp_path) not in output


def test_a_listener_on_the_hosts_loopback_hears_nothing(run: Run, run_outside: Run) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        source = f"import socket; socket.create_connection(('127.0.0.1', {port}), 2).sendall(b'x')"
        assert run(source).exit_code == 1
        assert not select.select([listener], [], [], 0)[0]
        assert run_outside(source).exit_code == 0
        assert select.select([listener], [], [], 1)[0]


def test_loopback_unix_sockets_and_process_pools_work_inside(run: Run) -> None:
    source = """
import asyncio, socket, multiprocessing, sqlite3, subprocess, tempfile, getpass, threading, sys
server = socket.create_server(('127.0.0.1', 0))
socket.create_connection(server.getsockname(), 2)
left, right = socket.socketpair()
with multiprocessing.get_context('fork').Pool(2) as pool:
    print(pool.map(abs, [-1, -2]))
print(subprocess.run([sys.executable, '-c', 'import m; print(m.X)'], capture_output=True, text=True).stdout, end='')
print(asyncio.run(asyncio.sleep(0, 'slept')), getpass.getuser(), socket.gethostbyname('localhost'))
with tempfile.TemporaryDirectory() as folder:
    print(sqlite3.connect(folder + '/x.db').execute('select 1').fetchone())
"""
    assert run(source, {"m.py": "X = 7\n"}).output == "[1, 2]\n7\nslept user 127.0.0.1\n(1,)\n"


def test_other_socket_families_are_refused(run: Run) -> None:
    source = "import socket\nfor family in (16, 17, 40):\n try: socket.socket(family, 3); print('made', family)\n except OSError as error: print(error.errno)"
    assert run(source).output == "1\n1\n1\n"


def test_a_process_of_the_host_cannot_be_signalled(run: Run, run_outside: Run) -> None:
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"]) as decoy:
        source = f"import os; os.kill({decoy.pid}, 9)"
        assert run(source).exit_code == 1
        assert decoy.poll() is None
        assert run_outside(source).exit_code == 0
        assert decoy.wait(5) == -signal.SIGKILL


def test_the_fork_server_cannot_be_traced_read_or_killed(run: Run) -> None:
    source = """
import ctypes, os
libc, parent = ctypes.CDLL(None, use_errno=True), os.getppid()
attempts = {
    'kill': lambda: os.kill(parent, 9),
    'stop': lambda: os.kill(parent, 19),
    'memory': lambda: open(f'/proc/{parent}/mem', 'r+b'),
    'descriptors': lambda: [os.open(f'/proc/{parent}/fd/{number}', 0) for number in range(9)],
    'targets': lambda: [os.readlink(f'/proc/{parent}/fd/{number}') for number in range(9)],
    'environment': lambda: open(f'/proc/{parent}/environ').read(),
    'init': lambda: os.kill(1, 9),
}
for name, attempt in attempts.items():
    try: attempt()
    except PermissionError: continue
    print('did', name)
number = {'x86_64': (101, 438), 'aarch64': (117, 438)}[os.uname().machine]
if libc.syscall(number[0], 16902, parent, 0, 0) != -1: print('did trace')
if libc.syscall(number[1], os.pidfd_open(parent), 1, 0) != -1: print('did steal')
# the control: a process of its own can be read
child = os.fork()
if child == 0:
    import time; time.sleep(9)
open(f'/proc/{child}/mem', 'rb').close()
os.kill(child, 9)
"""
    result = run(source)
    assert result.output == ""
    assert result.complete


def test_new_namespaces_mounts_and_dangerous_calls_are_refused(run: Run) -> None:
    source = """
import ctypes, os, fcntl, stat
libc = ctypes.CDLL(None, use_errno=True)
calls = {'unshare': (272, 0x10000000), 'mount': (165, b'none', b'/work', b'tmpfs', 0, 0), 'chroot': (161, b'/work'),
         'keyctl': (250, 0, -3, 1), 'bpf': (321, 0, 0, 0), 'io_uring': (425, 4, ctypes.create_string_buffer(256)),
         'userfaultfd': (323, 0), 'clone': (56, 0x10000000 | 17, 0, 0, 0, 0), 'x32': None}
for name, call in calls.items():
    if call and libc.syscall(*call) != -1: print('did', name)
    elif call and ctypes.get_errno() != 1: print(name, os.strerror(ctypes.get_errno()))
try: os.mknod('device', stat.S_IFBLK | 0o600, os.makedev(254, 0)); print('did mknod')
except OSError: pass
try: fcntl.ioctl(0, 0x5412, b'x'); print('did TIOCSTI')
except OSError as error: print(error.errno)
"""
    if os.uname().machine == "x86_64":
        assert run(source).output == "1\n"


def test_a_call_through_the_x32_table_ends_the_process(run: Run) -> None:
    if os.uname().machine == "x86_64":
        result = run("import ctypes; ctypes.CDLL(None).syscall(0x40000000 + 39)")
        assert result.signal == signal.SIGSYS


def test_a_further_mount_can_be_read_and_not_written(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, tmp_path: Path
) -> None:
    (tmp_path / "locked").mkdir()
    (tmp_path / "locked" / "test_x.py").write_text("X = 1\n", encoding="ascii")
    guest = make_guest(mounts=(Mount(str(tmp_path / "locked"), "/locked"),))
    source = "print(open('/locked/test_x.py').read()); open('/locked/test_x.py', 'w')"
    with sandbox.open(guest) as zygote:
        result = zygote.run("program", {"source": source}, seconds=5)
    assert "X = 1\n" in result.output
    assert "Read-only file system" in result.output or "Permission denied" in result.output


def test_links_that_lead_out_of_the_snapshot_are_not_followed(
    sandbox: BubblewrapSandbox, make_guest: MakeGuest, tmp_path: Path
) -> None:
    (tmp_path / "secret").write_text("token-1234", encoding="ascii")
    guest = make_guest({"m.py": "X = 7\n"})
    (Path(guest.snapshot) / "link").symlink_to(tmp_path / "secret")
    (Path(guest.snapshot) / "loop").symlink_to("loop")
    os.mkfifo(Path(guest.snapshot) / "fifo")
    source = "import os; print(sorted(os.listdir('.')), os.path.islink('link'), os.path.exists('link'))"
    with sandbox.open(guest) as zygote:
        result = zygote.run("program", {"source": source}, seconds=5)
    assert result.output == "['link', 'loop', 'm.py'] True False\n"
