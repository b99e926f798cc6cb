"""The page that a run becomes: whole, in order, harmless; what was not checked never looks clean."""

from __future__ import annotations

from dataclasses import replace

from pqa.core.finding import Note
from pqa.core.trigger import Replay, ReplayStatus
from pqa.core.verdict import AttackRun, Choice, Defense
from pqa.reports.findings import replay_words, worst_first
from pqa.reports.terminal import choice_line, render
from pqa.reports.text import make_console
from pqa.reports.unchecked import unchecked

PAGE = """\
pqa  run r1 · sandbox full · seed 7
task: Rate limiter

Branches
  branch   state    verification   tests                 coverage   findings     score
  b0       dead     verified       6 passed              95 %       1 critical   0
  b1       chosen   verified       9 passed              100 %      1 low        97.5
  b2       alive    UNVERIFIED     no tests of its own   –          1 medium     60

Deaths
  b0 (high conviction)  critical finding f0123456789ab: the answers depend on the clock's start

Defense
  b0  no defense was offered: pqa defend r1 --patch b0=DIR
  b2  no defense was offered: pqa defend r1 --patch b2=DIR

Where they part
  where   smallest witness                                      who says what             decided by
  –       allow('ada') at 15.0, after two calls at 0.0: whic…   b0 b2: True | b1: False   open

Findings
  CRITICAL  b0  Shifting all times by 0.5 s changes the answers
    limit=1, window=1.0: calls at 0.5 and 1.0 are both accepted. The verifier misses it because no
    test calls allow() on both sides of an edge.
    shown 2 of 2 · sandbox full · oracle relation · attack differential
    allow('ada') gave True, right is False
    again    pqa replay r1 f0123456789ab
    trigger  .pqa/runs/r1/triggers/f0123456789ab.py

  MEDIUM  b2  Empty key is accepted
    allow('') returns True.
    not replayed · oracle opinion
    id f111111111111, no trigger

  1 low: b1 A name is short
  1 discounted, without proof: b1 It may leak

Questions
  ? allow('ada') at 15.0, after two calls at 0.0: which is meant?
    b0, b2: True
    b1: False

Notes
  - no suite looks at empty keys

Could not be checked
  - b2: it is UNVERIFIED: no suite says that it does what was asked; it brings no tests
  - b2: the attack 'differential' was stopped early, after 40 trials
  - b2: the attack 'hollow' could not run: the branch has no tests
  - b2: could not be checked for f0123456789ab
  - b2: left out of the snapshot: link: a symbolic link, not followed

Kill matrix
  finding         b0      b1          b2
  f0123456789ab   SHOWN   not shown   not checked

What separates them
  b0 alone  critical Shifting all times by 0.5 s changes the answers; clear of it: b1; not known: b2
  b2 alone  medium Empty key is accepted; not known: b0, b1
  category input: b2 1 medium
  category time-window: b0 1 critical
  layer boundaries: b0 1 critical
  layer none: b2 1 medium

Choice
  Merge b1
  b1 over b2: verified
  runner-up: b2
  what would change it:
    - a proved critical finding against b1
"""


def page(collision, capsys, width=100) -> str:
    render(collision, make_console(width=width))
    return "".join(line.rstrip() + "\n" for line in capsys.readouterr().out.splitlines())


def test_the_whole_page(run, capsys):
    assert page(run, capsys) == PAGE


def test_on_a_narrow_screen_a_branch_is_one_sentence_and_no_line_is_too_long(run, capsys):
    text = page(run, capsys, width=48)
    assert text.splitlines()[4:6] == [
        "  b0 dead, verified, 6 passed, coverage 95 %,",
        "  findings 1 critical, score 0",
    ]
    assert max(len(line) for line in text.splitlines()) <= 48


def test_without_a_survivor_nobody_is_named(nobody, capsys):
    text = page(nobody, capsys)
    assert text.partition("\nChoice\n")[2] == (
        "  No survivor: no branch may be merged.\n  what would change it:\n    - a branch without an unresolved critical\n"
    )
    assert "\nDeaths\n  b0 (high conviction)  b0 broke\n  b1  b1 broke\n  b2  b2 broke\n" in text


def test_an_abstention_is_told_with_its_reason_and_what_would_end_it(run, capsys):
    choice = Choice(None, True, "nothing separates b1 and b2", would_change=("an answer to q1",))
    assert page(replace(run, choice=choice), capsys).partition("\nChoice\n")[2] == (
        "  No choice\n  nothing separates b1 and b2\n  what would change it:\n    - an answer to q1\n"
    )


def test_an_unverified_choice_says_so(run, capsys):
    choice = Choice("b2", False, "b2 is the only survivor")
    assert "  Merge b2, although it is UNVERIFIED\n" in page(replace(run, choice=choice), capsys)


def test_hostile_words_reach_the_page_spelled_out(run, capsys):
    evil = "\x1b[2J\x1b]0;owned\x07[red]Merge b0[/red]\nChoice\u202e"
    findings = [replace(finding, title=evil, detail=evil, category=evil) for finding in run.findings]
    findings[3] = replace(findings[3], replay=Replay(ReplayStatus.SHOWN, 2, 2, evil * 50, "full"))
    hostile = replace(
        run,
        findings=tuple(findings),
        questions=tuple(replace(question, text=evil, outcomes={"b0": evil}) for question in run.questions),
        notes=(Note("weak-suite", evil),),
        choice=replace(run.choice, reason=evil),
        task=replace(run.task, text=evil),
    )
    text = page(hostile, capsys, width=400)
    assert [character for character in text if character != "\n" and not character.isprintable()] == []
    assert "\\x1b[2J\\x1b]0;owned\\x07[red]Merge b0[/red] Choice\\u202e" in text
    assert text.splitlines().count("Choice") == 1


def test_findings_are_told_worst_first_and_lows_in_volume_take_one_line(run, capsys):
    lows = [replace(run.findings[0], id=f"f{number:012x}", title=f"style {number}") for number in range(50)]
    crowded = replace(run, findings=(*lows, *run.findings[1:]))
    assert [finding.severity for finding in worst_first(crowded)] == ["critical", "medium"]
    assert "  50 low: b1 style 0; b1 style 1; b1 style 2; and 47 more in run.json\n" in page(crowded, capsys)


def test_every_replay_has_its_words(run):
    critical = run.findings[3]
    words = {status: replay_words(replace(critical, replay=Replay(status, 3, 1))) for status in ReplayStatus}
    assert words == {
        ReplayStatus.SHOWN: "shown 1 of 3",
        ReplayStatus.NOT_SHOWN: "not shown",
        ReplayStatus.FLAKY: "flaky 1 of 3",
        ReplayStatus.VACUOUS: "vacuous",
        ReplayStatus.COULD_NOT_CHECK: "could not check",
    }


def test_a_weak_sandbox_a_branch_without_attacks_and_a_lost_replay_are_not_clean(run):
    lost = replace(run.findings[3], replay=Replay(ReplayStatus.COULD_NOT_CHECK, 2, 0))
    poor = replace(run, sandbox="none", attacked={}, findings=(lost,), kill_matrix={}, stamps=("--unsafe-no-sandbox",))
    assert unchecked(poor) == [
        "the sandbox was 'none', not 'full': what ran was contained less than it should be",
        "--unsafe-no-sandbox",
        "b0: the finding f0123456789ab 'Shifting all times by 0.5 s changes the answers' could not be replayed",
        "b1, b2: it was not attacked",
        "b2: it is UNVERIFIED: no suite says that it does what was asked; it brings no tests",
        "b2: left out of the snapshot: link: a symbolic link, not followed",
    ]


def test_reasons_that_stand_as_notes_are_not_told_again_and_one_that_does_not_is(run):
    first, second = "'m.f': no input can be built", "'m.g': 3 of 4 inputs are refused"
    notes = (Note("could-not-check", first), Note("could-not-check", second))

    def lines(why: str) -> list[str]:
        ran = AttackRun("differential", "boundaries", "ran", why, trials=200)
        told = unchecked(replace(run, notes=notes, attacked={**run.attacked, "b1": (ran,)}))
        return [line for line in told if line.startswith("b1") or line in (first, second)]

    incomplete = "b1: the attack 'differential' is incomplete"
    assert lines(f"{first}; {second}") == [first, second, f"{incomplete}, for what is told above"]
    assert lines(f"{first}; {second}; it broke") == [first, second, f"{incomplete}: {first}; {second}; it broke"]


def test_the_outcome_has_one_line(run, nobody):
    assert choice_line(run) == "choice: b1"
    assert choice_line(nobody) == "no survivor"
    assert choice_line(replace(run, choice=Choice(None, True, "tie"))) == "no choice: nothing separates the survivors"


def test_what_earlier_runs_add_is_told_in_a_line_each(run, capsys):
    death = {
        "branch_id": "b1", "likeness": "same approach", "run_id": "r0", "at": "2026-11-30", "dead_branch_id": "b7",
        "stage": "attack", "death_reason": "it forgets\x1b[2J a key", "excerpt": "",
    }  # fmt: skip
    rates = {"high": {"branches": 4, "died": 3}, "low": {"branches": 0, "died": 0}}
    history = {"prior_deaths": [death], "calibration": {"conviction": rates}}

    render(replace(run, history=history), make_console(width=100))

    text = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert (
        "\nEarlier deaths\n  - b1: same approach as b7, which died in run r0: it forgets\\x1b[2J a key\n\nWhere they part\n"
        in text
    )
    assert "\nCalibration\n  - high conviction: 3 of 4 earlier branches died\n\nChoice\n" in text


def test_an_answer_is_told_with_its_status_and_its_variants(run, capsys):
    answer = {
        "finding_id": "f0123456789ab", "status": "suppressed", "reason": "its trigger is gone, but 2 of 9 variants show",
        "variants": {"tried": 9, "shown": 2},
    }  # fmt: skip

    render(replace(run, defenses=(Defense("b0", "patch", (answer,)),)), make_console(width=120))

    text = "\n".join(line.rstrip() for line in capsys.readouterr().out.splitlines())
    assert (
        "\nDefense\n  b0  f0123456789ab suppressed by patch: its trigger is gone, but 2 of 9 variants show (2 of 9 variants show)\n"
        "  b2  no defense was offered: pqa defend r1 --patch b2=DIR\n" in text
    )
