"""What the sandbox costs, as ratios measured side by side in one run: `python benchmarks/sandbox.py`."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from pqa.core.job import Guest
from pqa.sandbox.bubblewrap import BubblewrapSandbox, find_programs
from pqa.sandbox.interpreter import own_interpreter

ROUNDS, TRIALS = 30, 200


def milliseconds(work: Callable[[], object], rounds: int) -> list[float]:
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        work()
        times.append((time.perf_counter() - start) * 1000)
    return times


def line(name: str, times: list[float], ratio: str = "") -> None:
    print(f"{name:46} min {min(times):8.2f} ms   median {statistics.median(times):8.2f} ms   {ratio}")


def compare_spawns(sandbox: BubblewrapSandbox, guest: Guest) -> None:
    def plain() -> None:
        subprocess.run(["/bin/true"], check=True, stdin=subprocess.DEVNULL, env={})

    def contained() -> None:
        process = sandbox._start(guest, ["/bin/true"])
        process.communicate()
        assert process.returncode == 0

    pairs = [(milliseconds(plain, 1)[0], milliseconds(contained, 1)[0]) for _ in range(ROUNDS)]
    outside, inside = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    line("/bin/true", outside)
    line("/bin/true in the sandbox", inside, f"{min(inside) / min(outside):.1f} x by minimum (target: at most 12)")


def compare_trials(sandbox: BubblewrapSandbox, guest: Guest) -> None:
    argv = [guest.interpreter.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    with sandbox.open(guest) as zygote:

        def trial() -> None:
            assert zygote.run("program", {"source": "import m"}, seconds=10).complete

        def fresh() -> None:
            assert sandbox.execute(guest, argv, env={}, seconds=60).exit_code == 0

        trials = milliseconds(trial, TRIALS)
        suites = milliseconds(fresh, 5)
        trials += milliseconds(trial, TRIALS)
    rate = 1000 / statistics.median(trials)
    line("one trial by fork, pytest loaded", trials, f"{rate:.0f} a second by median (target: at least 100)")
    ratio = statistics.median(suites) / statistics.median(trials)
    line("one fresh sandbox with pytest", suites, f"1/{ratio:.0f} is a trial (target: at most 1/10)")


def main() -> None:
    program = next(iter(find_programs(os.environ)), None)
    if program is None:
        sys.exit("no bwrap program was found")
    sandbox = BubblewrapSandbox(program)
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "m.py").write_text("X = 1\n", encoding="ascii")
        (Path(folder) / "test_m.py").write_text("import m\n\ndef test_x():\n    assert m.X == 1\n", encoding="ascii")
        guest = Guest(folder, own_interpreter(), preload=("pytest",))
        compare_spawns(sandbox, guest)
        opening = milliseconds(lambda: sandbox.open(guest).close(), 10)
        line("open and close a sandbox with its fork server", opening)
        compare_trials(sandbox, guest)
    sandbox.close()


if __name__ == "__main__":
    main()
