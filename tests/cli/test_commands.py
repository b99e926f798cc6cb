"""Each command, whole: what it asks for, what it prints on which stream, and its exit code."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys

import pytest

from pqa import cli
from pqa.config import CollideRequest, Diagnosis, ReplayRequest, Settings
from pqa.core import codec
from pqa.core.errors import NoSandbox, UsageError
from pqa.core.event import Event
from pqa.core.job import Interpreter, ProbeCheck


def store(project, collision, run_id="r1"):
    folder = project / ".pqa/runs" / run_id
    folder.mkdir(parents=True)
    (folder / "run.json").write_text(codec.dump(codec.to_json(collision)))
    return folder / "run.json"


def test_collide_asks_for_what_the_flags_say(project, wiring, run):
    wiring.result = run
    flags = "b0 b1 --task t.md --tests suite --base old --attacks hollow,differential --budget 5 --seed 3 --python p"
    more = "--properties q.py --require-choice --gate critical --keep --unsafe-no-sandbox --json out.json"
    assert cli.run(["collide", *flags.split(), *more.split()]) == 1
    request, sinks = wiring.asked[0]
    assert request == CollideRequest(
        project=project,
        branches=("b0", "b1"),
        task="t.md",
        tests="suite",
        base="old",
        json="out.json",
        unsafe_no_sandbox=True,
        settings=Settings(
            attacks=("hollow", "differential"),
            budget=5.0,
            seed=3,
            python="p",
            properties="q.py",
            gate="critical",
            require_choice=True,
            keep=True,
        ),
    )
    assert len(sinks) == 1
    assert json.loads((project / "out.json").read_text()) == codec.to_json(run)


def test_collide_without_flags_takes_the_defaults_and_prints_the_page(project, wiring, run, capsys):
    wiring.result = run
    assert cli.run(["collide"]) == 0
    assert wiring.asked[0][0] == CollideRequest(project)
    output, errors = capsys.readouterr()
    assert output.startswith("pqa  run r1 · sandbox full · seed 7\n")
    assert errors == ""


def test_json_to_standard_output_is_alone_there(project, wiring, run, capsys):
    def with_progress():
        wiring.asked[0][1][0].emit(Event("branch-died", "b0", {"reason": "red"}))
        return run

    wiring.result = with_progress
    assert cli.run(["collide", "--json", "-"]) == 0
    output, errors = capsys.readouterr()
    assert output == codec.dump(codec.to_json(run))
    assert errors == "b0 died: red\nchoice: b1\n"


def test_no_survivor_is_exit_1(project, wiring, nobody, capsys):
    wiring.result = nobody
    assert cli.run(["collide"]) == 1
    assert "No survivor: no branch may be merged." in capsys.readouterr().out


@pytest.mark.parametrize(
    ("failure", "code", "errors"),
    [
        (UsageError("branch 'b9' does not exist", "look"), 2, "pqa: branch 'b9' does not exist\nnext: look\n"),
        (NoSandbox("no \x1b[2Jsandbox"), 3, "pqa: no \\x1b[2Jsandbox\n"),
        (KeyboardInterrupt(), 130, "pqa: interrupted; nothing was judged\n"),
        (
            RuntimeError("boom\nbang"),
            3,
            "pqa: RuntimeError: boom bang; this is a fault of pqa, nothing was judged\n"
            "next: run it again with PQA_DEBUG=1 and report what it prints\n",
        ),
    ],
)
def test_each_failure_is_a_message_and_its_code(project, wiring, capsys, failure, code, errors):
    wiring.result = failure
    assert cli.run(["collide"]) == code
    assert capsys.readouterr() == ("", errors)


def test_the_traceback_is_for_those_who_ask(project, wiring, capsys, monkeypatch):
    monkeypatch.setenv("PQA_DEBUG", "1")
    wiring.result = RuntimeError("boom")
    assert cli.run(["collide"]) == 3
    assert "Traceback (most recent call last):" in capsys.readouterr().err


def test_an_unknown_flag_or_command_is_exit_2(project, capsys):
    assert (cli.run(["collide", "--frobnicate"]), cli.run(["frobnicate"])) == (2, 2)
    assert "No such option: --frobnicate" in capsys.readouterr().err


def test_a_json_target_that_cannot_be_written_is_refused_before_anything_runs(project, wiring, capsys):
    assert cli.run(["collide", "--json", "missing/x.json"]) == 2
    assert wiring.asked == []
    message = "pqa: --json 'missing/x.json' cannot be written; expected a file in an existing folder, or '-'\nnext: name a file\n"
    assert capsys.readouterr().err == message


def test_show_prints_the_latest_run_and_any_other(project, run, nobody, capsys):
    older, newer = store(project, nobody, "r9"), store(project, run, "r1")
    os.utime(older, (1, 1))
    os.utime(newer, (2, 2))
    assert cli.run(["show"]) == 0
    assert "Merge b1" in capsys.readouterr().out
    assert cli.run(["show", "r9"]) == 0
    assert "No survivor" in capsys.readouterr().out
    assert cli.run(["show", ".pqa/runs/r9/run.json"]) == 0
    assert "No survivor" in capsys.readouterr().out


def test_show_board_prints_where_the_branches_part_and_no_choice(project, run, capsys):
    store(project, run)
    assert cli.run(["show", "--board"]) == 0
    output = capsys.readouterr().out
    assert "\nWhere they part\n" in output
    assert "Merge b1" not in output


def test_show_says_which_runs_there_are(project, run, capsys):
    assert cli.run(["show"]) == 2
    assert capsys.readouterr().err == f"pqa: there is no run in '{project}/.pqa/runs'\nnext: run 'pqa collide' first\n"
    store(project, run)
    assert cli.run(["show", "r7"]) == 2
    assert capsys.readouterr().err == "pqa: there is no run 'r7'\nnext: the last runs are 'r1'\n"
    assert cli.run(["show", "../r1"]) == 2
    assert capsys.readouterr().err == "pqa: '../r1' cannot be the name of a run\nnext: look into '.pqa/runs'\n"


def test_replay_asks_for_one_finding_of_the_latest_run_and_says_what_it_showed(project, wiring, run, capsys):
    store(project, run)
    wiring.result = [run.findings[3]]
    assert cli.run(["replay", "f0123456789ab"]) == 0
    request, sinks = wiring.asked[0]
    stored = codec.load((project / ".pqa/runs/r1/run.json").read_text())
    assert (request, sinks) == (ReplayRequest(project, stored, "f0123456789ab"), [])
    assert capsys.readouterr().out == (
        "f0123456789ab  shown 2 of 2  b0: Shifting all times by 0.5 s changes the answers\n"
        "    allow('ada') gave True, right is False\n"
    )


def test_a_trigger_that_could_not_be_checked_is_exit_3(project, wiring, run, capsys):
    store(project, run)
    wiring.result = [codec.finding_from_json({**codec.finding_to_json(run.findings[3]), "replay": None})]
    assert cli.run(["replay"]) == 3
    assert capsys.readouterr().out.startswith("f0123456789ab  could not check  b0: ")


def test_replay_of_a_finding_without_trigger_is_refused(project, wiring, run, capsys):
    store(project, run)
    assert cli.run(["replay", "r1", "f111111111111"]) == 2
    assert capsys.readouterr().err == (
        "pqa: the run 'r1' holds no finding 'f111111111111' with a trigger\nnext: those with a trigger: f0123456789ab\n"
    )


def test_doctor_prints_the_probe_and_its_fixes(project, wiring, capsys):
    checks = (
        ProbeCheck("network", True, "connect to 1.1.1.1", "refused"),
        ProbeCheck("user namespaces", False, "unshare", "EPERM", "sysctl kernel.unprivileged_userns_clone=1"),
    )
    wiring.result = Diagnosis(
        "reduced", checks, Interpreter("/usr/bin/python3", (3, 12, 1), ("/usr",), has_pytest=True)
    )
    assert cli.run(["doctor"]) == 3
    lines = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines == [
        "sandbox      reduced",
        "interpreter  /usr/bin/python3, Python 3.12.1, pytest",
        "",
        "probe             holds   tried                answer",
        "network           yes     connect to 1.1.1.1   refused",
        "user namespaces   NO      unshare              EPERM",
        "",
        "To mend it",
        "  - sysctl kernel.unprivileged_userns_clone=1",
    ]


def test_a_healthy_machine_is_exit_0_and_one_without_interpreter_is_not(project, wiring, capsys):
    python = Interpreter("/usr/bin/python3", (3, 12, 1), ("/usr",))
    wiring.result = Diagnosis("full", (ProbeCheck("network", True, "connect", "refused"),), python)
    assert cli.run(["doctor"]) == 0
    wiring.result = Diagnosis("full", (), None, "no Python was found")
    assert cli.run(["doctor"]) == 3
    assert "trouble      no Python was found" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["collide", "show", "replay", "doctor"])
def test_every_command_has_help_with_examples(project, capsys, command):
    assert cli.run([command, "--help"]) == 0
    output = capsys.readouterr().out
    assert output.startswith(f"Usage: pqa {command} [OPTIONS]")
    assert f"\n  Examples:\n    pqa {command}" in output


def test_no_color_and_a_pipe_are_plain(project, run):
    store(project, run)
    program = [sys.executable, "-c", "from pqa.cli import main; main()", "show"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    for extra in ({}, {"NO_COLOR": "1"}, {"PYTHONIOENCODING": "ascii"}):
        ended = subprocess.run(program, capture_output=True, env=environment | extra, timeout=60, check=False)
        assert (ended.returncode, ended.stderr) == (0, b"")
        assert b"\x1b" not in ended.stdout


def test_sigterm_is_an_interruption(project):
    script = (
        "import sys, time, types, pqa\n"
        "def collide(request, sinks):\n"
        "    print('ready', flush=True)\n"
        "    time.sleep(60)\n"
        "pqa.wiring = types.SimpleNamespace(collide=collide)\n"
        "from pqa.cli import run\n"
        "sys.exit(run(['collide']))\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    program = subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment, text=True
    )
    assert program.stdout is not None and program.stdout.readline() == "ready\n"
    program.send_signal(signal.SIGTERM)
    _, errors = program.communicate(timeout=30)
    assert (program.returncode, errors) == (130, "pqa: interrupted; nothing was judged\n")
