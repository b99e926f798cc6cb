"""Trigger files: run for real on a planted fixed-window limiter and on its sliding-log twin; hostile text stays text."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pqa.core.finding import Finding
from pqa.core.trigger import Trigger
from pqa.reports.trigger_file import regression_test, standalone_program, write_trigger_files

FIXED_WINDOW = '''"""A planted flaw: twice the limit passes on both sides of an edge."""


class RateLimiter:
    def __init__(self, limit, window, clock):
        self.limit, self.window, self.clock, self.seen = limit, window, clock, {}

    def allow(self, key):
        slot = (key, int(self.clock() // self.window))
        self.seen[slot] = self.seen.get(slot, 0) + 1
        return self.seen[slot] <= self.limit
'''
SLIDING_LOG = '''"""The clean twin."""


class RateLimiter:
    def __init__(self, limit, window, clock):
        self.limit, self.window, self.clock, self.log = limit, window, clock, []

    def allow(self, key):
        now = self.clock()
        self.log = [(k, at) for k, at in self.log if now - at < self.window]
        if sum(k == key for k, _ in self.log) >= self.limit:
            return False
        self.log.append((key, now))
        return True
'''
SETUP = (
    {"name": "clock", "clock": 0.0},
    {"name": "limiter", "new": "limiter.RateLimiter", "args": [5, 10.0, {"$name": "clock"}], "kwargs": {}},
)
EDGE = tuple({"on": "limiter", "call": "allow", "args": ["k"], "kwargs": {}, "at": at} for at in [9.5] * 5 + [10.0] * 5)
RIGHT = {"values": [True] * 5 + [False] * 5}
HOSTILE = '"""\nimport os; os._exit(10)\n# \x1b[2J \u2028import os \ud800 \' \\ {0}'


def finding(expect: Mapping[str, Any] | None, *calls: Mapping[str, Any], **changes: Any) -> Finding:
    values: dict[str, Any] = {"kind": "observation", "claim": "twice the limit passes", "timeout": 2.0, **changes}
    trigger = Trigger(calls=calls, expect=expect, **values)
    return Finding("b0", "critical", "boundary", "Burst at window boundary", "ten calls", id="f1", trigger=trigger)


def burst(expect: Mapping[str, Any] | None = None, **changes: Any) -> Finding:
    return finding(expect or RIGHT, *EDGE, **{"setup": SETUP, **changes})


def call(name: str, *args: Any, **kwargs: Any) -> dict[str, Any]:
    return {"on": None, "call": name, "args": list(args), "kwargs": kwargs}


def branch(folder: Path, **modules: str) -> Path:
    folder.mkdir()
    for name, text in modules.items():
        (folder / f"{name}.py").write_text(text)
    return folder


def run_program(text: str, where: Path, tmp_path: Path) -> tuple[int, str]:
    file = tmp_path / "program.py"
    file.write_text(text, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(file), str(where)], check=False, capture_output=True, encoding="utf-8", timeout=60
    )
    return done.returncode, done.stdout + done.stderr


def run_pytest(text: str, where: Path, tmp_path: Path) -> tuple[int, str]:
    file = tmp_path / "test_program.py"
    file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tmp_path), str(file)]
    environment = {**os.environ, "PYTHONPATH": str(where)}
    done = subprocess.run(
        command, check=False, capture_output=True, encoding="utf-8", timeout=60, env=environment, cwd=tmp_path
    )
    return done.returncode, done.stdout


def run_test_function(text: str, where: Path, tmp_path: Path) -> int:
    """1 when the test fails, 0 when it passes: the test called as a function, many times faster than pytest."""
    name = text.split("def test_")[1].split("(", maxsplit=1)[0]
    return run_program(f"{text}\n\nimport sys\nsys.path.insert(0, sys.argv[1])\ntest_{name}()\n", where, tmp_path)[0]


def verdicts(one: Finding, where: Path, tmp_path: Path, *, awaits: bool = False) -> tuple[int, int]:
    """(exit status of the program, 1 for a red regression test or 0 for a green one)."""
    program, _ = run_program(standalone_program(one), where, tmp_path)
    return program, run_test_function(regression_test(one, awaits=awaits), where, tmp_path)


@pytest.fixture
def flawed(tmp_path: Path) -> Path:
    return branch(tmp_path / "flawed", limiter=FIXED_WINDOW)


@pytest.fixture
def clean(tmp_path: Path) -> Path:
    return branch(tmp_path / "clean", limiter=SLIDING_LOG)


def test_regression_test_reads_as_a_person_would_write_it() -> None:
    assert regression_test(burst()).split("def test_f1")[1].splitlines() == [
        "() -> None:",
        "    from limiter import RateLimiter",
        "",
        "    clock = Clock()",
        "    limiter = RateLimiter(5, 10.0, clock)",
        "    clock.now = 9.5",
        "    answers = [limiter.allow('k') for _ in range(5)]",
        "    clock.now = 10.0",
        "    answers += [limiter.allow('k') for _ in range(5)]",
        "    assert answers == [True] * 5 + [False] * 5",
    ]


def test_burst_shows_on_fixed_window_and_not_on_sliding_log(flawed: Path, clean: Path, tmp_path: Path) -> None:
    assert verdicts(burst(), flawed, tmp_path) == (10, 1)
    assert verdicts(burst(), clean, tmp_path) == (0, 0)


def test_pytest_is_red_on_fixed_window_and_green_on_sliding_log(flawed: Path, clean: Path, tmp_path: Path) -> None:
    red, green = (run_pytest(regression_test(burst()), where, tmp_path) for where in (flawed, clean))

    assert (red[0], green[0]) == (1, 0)
    assert "1 failed" in red[1] and "1 passed" in green[1]


def test_program_prints_each_call_with_what_came_back_and_what_is_right(flawed: Path, tmp_path: Path) -> None:
    _, output = run_program(standalone_program(burst()), flawed, tmp_path)

    assert output.splitlines() == [
        *["limiter.allow('k'): gave True, right is True"] * 5,
        *["limiter.allow('k'): gave True, right is False   <-- wrong"] * 5,
        "SHOWN: the flaw is there",
    ]


def test_program_finds_a_branch_in_src_layout(flawed: Path, tmp_path: Path) -> None:
    outer = tmp_path / "project"
    outer.mkdir()
    flawed.rename(outer / "src")

    assert run_program(standalone_program(burst()), outer, tmp_path)[0] == 10


def test_program_alone_could_not_check(tmp_path: Path) -> None:
    status, output = run_program(standalone_program(burst()), tmp_path, tmp_path)

    assert (status, output) == (3, "could not check: ModuleNotFoundError \"No module named 'limiter'\"\n")


def test_time_shift_is_run_twice_and_compared(flawed: Path, clean: Path, tmp_path: Path) -> None:
    shifted = burst({"relation": "time-shift", "shift": 5.0})

    assert verdicts(shifted, flawed, tmp_path) == (10, 1)
    assert verdicts(shifted, clean, tmp_path) == (0, 0)


@pytest.mark.parametrize("kind", ["readable", "interpreted"])
def test_raises_asks_the_last_call_for_this_exception(kind: str, tmp_path: Path) -> None:
    name = {"readable": "parse", "interpreted": "compile"}[kind]  # a builtin's name has no readable form
    right = branch(tmp_path / "right", text=f"def {name}(text):\n    if not text:\n        raise ValueError('empty')\n")
    other = branch(tmp_path / "other", text=f"def {name}(text):\n    if not text:\n        raise KeyError('empty')\n")
    silent = branch(tmp_path / "silent", text=f"def {name}(text):\n    return None\n")
    one = finding({"raises": "ValueError"}, call(f"text.{name}", "a"), call(f"text.{name}", ""))

    assert [verdicts(one, where, tmp_path) for where in (right, other, silent)] == [(0, 0), (10, 1), (10, 1)]


def test_values_may_hold_an_exception_and_an_open_outcome(tmp_path: Path) -> None:
    right = branch(
        tmp_path / "right", text="def half(n):\n    if n % 2:\n        raise ValueError\n    return n // 2\n"
    )
    wrong = branch(tmp_path / "wrong", text="def half(n):\n    return n // 2\n")
    values = [2, {"$raises": "ValueError"}, {"$any": True}]
    one = finding({"values": values}, call("text.half", 4), call("text.half", 3), call("text.half", 5))

    assert [verdicts(one, where, tmp_path) for where in (right, wrong)] == [(0, 0), (10, 1)]


@pytest.mark.parametrize("kind", ["readable", "interpreted"])
def test_a_rule_is_judged_between_the_answers(kind: str, tmp_path: Path) -> None:
    name = {"readable": "near", "interpreted": "compile"}[kind]  # a builtin's name has no readable form
    right = branch(tmp_path / "right", text=f"def {name}(a, b):\n    return abs(a - b) < 2\n")
    wrong = branch(tmp_path / "wrong", text=f"def {name}(a, b):\n    return b - a < 2\n")
    raising = branch(tmp_path / "raising", text=f"def {name}(a, b):\n    raise TypeError\n")
    calls = (call(f"text.{name}", 1, 5), call(f"text.{name}", 5, 1))
    same = finding({"rule": {"name": "symmetric", "same": [[0, 1]]}}, *calls)
    implied = finding({"rule": {"name": "i", "when": [[1, True]], "then": [[0, True]]}}, *calls)

    for one in (same, implied):
        assert [verdicts(one, where, tmp_path) for where in (right, wrong, raising)] == [(0, 0), (10, 1), (0, 0)]


def test_a_rule_renames_before_it_compares(tmp_path: Path) -> None:
    right = branch(tmp_path / "right", text="def tag(name):\n    return {name: [name, 1]}\n")
    wrong = branch(tmp_path / "wrong", text="def tag(name):\n    return {name: ['ada', 1]}\n")
    rule = {"name": "renaming", "same": [[0, 1]], "renamed": {"ada": "bea"}}
    one = finding({"rule": rule}, call("text.tag", "ada"), call("text.tag", "bea"))

    assert [verdicts(one, where, tmp_path) for where in (right, wrong)] == [(0, 0), (10, 1)]


def test_returns_wants_an_answer_in_time(tmp_path: Path) -> None:
    quick = branch(tmp_path / "quick", text="def walk(n):\n    return n\n")
    hanging = branch(tmp_path / "hanging", text="def walk(n):\n    while True:\n        pass\n")
    raising = branch(tmp_path / "raising", text="def walk(n):\n    raise RecursionError\n")
    one = finding({"outcome": "returns"}, call("text.walk", 1), timeout=0.5)

    assert [verdicts(one, where, tmp_path) for where in (quick, hanging, raising)] == [(0, 0), (10, 1), (10, 1)]


@pytest.mark.parametrize(
    ("right", "same", "different"),
    [
        (0.3, "0.1 + 0.2", "0.30001"),
        (2, "2", "3"),
        (10**12, "10 ** 12", "10 ** 12 + 1"),
        (None, "None", "0"),
        ("é\x1b\u2028'\"", "'\\xe9\\x1b\\u2028\\'\"'", "'e'"),
        ({"$type": "float", "value": "nan"}, "float('nan')", "0.0"),
        ({"$type": "tuple", "value": [1, 2]}, "[1, 2]", "(1, 3)"),
        ({"$type": "iterator", "value": [1, 2]}, "(n for n in (1, 2))", "(n for n in (1, 3))"),
        ({"$type": "set", "value": [1, 2]}, "{2, 1}", "{1}"),
        ({"$type": "bytes", "value": "\xff"}, "b'\\xff'", "b''"),
        ({"$type": "decimal", "value": "1.50"}, "decimal.Decimal('1.50')", "decimal.Decimal('1.51')"),
        ({"$type": "date", "value": "2024-02-29"}, "datetime.date(2024, 2, 29)", "datetime.date(2024, 3, 1)"),
        ({"$type": "dict", "value": [[1, [2.0]]]}, "{1: [2.0]}", "{1: [2.5]}"),
        ({"$type": "type", "value": "int"}, "int", "str"),
        ({"$type": "object", "class": "Point", "value": {"x": 1}}, "Point(1)", "Point(2)"),
    ],
)
def test_values_of_every_kind_tell_right_from_wrong(right: Any, same: str, different: str, tmp_path: Path) -> None:
    head = "import datetime, decimal, dataclasses\n\n@dataclasses.dataclass\nclass Point:\n    x: int\n\n"
    good = branch(tmp_path / "good", text=f"{head}def give():\n    return {same}\n")
    bad = branch(tmp_path / "bad", text=f"{head}def give():\n    return {different}\n")
    one = finding({"values": [right]}, call("text.give"))

    assert [verdicts(one, where, tmp_path) for where in (good, bad)] == [(0, 0), (10, 1)]


def test_object_without_a_plain_form_could_not_be_checked(tmp_path: Path) -> None:
    liar = "class Liar:\n    def __eq__(self, other):\n        return True\n\ndef give():\n    return Liar()\n"
    where = branch(tmp_path / "liar", text=liar)
    program = standalone_program(finding({"values": [[1]]}, call("text.give")))

    assert run_program(program, where, tmp_path)[0] == 3


def test_clock_that_replaces_the_time_module_is_kept(tmp_path: Path) -> None:
    text = "import time\n\nclass Timer:\n    def __init__(self):\n        self.start = time.monotonic()\n"
    good = branch(tmp_path / "good", text=text + "    def age(self):\n        return time.monotonic() - self.start\n")
    bad = branch(tmp_path / "bad", text=text + "    def age(self):\n        return 0.0\n")
    setup = ({"name": "clock", "clock": 0.0, "replaces": "time"}, {"name": "timer", "new": "text.Timer"})
    one = finding({"values": [7.0]}, {"on": "timer", "call": "age", "at": 7.0}, setup=setup)

    assert [verdicts(one, where, tmp_path) for where in (good, bad)] == [(0, 0), (10, 1)]


def test_values_and_attributes_and_awaitables_are_known(tmp_path: Path) -> None:
    good = branch(
        tmp_path / "good", text="class Box:\n    size = 3\n    async def get(self, items):\n        return items[0]\n"
    )
    bad = branch(
        tmp_path / "bad", text="class Box:\n    size = 3\n    async def get(self, items):\n        return items[1]\n"
    )
    setup = ({"name": "items", "value": [4, 5]}, {"name": "box", "new": "text.Box", "args": [], "kwargs": {}})
    calls = ({"on": "box", "get": "size"}, {"on": "box", "call": "get", "args": [{"$name": "items"}]})
    one = finding({"values": [3, 4]}, *calls, setup=setup)

    assert [verdicts(one, where, tmp_path, awaits=True) for where in (good, bad)] == [(0, 0), (10, 1)]


def test_a_stand_in_answers_as_the_callable_of_the_tests_did_and_says_how_it_was_called(tmp_path: Path) -> None:
    body = "def each(action, items):\n    return [action(item) for item in items{cut}]\n"
    good = branch(tmp_path / "good", text=body.format(cut=""))
    bad = branch(tmp_path / "bad", text=body.format(cut="[:2]"))
    form = {
        "name": "action",
        "script": [None, {"part": [0, 1]}],
        "answers": [[[[1]], {}, {"value": 7}], [[[1]], {}, {"value": 8}]],
        "otherwise": {"echo": 0},
    }
    setup = ({"name": "action", "value": {"$type": "callable", "value": form}},)
    calls = (call("text.each", {"$name": "action"}, [[1], [2, 3], [1], [4]]), {"on": "action", "get": "calls"})
    one = finding({"values": [[7, [2], 8, [4]], [[[1]], [[2, 3]], [[1]], [[4]]]]}, *calls, setup=setup)

    assert [verdicts(one, where, tmp_path) for where in (good, bad)] == [(0, 0), (10, 1)]


@pytest.mark.parametrize(
    "body", ["return ask(2)", "\n    try:\n        return ask(2)\n    except BaseException:\n        return 0"]
)
def test_a_stand_in_that_knows_no_answer_could_not_check(body: str, tmp_path: Path) -> None:
    where = branch(tmp_path / "branch", text=f"def f(ask):\n    {body.strip()}\n")
    form = {"name": "ask", "answers": [[[1], {}, {"value": 7}]], "otherwise": None}
    one = finding({"values": [7]}, call("text.f", {"$type": "callable", "value": form}))
    status, said = run_program(standalone_program(one), where, tmp_path)

    assert status == 3
    assert "it depends on what a callable of the tests answers, which they do not show" in said


def test_a_stand_in_raises_what_the_callable_of_the_tests_raised(tmp_path: Path) -> None:
    body = "class Busy(Exception):\n    pass\n\ndef ask(action):\n    try:\n        return action()\n    except {what}:\n        return 0\n"
    good, bad = (
        branch(tmp_path / name, text=body.format(what=what)) for name, what in (("good", "Busy"), ("bad", "OSError"))
    )
    form = {"name": "action", "answers": [], "otherwise": {"raises": "text.Busy"}}
    one = finding({"values": [0]}, call("text.ask", {"$type": "callable", "value": form}))

    assert [verdicts(one, where, tmp_path) for where in (good, bad)] == [(0, 0), (10, 1)]


def test_an_attribute_that_is_assigned_from_outside_is_assigned_in_the_program_too(tmp_path: Path) -> None:
    text = "class Box:\n    items = ()\n\n    def size(self):\n        return len(self.items)\n"
    good = branch(tmp_path / "good", text=text)
    bad = branch(tmp_path / "bad", text=text.replace("len(self.items)", "0"))
    setup = ({"name": "box", "new": "text.Box", "args": [], "kwargs": {}},)
    calls = ({"on": "box", "set": "items", "value": ["a"]}, {"on": "box", "call": "size", "args": [], "kwargs": {}})
    one = finding({"values": [None, 1]}, *calls, setup=setup)

    assert [verdicts(one, where, tmp_path) for where in (good, bad)] == [(0, 0), (10, 1)]


@pytest.mark.parametrize(
    ("one", "why"),
    [
        (burst({"property": "burst"}), "could not check: the property stands in a file of its own; run `pqa replay`"),
        (burst({"relation": "order"}), "could not check: only pqa itself can check this relation"),
        (
            burst({"outcome": "memory"}),
            "could not check: only the process outside the branch can see this outcome; run `pqa replay`",
        ),
        (burst({"values": [True]}), "could not check: there is not one right value for each call"),
        (burst(kind="suite"), "could not check: this trigger runs a whole suite; run `pqa replay`"),
    ],
)
def test_what_cannot_stand_alone_says_so(one: Finding, why: str, flawed: Path, tmp_path: Path) -> None:
    assert run_program(standalone_program(one), flawed, tmp_path) == (3, why + "\n")
    assert "1 skipped" in run_pytest(regression_test(one), flawed, tmp_path)[1]


def test_property_with_values_is_checked_by_its_values(flawed: Path, tmp_path: Path) -> None:
    assert verdicts(burst({"property": "burst", **RIGHT}), flawed, tmp_path) == (10, 1)


def test_program_trigger_keeps_its_own_verdict(flawed: Path, clean: Path, tmp_path: Path) -> None:
    source = "import limiter, sys\nsys.exit(10 if 'fixed' in limiter.__doc__ or 'planted' in limiter.__doc__ else 0)\n"
    one = Finding("b0", "high", "c", "t", "d", id="f2", trigger=Trigger("program", "claim", source=source))

    assert [verdicts(one, where, tmp_path) for where in (flawed, clean)] == [(10, 1), (0, 0)]


def hostile_findings() -> list[Finding]:
    evil = "x'); import os; os._exit(10) #"
    keyed = {**SETUP[1], "kwargs": {evil: 1}}
    named: tuple[dict[str, Any], ...] = ({**SETUP[0], "name": evil}, {**SETUP[1], "args": [5, 10.0, {"$name": evil}]})
    return [
        finding(RIGHT, *EDGE, setup=SETUP, claim=HOSTILE),
        finding({"raises": evil}, *EDGE, setup=SETUP),
        finding(RIGHT, *EDGE, setup=(SETUP[0], keyed)),
        finding(RIGHT, *EDGE, setup=named),
        finding({"values": [HOSTILE]}, {"on": "limiter", "call": evil, "args": [HOSTILE]}, setup=SETUP),
        finding({"values": [HOSTILE]}, {"on": None, "call": f"limiter.{evil}", "args": [{HOSTILE: HOSTILE}]}),
        finding({"values": [{"$type": HOSTILE, "value": HOSTILE}]}, call("limiter.RateLimiter")),
        finding({"values": [{"$type": "decimal", "value": evil}]}, call("limiter.RateLimiter")),
        finding(
            {"values": [{"$name": evil}]}, call("limiter.RateLimiter", {"$type": "tuple", "value": [{"$name": evil}]})
        ),
        finding({"values": [None]}, {"on": "limiter", "call": "allow", "at": evil}, setup=SETUP),
        finding({"relation": "time-shift", "shift": 1.0}, call("limiter.x", **{HOSTILE: HOSTILE}), kind="observation"),
        finding(None, kind="program", source=HOSTILE),
    ]


@pytest.mark.parametrize("position", range(len(hostile_findings())))
def test_hostile_text_stays_text(position: int, clean: Path, tmp_path: Path) -> None:
    one = hostile_findings()[position]
    texts = standalone_program(one), regression_test(one)
    calls = [node.func for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    exits = [ast.unparse(call) for call in calls if ast.unparse(call) == "os._exit"]

    assert len(exits) <= 1  # the program's own last line
    assert all(letter.isprintable() or letter == "\n" for text in texts for letter in text)
    status, output = run_program(texts[0], clean, tmp_path)
    assert (status == 10) == output.endswith("SHOWN: the flaw is there\n")


def test_comment_cannot_set_the_encoding_of_the_file() -> None:
    one = Finding("b0", "low", "c", "coding: utf-7", "-*- coding: utf-7 -*-", trigger=burst().trigger)

    assert [text.splitlines()[:2] for text in (standalone_program(one), regression_test(one))] == [
        ['"""A trigger that pqa wrote; exit status 10: the flaw shows, 0: it does not, else: not checked."""', ""],
        ['"""A regression test that pqa wrote: it fails while the flaw shows and passes when it does not."""', ""],
    ]


def test_files_are_written_whole_and_named_by_a_safe_id(tmp_path: Path) -> None:
    escaping = Finding("b0", "low", "c", "t", "d", id="../../evil", trigger=burst().trigger)
    bare = Finding("b0", "low", "c", "t", "d")
    written = write_trigger_files([burst(), escaping, bare], tmp_path / "run")

    names = [str(path.relative_to(tmp_path / "run")) for path in written]
    assert names[:2] == ["triggers/f1.py", "regressions/test_f1.py"]
    assert len(names) == 4
    assert sorted(path for path in (tmp_path / "run").rglob("*") if path.is_file()) == sorted(written)
    assert written[0].read_text(encoding="utf-8") == standalone_program(burst())
    assert written[1].read_text(encoding="utf-8") == regression_test(burst())
