"""What a run says to the shell."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pqa.cli.exit_status import exit_code
from pqa.core.errors import ExitCode
from pqa.core.task import Task
from pqa.core.verdict import AttackRun, Choice


def test_a_survivor_is_success_and_none_is_one(run, nobody):
    assert (exit_code(run), exit_code(nobody)) == (ExitCode.SURVIVOR, ExitCode.NO_SURVIVOR)


def test_an_abstention_is_success_unless_a_choice_is_required(run):
    undecided = replace(run, choice=Choice(None, True, "tie"))
    assert exit_code(undecided) == ExitCode.SURVIVOR
    assert exit_code(undecided, require_choice=True) == ExitCode.NO_SURVIVOR
    assert exit_code(run, require_choice=True) == ExitCode.SURVIVOR


@pytest.mark.parametrize(
    ("severity", "gate", "expected"),
    [
        ("critical", "critical", ExitCode.NO_SURVIVOR),
        ("critical", "high", ExitCode.NO_SURVIVOR),
        ("high", "high", ExitCode.NO_SURVIVOR),
        ("high", "critical", ExitCode.SURVIVOR),
        ("medium", "high", ExitCode.SURVIVOR),
        ("critical", None, ExitCode.SURVIVOR),
    ],
)
def test_a_gate_trips_on_its_level_and_worse(run, severity, gate, expected):
    one = replace(run, findings=(replace(run.findings[3], severity=severity),))
    assert exit_code(one, gate=gate) == expected


def test_a_gate_ignores_what_is_resolved_or_discounted(run):
    critical = run.findings[3]
    settled = replace(run, findings=(replace(critical, resolved=True), replace(critical, discounted=True)))
    assert exit_code(settled, gate="high") == ExitCode.SURVIVOR


def test_decide_mode_and_no_branches_are_nothing_to_attack(run):
    assert exit_code(replace(run, task=Task("?", "decide"))) == ExitCode.NOTHING_TO_ATTACK
    assert exit_code(replace(run, branches=(), verdicts={})) == ExitCode.NOTHING_TO_ATTACK


def test_survivors_that_no_attack_touched_are_nothing_to_attack_and_not_a_success(run):
    skipped = (AttackRun("hollow", "tests", "skipped", "no suite"),)
    assert exit_code(replace(run, attacked={"b1": skipped, "b2": skipped})) == ExitCode.NOTHING_TO_ATTACK


def test_attacks_that_could_not_run_end_in_an_abstention_but_never_pass_a_gate(run):
    lost = (AttackRun("differential", "boundaries", "could-not-run", "it cannot be imported"),)
    stopped = replace(run, attacked={"b1": lost, "b2": lost}, findings=())
    assert exit_code(stopped) == ExitCode.SURVIVOR
    assert exit_code(stopped, gate="critical") == ExitCode.NOTHING_TO_ATTACK
