"""Submitted claims in the real sandbox: programs that lie, controls, and what a second reader adds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import pytest

from pqa.core.branch import Branch
from pqa.core.finding import Finding
from pqa.core.job import Guest
from pqa.core.task import Task
from pqa.core.trigger import Replay, ReplayStatus, Trigger
from pqa.core.verdict import Collision, SuiteRun, Verification
from pqa.engines.local import LocalEngine
from pqa.instruments.demonstrate import Demonstrator
from pqa.sandbox.interpreter import own_interpreter
from pqa.stages.admit import Grounds, admit, sort_in
from pqa.stages.choose import Record, prefer
from pqa.stages.replay import EVERYWHERE, INERT_TOO, Bench, replay
from pqa.stages.second_reader import reading_question, second_reading

TASK = "# Double\n\n`double(n)` returns twice `n` for every whole number.\n"
RIGHT = {"calc.py": "def double(n):\n    return 2 * n\n"}
WRONG = {"calc.py": "def double(n):\n    return 2 * n if n >= 0 else 0\n"}
MISSED = "no test calls it with a negative number"
PROGRAM = "import sys\nfrom calc import double\nsys.exit(10 if double(-1) != -2 else 0)\n"
CALLS = ({"on": None, "call": "calc.double", "args": [-1]},)
OBSERVATION = Trigger("observation", "twice -1 is -2", (), CALLS, {"values": [-2]})


@pytest.fixture
def judge(plant_tree, real_sandbox) -> Iterator:
    """Plant branches, submit one claim, replay it: the finding as it is judged."""
    opened = []

    def open_(branch: Branch, hash_seed: int = 0):
        opened.append(real_sandbox.open(Guest(branch.snapshot, own_interpreter(), hash_seed=hash_seed)))
        return opened[-1]

    def run(claim: Finding, trees: Mapping[str, Mapping[str, str]], base: Mapping[str, str] | None = None) -> Finding:
        branches = {name: plant_tree(files, name) for name, files in trees.items()}
        controls = () if base is None else (plant_tree(base, "base"),)
        demonstrate = Demonstrator({}, lambda _: (), lambda *_: (None, ""))
        bench = Bench(open_, open_, demonstrate, LocalEngine(), "full", lambda _: None, controls)
        (admitted,) = admit([claim], Grounds(TASK, (), "host"))
        return replay([admitted], branches, bench)[0] if not admitted.discounted else admitted

    yield run
    for zygote in opened:
        zygote.close()


def claim(trigger: Trigger | None, **more) -> Finding:
    return Finding(
        "b0", "critical", "wrong", "negative numbers", "double(-1)", trigger=trigger, why_missed=MISSED, **more
    )


def program(source: str = PROGRAM, **more) -> Trigger:
    return Trigger("program", "double(-1) is not -2", source=source, **more)


def told(finding: Finding) -> tuple:
    status = finding.replay.status.value if finding.replay else "none"
    return status, finding.severity, finding.discounted, finding.oracle, finding.discount_reason


QUOTE = "returns twice `n` for every whole number"


def test_a_program_that_shows_is_medium_as_an_opinion_and_high_with_a_sentence_of_the_task(judge):
    trees = {"b0": WRONG, "b1": RIGHT}
    assert told(judge(claim(program()), trees)) == ("shown", "medium", False, "opinion", None)
    assert told(judge(claim(program(), quote=QUOTE), trees)) == ("shown", "high", False, "task-text", None)


def test_a_program_that_does_not_show_harms_nobody(judge):
    reason = "its trigger is not-shown"
    assert told(judge(claim(program()), {"b0": RIGHT, "b1": WRONG})) == ("not-shown", "low", True, "opinion", reason)


def test_a_program_that_always_says_shown_is_vacuous(judge):
    finding = judge(claim(program("import sys\nsys.exit(10)\n"), quote=QUOTE), {"b0": WRONG, "b1": RIGHT})
    assert told(finding) == ("vacuous", "low", True, "task-text", f"its trigger is vacuous: {INERT_TOO}")


@pytest.mark.parametrize("status", [0, 3, 10])
def test_a_branch_that_ends_the_process_itself_could_not_be_checked_whatever_status_it_chose(judge, status):
    hostile = {"calc.py": f"import os\nos._exit({status})\n"}
    finding = judge(claim(program(), quote=QUOTE), {"b0": hostile, "b1": RIGHT, "b2": WRONG})
    assert told(finding) == ("could-not-check", "medium", False, "task-text", None)


def test_a_program_that_works_on_no_branch_is_discounted(judge):
    finding = judge(claim(program("import no_such_module\n"), quote=QUOTE), {"b0": WRONG, "b1": RIGHT})
    reason = "its trigger could not be checked on any branch"
    assert told(finding) == ("could-not-check", "low", True, "task-text", reason)


@pytest.mark.parametrize(
    "body", ["while True:\n    pass\n", "import os\nos.kill(os.getpid(), 11)\n", "raise SystemExit(70)\n"]
)
def test_a_branch_that_hangs_or_crashes_could_not_be_checked(judge, body):
    finding = judge(claim(program(timeout=1.0), quote=QUOTE), {"b0": {"calc.py": body}, "b1": RIGHT})
    assert told(finding)[:3] == ("could-not-check", "medium", False)


def test_a_record_that_the_branch_writes_itself_is_not_taken_for_the_programs(judge):
    forged = "import os\nfor n in range(3, 1100):\n    try:\n        os.write(n, b'{\"exit\": 0}\\n')\n    except OSError:\n        pass\n"
    finding = judge(claim(program(), quote=QUOTE), {"b0": {"calc.py": forged + WRONG["calc.py"]}, "b1": RIGHT})
    assert told(finding)[:3] == ("could-not-check", "medium", False)


def test_a_claim_that_shows_on_every_branch_is_vacuous_unless_the_base_or_a_control_input_passes(judge):
    both = {"b0": WRONG, "b1": WRONG}
    reason = f"its trigger is vacuous: {EVERYWHERE}"
    assert told(judge(claim(OBSERVATION, quote=QUOTE), both)) == ("vacuous", "low", True, "task-text", reason)
    assert told(judge(claim(OBSERVATION, quote=QUOTE), both, RIGHT)) == ("shown", "high", False, "task-text", None)
    control = {"calls": [{"on": None, "call": "calc.double", "args": [-1]}]}
    same = replace(OBSERVATION, control=control)
    assert told(judge(claim(same, quote=QUOTE), both))[0] == "vacuous"
    zero = replace(OBSERVATION, expect={"values": [-2]}, calls=CALLS)
    passing = replace(zero, control={"calls": [{"on": None, "call": "operator.neg", "args": [2]}]})
    assert told(judge(claim(passing, quote=QUOTE), both)) == ("shown", "high", False, "task-text", None)


def test_a_single_branch_without_a_base_has_no_control_so_it_is_medium_and_says_so(judge):
    finding = judge(claim(OBSERVATION, quote=QUOTE), {"b0": WRONG})
    assert told(finding) == ("shown", "medium", False, "task-text", None)
    assert finding.replay.output.splitlines()[-1] == (
        "its control could not be checked: there is no sibling, no base and no control input"
    )
    assert told(judge(claim(OBSERVATION, quote=QUOTE), {"b0": WRONG}, RIGHT))[1] == "high"


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"trigger": None}, "it has no concrete trigger"),
        ({"quote": "returns three times `n` for every number"}, "its quote is not in the task"),
        ({"quote": "returns"}, "its quote is not in the task"),
        ({"why_missed": None}, "it does not say why the verifier misses it"),
    ],
)
def test_what_lacks_a_ground_is_discounted_before_anything_is_run(judge, changed, reason):
    finding = judge(replace(claim(OBSERVATION, quote=QUOTE), **changed), {})
    assert told(finding)[1:3] == ("low", True)
    assert finding.discount_reason == reason


def test_the_reason_may_stand_in_the_detail(judge):
    detail = "double(-1) is 0. The verifier misses it because no test is negative."
    finding = judge(
        replace(claim(OBSERVATION, quote=QUOTE), why_missed=None, detail=detail), {"b0": WRONG, "b1": RIGHT}
    )
    assert told(finding) == ("shown", "high", False, "task-text", None)


def shown(**more) -> Finding:
    (finding,) = admit([claim(OBSERVATION, quote=QUOTE)], Grounds(TASK, (), "host"))
    output = "double(-1) -> 0\ncontrol: not shown on b1"
    return replace(finding, severity="high", replay=Replay(ReplayStatus.SHOWN, 2, 2, output, "full"), **more)


def run_with(finding: Finding, *questions) -> Collision:
    return Collision("r1", Task(TASK), "full", 0, (), findings=(finding,), questions=questions)


def test_the_question_names_the_sentence_the_calls_and_the_answer():
    question = reading_question(shown(), {"b0": "shown", "b1": "not-shown"})
    assert question.text == (
        "The task says 'returns twice `n` for every whole number'. After double(-1) it answered 0: does that break it?"
    )
    assert (question.kind, question.separates) == ("value", (("b0",), ("b1",)))


def test_a_second_reader_who_agrees_makes_it_critical_and_settles_the_question():
    finding = shown()
    asked = reading_question(finding, {"b0": "shown", "b1": "not-shown"})
    run = second_reading(run_with(finding, asked), finding.id, True)
    assert (run.findings[0].severity, run.findings[0].qualified) == ("critical", True)
    assert (run.questions[0].answer, run.questions[0].retired) == ({"kind": "value", "value": True}, True)
    before = run_with(finding, asked)
    assert second_reading(before, finding.id, False) == before


def test_a_second_reader_lifts_no_other_cap():
    low = shown(trigger=program())
    assert second_reading(run_with(low), low.id, True).findings[0].severity == "high"
    held = replace(shown(), severity="medium")
    assert second_reading(run_with(held), held.id, True).findings[0].severity == "medium"


def test_the_same_flaw_is_kept_once_and_the_better_ground_wins():
    grounds = Grounds(TASK, (), "host")
    (bare,), (quoted,) = admit([claim(OBSERVATION)], grounds), admit([claim(OBSERVATION, quote=QUOTE)], grounds)
    assert (bare.oracle, quoted.oracle) == ("opinion", "task-text")
    assert sort_in([bare], [quoted]) == ([], [quoted], [])
    assert sort_in([quoted], [bare]) == ([quoted], [], [bare])
    assert sort_in([], [quoted, quoted]) == ([], [quoted], [quoted])
    (nothing,) = admit([claim(None)], grounds)
    assert sort_in([quoted], [nothing]) == ([quoted], [nothing], [])


def test_a_branch_on_which_a_finding_could_not_be_checked_is_never_preferred():
    green = Verification(SuiteRun("green"))
    open_ = replace(shown(), severity="medium", replay=Replay(ReplayStatus.COULD_NOT_CHECK, 2, 0, "", "full"))
    high = replace(shown(), branch_id="b1")
    left, right = Record("b0", green, (), (open_,)), Record("b1", green, (), (high,))
    assert prefer(left, right) == (1, "every finding against it could be checked")
    assert prefer(replace(left, findings=(replace(open_, discounted=True),)), right)[0] == -1
