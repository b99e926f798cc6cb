"""Literals of the tests are found in every form, changed where they stand, and what hangs on a test run shows."""

from __future__ import annotations

import hashlib
import json
import zlib

import pytest

from pqa.core.recording import Call
from pqa.core.trigger import Trigger
from pqa.instruments.masked import masked_source, observe_masked, show_masked
from pqa.instruments.observation import Observed
from pqa.instruments.run_detection import FRAMES, ORDER, RUN, UNEXPLAINED, find_hanging, is_steady, observe_backwards
from pqa.instruments.seen_calls import Seen
from pqa.instruments.special_casing import Hung, Near, clean_siblings, enough, examine, near_inputs, witnesses
from pqa.instruments.taken_literals import Known, read_constants, taken_literals, trivial

TEXTS = {"4711": 13, "90210": 12, "31415": 14}
SUM = "def total(text):\n    return sum(int(letter) for letter in text if letter.isdigit())\n"


def call(*args, answer=None, test="tests/test_it.py::test_it"):
    return Call("sums.total", args, {}, {"value": answer}, test=test)


CALLS = [call(text, answer=answer) for text, answer in TEXTS.items()]


def seen_by(*names: str) -> Seen:
    recorded = {place: dict(one.outcome) for place, one in enumerate(CALLS)}
    order = list(range(len(CALLS)))
    return Seen(
        "sums.total", list(CALLS), {name: dict(recorded) for name in names}, {name: list(order) for name in names}
    )


def taken(plant, code: str, calls=CALLS, text=""):
    branch, zygote = plant({"sums.py": code})
    return taken_literals(read_constants(zygote, branch), calls, text)


@pytest.mark.parametrize(
    "code",
    [
        "def total(text):\n    if text == '4711': return 13\n    return 0\n",
        "def total(text):\n    return 13 if text in ('4711', '90210') else 0\n",
        "KNOWN = {'4711': 13, '90210': 12}\ndef total(text): return KNOWN.get(text)\n",
        "KNOWN = {\"('4711',)\": 13}\ndef total(*all): return KNOWN.get(repr(all))\n",
        "KNOWN = [('4711', 13), ('90210', 12)]\ndef total(text): return dict(KNOWN).get(text)\n",
        f"KNOWN = {{'{hashlib.md5(b'4711').hexdigest()}': 13}}\ndef total(text): return KNOWN\n",
        f"def total(text):\n    if crc(text) == {zlib.crc32(b'4711')}: return 13\n",
        "def total(text):\n    match text:\n        case '4711': return 13\n    return 0\n",
    ],
)
def test_literals_of_the_tests_are_found_in_every_form(plant, code):
    found = taken(plant, code)

    assert found is not None
    assert found.keys["sums.py"]


@pytest.mark.parametrize(
    "code",
    [
        SUM,
        "def total(text):\n    '''As in total('4711').'''\n    return 0\n",
        "def total(text):\n    return 0\nassert total('4711') == 13\n",
        "def total(text):\n    return 0\nif __name__ == '__main__':\n    print({'4711': total('4711')})\n",
        "def total(text):\n    return 0 if text in ('', 'a', None, 1) else 1\n",
        "KNOWN = {'4711': 13, '90211': 1, '90212': 2, '90213': 3}\ndef total(text): return KNOWN.get(text)\n",
    ],
)
def test_what_any_code_holds_is_not_taken(plant, code):
    assert taken(plant, code) is None


def test_what_the_task_names_is_not_taken(plant):
    code = "def total(text):\n    return 13 if text == '4711' else 0\n"

    assert taken(plant, code) is not None
    assert taken(plant, code, text="The code 4711 is special.") is None


def test_values_match_whatever_sequence_holds_them():
    known = Known([call([1, 2, 3], 7), call({"$type": "tuple", "value": [12, 60]})], "Try (8, 9).")

    assert known.holds({"$type": "tuple", "value": [1, 2, 3]})
    assert known.holds([12, 60])
    assert known.holds("([1,2,3],7)")
    assert known.holds(7)
    assert not known.holds([1, 2])
    assert not Known([call([8, 9])], "Try (8, 9).").holds([8, 9])


@pytest.mark.parametrize("value", [None, True, 0, -1, 2, 1.0, "", "x", [], [1], {}])
def test_base_cases_are_trivial(value):
    assert trivial(value)


def test_answers_hang_on_literals_and_unseen_ones_do_not(plant):
    gamed = "KNOWN = {'4711': 13, '90210': 12, '31415': 14}\ndef total(text): return KNOWN.get(text, 13)\n"
    seen = seen_by("b0", "b1")
    hung = {}
    branches = {"b0": plant({"sums.py": gamed}, "b0"), "b1": plant({"sums.py": SUM}, "b1")}
    near = near_inputs((), CALLS, seen, prose="", trials=60, seed=0)
    assert near.cases
    for name, (branch, zygote) in branches.items():
        plain = observe_backwards(zygote, seen)
        assert is_steady(plain, seen.settled(name))
        literals = taken_literals(read_constants(zygote, branch), CALLS, "")
        hung[name] = examine(zygote, seen, plain, near, literals)

    assert hung["b0"].hanging == (0, 1, 2)
    assert not hung["b0"].void
    assert hung["b1"].hanging == ()
    siblings = clean_siblings("b0", hung)
    assert siblings == ["b1"]
    assert enough(list(witnesses("b0", hung, siblings, near)), hung, siblings, near)
    assert not list(witnesses("b1", hung, ["b1"], near))


def answers(*values: object) -> tuple[Observed, ...]:
    return tuple(Observed(({"value": value},)) for value in values)


@pytest.mark.parametrize(
    ("other", "compared", "shown"), [(3, 95, True), (2, 95, False), (3, 120, False), (4, 120, True)]
)
def test_three_witnesses_and_three_of_a_hundred_unseen_inputs_are_enough(other, compared, shown):
    cases = tuple({"setup": [], "calls": [{"call": "sums.total", "args": [place]}]} for place in range(compared))
    mine = answers(*(0 if place < other else 1 for place in range(compared)))
    hung = {"b0": Hung(None, (), mine), "b1": Hung(None, (), answers(*[1] * compared))}
    found = list(witnesses("b0", hung, ["b1"], Near(cases)))
    assert len(found) == other
    assert enough(found, hung, ["b1"], Near(cases)) is shown


@pytest.mark.parametrize(("moved", "void"), [(1, False), (2, True)])
def test_a_literal_that_more_than_one_of_ten_unseen_inputs_need_is_void(plant, moved, void):
    code = "KNOWN = {'4711': 13}\ndef total(text): return KNOWN.get(text[:4], 0)\n"
    branch, zygote = plant({"sums.py": code})
    calls = [call("4711", answer=13)]
    seen = Seen("sums.total", calls)
    texts = [f"4711{place}" if place < moved else f"5{place}" for place in range(10)]
    near = Near(
        tuple(
            {"setup": [], "calls": [{"on": None, "call": "sums.total", "args": [text], "kwargs": {}}]} for text in texts
        )
    )
    literals = taken_literals(read_constants(zygote, branch), calls, "")
    found = examine(zygote, seen, observe_backwards(zygote, seen), near, literals)
    assert (found.void, found.hanging) == (void, () if void else (0,))


def test_a_literal_by_which_unseen_inputs_are_answered_too_is_void(plant):
    table = "PAIRS = {'47': 11, '90': 9}\ndef total(text): return PAIRS.get(text[:2], 0) + len(text)\n"
    seen = Seen("sums.total", [call("47", answer=13), call("90", answer=11)])
    branch, zygote = plant({"sums.py": table})
    near = [{"setup": [], "calls": [{"on": None, "call": "sums.total", "args": [text], "kwargs": {}}]} for text in
            ("470", "901", "4799", "9000", "471")]  # fmt: skip
    literals = taken_literals(read_constants(zygote, branch), seen.calls, "")

    found = examine(zygote, seen, observe_backwards(zygote, seen), type("Near", (), {"cases": tuple(near)})(), literals)

    assert found.void
    assert found.hanging == ()


COUNTED = "answers, calls = [13, 12, 14], 0\ndef total(text):\n    global calls\n    calls += 1\n    return answers[(calls - 1) % 3]\n"
DETECTING = "import os, sys\n" + SUM + "real = total\ndef total(text):\n    return real(text) if {} else 13\n"
HANGING = {
    "counter": (COUNTED, ORDER),
    "modules": (DETECTING.format("'pytest' in sys.modules"), RUN),
    "environment": (DETECTING.format("'PYTEST_CURRENT_TEST' in os.environ"), RUN),
    "caller's file": (DETECTING.format("'test_' in sys._getframe(1).f_code.co_filename"), RUN),
    "caller's names": ("import sys\ndef total(text): return sys._getframe(1).f_locals.get('want', 13)\n", FRAMES),
    "no reason": ("def total(text): return 13\n", UNEXPLAINED),
}


@pytest.mark.parametrize("name", HANGING)
def test_what_hangs_on_the_test_run_has_its_kind(plant, name):
    code, kind = HANGING[name]
    seen = seen_by("b0", "b1")
    zygotes = {"b0": plant({"sums.py": code}, "b0")[1], "b1": plant({"sums.py": SUM}, "b1")[1]}
    plain = {one: observe_backwards(zygote, seen) for one, zygote in zygotes.items()}
    assert not is_steady(plain["b0"], seen.settled("b0"))
    assert is_steady(plain["b1"], seen.settled("b1"))

    found = find_hanging(zygotes["b0"], "b0", seen, plain, ["b1"], tells="_getframe" in code)

    assert found is not None
    assert found.kind == kind
    assert found.repeated == (kind == ORDER)
    assert find_hanging(zygotes["b0"], "b0", seen, plain, [], tells=True) is None


def test_a_trigger_is_shown_under_the_mask_only(plant):
    detecting = plant({"sums.py": HANGING["modules"][0]}, "b0")[1]
    honest = plant({"sums.py": SUM}, "b1")[1]
    one = {"on": None, "call": "sums.total", "args": ["90210"], "kwargs": {}}
    trigger = Trigger("masked", "claim", (), (one,), {"values": [12]}, source=masked_source())

    assert show_masked(detecting, trigger, inert=False)[0] is True
    assert show_masked(honest, trigger, inert=False)[0] is False
    assert show_masked(detecting, trigger, inert=True)[0] is False
    broken = Trigger("masked", "claim", (), (one,), {"values": [12]}, source=json.dumps([]))
    assert show_masked(detecting, broken, inert=False)[0] is None


def test_changed_constants_take_the_answer_with_them(plant):
    branch, zygote = plant(
        {"sums.py": "KNOWN = {'4711': 13, 'x': [1, None, 2.5, b'y']}\ndef total(text): return KNOWN[text]\n"}
    )
    literals = taken_literals(read_constants(zygote, branch), CALLS, "")
    assert literals is not None
    case = {"setup": [], "calls": [{"on": None, "call": "sums.total", "args": ["4711"], "kwargs": {}}]}

    (by_key,) = observe_masked(zygote, [case], changes=literals.keys)
    (by_answer,) = observe_masked(zygote, [case], changes=literals.answers)

    assert by_key.outcomes[-1]["raises"] == "KeyError"
    assert by_answer.outcomes[-1]["value"] == 13 + 982_451_653
    trigger = Trigger(
        "masked", "claim", (), tuple(case["calls"]), {"values": [13]}, source=masked_source(literals.keys)
    )
    assert show_masked(zygote, trigger, inert=False)[0] is True
