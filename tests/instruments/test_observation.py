"""Observation: cases are carried out on a branch, each from a fresh state."""

from __future__ import annotations

from pqa.instruments.demonstrate import call_text
from pqa.instruments.observation import observe

SETUP = [{"name": "subject", "new": "m.Notes", "args": [], "kwargs": {}}]
NOTES = """
import os


class Notes:
    def __init__(self):
        self.lines = []

    def count(self):
        return len(self.lines)

    def save(self):
        with open("notes.txt", "a") as file:
            file.write("x")
        return os.path.getsize("notes.txt")

    def wait(self):
        while True:
            pass

    def many(self, n):
        return list(range(n))
"""


def call(name: str, *args: object) -> dict[str, object]:
    return {"on": "subject", "call": name, "args": list(args), "kwargs": {}}


def case(*calls: dict[str, object]) -> dict[str, object]:
    return {"setup": SETUP, "calls": list(calls)}


def test_an_assignment_changes_what_later_calls_and_reads_give(plant) -> None:
    _, zygote = plant({"m.py": NOTES})
    put = {"on": "subject", "set": "lines", "value": ["a", "b"]}
    (seen,) = observe(zygote, [case(put, call("count"), {"on": "subject", "get": "lines"})])
    assert [outcome["value"] for outcome in seen.outcomes] == [None, 2, ["a", "b"]]
    assert call_text(put) == "subject.lines = ['a', 'b']"


def test_a_file_that_one_case_makes_is_gone_in_the_next(plant) -> None:
    _, zygote = plant({"m.py": NOTES})
    seen = observe(zygote, [case(call("save"), call("save")), case(call("save"))])
    assert [[outcome["value"] for outcome in one.outcomes] for one in seen] == [[1, 2], [1]]


def test_a_method_that_never_returns_does_not_take_the_others_along(plant) -> None:
    _, zygote = plant({"m.py": NOTES})
    seen = observe(zygote, [*[case(call("wait"))] * 6, case(call("count"))], call_seconds=0.05)
    assert seen[4].outcomes == ({"timeout": True},)
    assert seen[5].trouble == "too many calls ran out of time"
    assert seen[6].outcomes == ({"value": 0},)


def test_an_outcome_with_more_values_than_are_wanted_is_too_large(plant) -> None:
    _, zygote = plant({"m.py": NOTES})
    (seen,) = observe(zygote, [case(call("many", 3), call("many", 50))], nodes=20)
    assert seen.outcomes == ({"value": [0, 1, 2]}, {"too_large": True})


ONE_ANSWER = {
    "$type": "callable",
    "value": {"name": "ask", "id": 0, "answers": [[[1], {}, {"value": 7}]], "otherwise": None},
}
SWALLOWS = """
def plain(ask, number):
    return ask(number)


def swallowing(ask, number):
    try:
        return ask(number)
    except:
        return 0
"""


def test_a_stand_in_that_knows_no_answer_says_nothing_of_the_branch_even_where_it_is_swallowed(plant) -> None:
    _, zygote = plant({"m.py": SWALLOWS})

    def asked(name: str, number: int) -> dict[str, object]:
        return {"on": None, "call": f"m.{name}", "args": [ONE_ANSWER, number], "kwargs": {}}

    cases = [{"setup": [], "calls": [asked(name, number)]} for name in ("plain", "swallowing") for number in (2, 1)]
    unknown = {"skipped": "the tests do not show what a callable that they pass answers here"}
    assert [one.outcomes for one in observe(zygote, cases)] == [(unknown,), ({"value": 7},)] * 2
