"""An adversary that is a program: what it sees, how it may fail, and that all of them start together."""

from __future__ import annotations

import json
import os
import socket
import threading

import pytest

from pqa.adversaries.command import read_command
from pqa.adversaries.scripted import ScriptedAdversary, read_script
from pqa.core.adversary import AdversaryAnswer
from pqa.core.errors import UsageError
from pqa.core.event import Event
from pqa.stages.dispatch import dispatch

BRIEF = {"branch_id": "b0", "path": "/branch", "effort": 1}

LOOK = """
import json, os, pathlib, sys
brief = json.load(sys.stdin)
def writable(path):
    try:
        pathlib.Path(path, "x").write_text("x")
        return True
    except OSError:
        return False
print(json.dumps({
    "brief": brief["branch_id"], "branch": pathlib.Path(brief["path"], "m.py").read_text(), "here": os.listdir("."),
    "home": os.listdir(os.path.expanduser("~")), "writes": [writable("/branch"), writable("."), writable("/")],
    "secret": os.environ.get("SECRET"), "project": sorted(os.listdir(os.path.dirname(sys.argv[0]))),
}))
print("noise", file=sys.stderr)
"""


def test_it_sees_its_brief_and_the_branch_read_only_and_nothing_else(adversary, monkeypatch):
    monkeypatch.setenv("SECRET", "x")
    answer = adversary(LOOK).answer(BRIEF)
    assert answer.trouble == ""
    assert json.loads(answer.text) == {
        "brief": "b0",
        "branch": "X = 7\n",
        "here": [],
        "home": [],
        "writes": [False, True, False],
        "secret": None,
        "project": ["adversary.py"],
    }


@pytest.mark.parametrize(
    ("source", "trouble"),
    [
        ("import sys\nprint('[]')\nsys.exit(3)", "it ended with exit status 3"),
        ("import sys\nsys.exit('no key')", "it ended with exit status 1: no key"),
        ("import os\nos.kill(os.getpid(), 9)", "it ended with exit status 137"),
        ("pass", "it gave no answer"),
        ("print('x' * (1 << 21))", "it printed more than 1 MiB"),
    ],
)
def test_a_failure_is_an_answer_with_its_trouble(adversary, source, trouble):
    answer = adversary(source).answer(BRIEF)
    assert (answer.text, answer.trouble) == ("", trouble)


def test_it_is_ended_in_time_and_high_conviction_doubles_the_time(adversary):
    slow = adversary("import time\ntime.sleep(1.5)\nprint('[]')", seconds=1.0)
    assert slow.answer(BRIEF) == AdversaryAnswer("tester", "b0", trouble="it did not answer within 1 seconds")
    patient = adversary("import time\ntime.sleep(1.5)\nprint('[]')", seconds=4.0)
    assert patient.answer({**BRIEF, "effort": 2}) == AdversaryAnswer("tester", "b0", "[]\n")


def test_one_that_never_reads_a_long_brief_does_not_hold_pqa_up(adversary):
    brief = {**BRIEF, "task": "x" * (1 << 20)}
    assert adversary("print('[]')").answer(brief) == AdversaryAnswer("tester", "b0", "[]\n")
    echo = "import json, sys\nprint(len(json.load(sys.stdin)['task']))"
    assert adversary(echo).answer(brief).text == f"{1 << 20}\n"


CONNECT = "import json, socket, sys\nport = json.load(sys.stdin)['port']\nsocket.create_connection(('127.0.0.1', port), 5)\nprint('[]')"


def test_it_has_no_network_unless_the_command_line_gave_it(adversary):
    with socket.create_server(("127.0.0.1", 0)) as listener:
        brief = {**BRIEF, "port": listener.getsockname()[1]}
        assert "Connection refused" in adversary(CONNECT).answer(brief).trouble
        assert adversary(CONNECT, network=True).answer(brief) == AdversaryAnswer("tester", "b0", "[]\n")


def test_eight_start_together_whatever_the_number_of_cores(adversary):
    source = "import time\nbegan = time.monotonic()\ntime.sleep(6)\nprint(began, time.monotonic())"
    briefs = [{**BRIEF, "branch_id": f"b{number}"} for number in range(8)]
    events: list[Event] = []
    answers = dispatch([adversary(source)], {"tester": briefs}, events.append)
    spans = [tuple(map(float, answer.text.split())) for answer in answers]
    assert [answer.branch_id for answer in answers] == [brief["branch_id"] for brief in briefs]
    assert max(began for began, _ in spans) < min(ended for _, ended in spans)
    assert [event.kind for event in events] == ["attack-started"] * 8 + ["attack-ended"] * 8


def test_an_adversary_that_fails_costs_its_own_answer_alone():
    class Broken:
        name = "broken"

        def answer(self, brief):
            raise RuntimeError("no")

    scripted = ScriptedAdversary("scripted", {"b0": []})
    answers = dispatch([Broken(), scripted], {"broken": [BRIEF], "scripted": [BRIEF]}, lambda _: None)
    assert answers == [
        AdversaryAnswer("broken", "b0", trouble="the adversary itself failed: RuntimeError: no"),
        AdversaryAnswer("scripted", "b0", "[]"),
    ]
    assert threading.active_count() < 50


def test_recorded_answers_are_read_from_a_file(tmp_path):
    (tmp_path / "answers.json").write_text('{"b0": []}')
    script = read_script("answers.json", tmp_path / "answers.json")
    assert script.answer(BRIEF) == AdversaryAnswer("answers.json", "b0", "[]")
    assert script.answer({"branch_id": "b1"}).trouble == "no answer is recorded for 'b1'"
    for text in ("[]", "{"):
        (tmp_path / "answers.json").write_text(text)
        with pytest.raises(UsageError):
            read_script("answers.json", tmp_path / "answers.json")


def test_the_folder_of_a_program_is_readable_but_never_the_project_or_a_home(tmp_path):
    tools, project = tmp_path / "tools", tmp_path / "project"
    for folder in (tools, project):
        folder.mkdir()
        (folder / "agent").write_text("#!/bin/sh\n")
        (folder / "agent").chmod(0o755)
    environ = {"PATH": f"{tools}:{os.defpath}", "HOME": str(tmp_path / "home")}
    found = read_command("agent --fast x", project=project, environ=environ)
    assert found.argv == (str(tools / "agent"), "--fast", "x")
    assert [mount.source for mount in found.mounts] == [str(tools)]
    own = read_command("./agent", project=project, environ=environ)
    assert [mount.source for mount in own.mounts] == [str(project / "agent")]
    for text in ("", "no-such-program", "'"):
        with pytest.raises(UsageError):
            read_command(text, project=project, environ=environ)
