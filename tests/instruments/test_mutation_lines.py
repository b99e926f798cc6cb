"""Lines that a test runs, heads of functions aside: `sys.monitoring` (Python 3.12 on) sees those that a trace function sees, again after each `take`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

HARNESS = Path(__file__).parents[2] / "src/pqa/harness"
CODE = """\
def first(n):
    if n > 1:
        return [
            each
            for each in range(n)
        ]
    return []


def second(n):
    try:
        return 1 // n
    except ZeroDivisionError:
        return first(n)


def third(n):
    for each in range(n):
        yield each
"""
OTHER = "def other():\n    return 1\n"
SCRIPT = """
import json, sys, threading
harness, tree, way = sys.argv[1:]
sys.path[:0] = [harness, tree]
import mutant_lines, naming
lines = mutant_lines.Lines(naming.Naming(tree, ["m.py"]))
if way == "trace":
    lines.monitoring = None
lines.start()
import m, other
took = [lines.take()]
def run(*calls):
    for call in calls:
        call()
    took.append(lines.take())
run(lambda: m.first(0), other.other)
run(lambda: m.first(0))
run(lambda: m.second(1))
run(lambda: m.second(0))
run(lambda: list(m.third(2)))
thread = threading.Thread(target=m.first, args=(0,))
run(thread.start, thread.join)
lines.stop()
m.first(0)
took.append(lines.take() if lines.monitoring is None else {})
lines.start()
lines.take()
run(lambda: m.second(1))
lines.stop()
print(json.dumps([each.get("m.py", []) for each in took]))
"""
LINES = [[1, 10, 17], [2, 7], [2, 7], [11, 12], [2, 7, 11, 12, 13, 14], [18, 19], [2, 7], [], [11, 12]]


def interpreters() -> list[str]:
    """This Python, and others that are here and have monitoring."""
    found = [sys.executable]
    for version in ("3.12", "3.13", "3.14"):
        places = [*Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), Path(f"/usr/bin/python{version}")]
        found += [str(place) for place in places[:1] if place.exists()]
    return found


@pytest.mark.parametrize("way", ["trace", "monitoring"])
def test_the_lines_of_each_call_are_seen_whoever_watches(tmp_path: Path, way: str) -> None:
    (tmp_path / "m.py").write_text(CODE, encoding="utf-8")
    (tmp_path / "other.py").write_text(OTHER, encoding="utf-8")
    seen = {}
    for python in interpreters():
        command = [python, "-B", "-c", SCRIPT, str(HARNESS), str(tmp_path), way]
        told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert told.returncode == 0, told.stderr
        found = enumerate(json.loads(told.stdout))
        seen[python] = [[line for line in lines if line not in ((1, 10, 17) if at else (0,))] for at, lines in found]

    assert seen == dict.fromkeys(seen, LINES)
