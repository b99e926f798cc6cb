"""The recorder knows objects that tests pass by what they are made of, as long as that makes them again."""

from __future__ import annotations

import pytest

from pqa.core.surface import Function, Parameter
from pqa.core.values import source_text
from pqa.instruments.contract import learn, relation_question
from pqa.instruments.observation import observe

CODE = """
import dataclasses
import enum
import typing


class Kind(enum.Enum):
    BOOK = 1


class Right(enum.Flag):
    READ = 1
    WRITE = 2


class Spot(typing.NamedTuple):
    x: int
    y: int = 0


@dataclasses.dataclass
class Line:
    kind: Kind
    price: int
    note: str = dataclasses.field(default="", kw_only=True)
    seen: list = dataclasses.field(default_factory=list, init=False)


@dataclasses.dataclass
class Price:
    amount: int

    def __post_init__(self):
        self.amount *= 100


class Customer:
    def __init__(self, points):
        self.points = points

    def add(self, points):
        self.points += points


class Own(str):
    pass


def use(thing):
    return 1
"""


def made(name: str, *args: object, **kwargs: object) -> dict[str, object]:
    return {"$type": "made", "value": {"class": f"m.{name}", "args": list(args), "kwargs": kwargs}}


BOOK = {"$type": "public", "value": "m.Kind.BOOK"}


@pytest.mark.parametrize(
    ("written", "form", "text"),
    [
        ("Kind.BOOK", BOOK, "Kind.BOOK"),
        ("Spot(3)", made("Spot", 3, 0), "Spot(3, 0)"),
        ("Line(Kind.BOOK, 5)", made("Line", BOOK, 5, note=""), "Line(Kind.BOOK, 5, note='')"),
        ("[Customer(4)]", [made("Customer", 4)], "[Customer(4)]"),
        ("Customer(points=4)", made("Customer", 4), "Customer(4)"),
        ("Price(3)", made("Price", 3), "Price(3)"),
    ],
)
def test_object_is_known_by_what_makes_it_again(record, written: str, form: object, text: str) -> None:
    tests = f"from m import *\n\ndef test_m():\n    assert use({written}) == 1\n"
    (call,) = record(CODE, tests).calls
    assert (call.args, call.replayable) == ((form,), True)
    assert source_text(call.args[0]) == text


@pytest.mark.parametrize("written", ["Right.READ | Right.WRITE", "used", "changed", "Own('a')"])
def test_object_that_was_used_or_changed_since_or_that_no_call_makes_is_not_repeated(record, written: str) -> None:
    tests = (
        "from m import *\n\ndef test_m():\n    used = Customer(4)\n    used.add(1)\n    changed = Customer(4)\n"
        f"    changed.points = 7\n    assert use({written}) == 1\n"
    )
    assert [call.replayable for call in record(CODE, tests).calls] == [False]


def test_object_is_made_again_in_the_branch_and_what_cannot_be_made_there_says_nothing(plant) -> None:
    _, zygote = plant({"m.py": CODE + "\n\ndef cost(line):\n    return line.price\n"})
    given = [made("Line", BOOK, 5), made("Line", BOOK), made("Absent", 1), {"$type": "public", "value": "m.Kind.FOOD"}]
    cases = [{"setup": [], "calls": [{"on": None, "call": "m.cost", "args": [one], "kwargs": {}}]} for one in given]
    skipped = {"skipped": "an argument cannot be made so"}
    assert [dict(one.outcomes[0]) for one in observe(zygote, cases)] == [{"value": 5}, skipped, skipped, skipped]


def test_set_up_with_a_name_that_the_branch_lacks_ends_its_case_alone(plant) -> None:
    _, zygote = plant({"m.py": CODE})
    call = {"on": None, "call": "m.use", "args": [1], "kwargs": {}}
    lacking = {"name": "holder", "value": {"$type": "public", "value": "m.Absent"}}
    first, second = observe(zygote, [{"setup": [lacking], "calls": [call]}, {"setup": [], "calls": [call]}])
    assert (first.trouble, second.trouble) == ("its set-up did not succeed", "")
    assert [dict(one) for one in second.outcomes] == [{"value": 1}]


def test_object_made_of_other_values_is_outside_the_contract(record) -> None:
    tests = "from m import *\n\ndef test_m():\n    use(Customer(4))\n    use(Customer(9))\n"
    calls = record(CODE, tests).calls
    contract = learn([Function("m.use", (Parameter("thing", "POSITIONAL_OR_KEYWORD"),))], calls)
    assert contract.tier([made("Customer", 9)]) == ("T0", ())
    assert contract.tier([made("Customer", 5)]) == ("T1", ("as_made(thing)",))
    assert contract.tier([made("Spot", 1, 2)])[0] == "T2"
    assert relation_question("as_made(thing)") == "may `thing` be made of other values than in the tests?"
