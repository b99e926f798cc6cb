"""Task examples: what a task's text states, as cases; what it does not state is never guessed at."""

from __future__ import annotations

import pytest

from pqa.instruments.stated_example import ANY, Example
from pqa.instruments.task_examples import examples_of

STORE = """
```python
class Store:
    def put(self, name, count):
        \"\"\"
        >>> store.put("pen", 2)
        >>> store.count("pen")
        2
        \"\"\"
```
"""
NEW = {"name": "store", "new": "shop.Store", "args": [], "kwargs": {}}
PUT = {"on": "store", "call": "put", "args": ["pen", 2], "kwargs": {}}
COUNT = {"on": "store", "call": "count", "args": ["pen"], "kwargs": {}}


def test_instance_that_the_text_never_builds_is_a_new_one_of_the_class_that_it_describes() -> None:
    assert examples_of(STORE, {"Store": "shop.Store"}) == [
        Example("shop.Store", 'store.count("pen")', (NEW,), (PUT, COUNT), (ANY, 2), implied=True)
    ]


def test_instance_that_the_text_builds_is_not_implied() -> None:
    built = STORE.replace(">>> store.put", ">>> store = Store()\n        >>> store.put")
    assert examples_of(built, {"Store": "shop.Store"}) == [
        Example("shop.Store", 'store.count("pen")', (NEW,), (PUT, COUNT), (ANY, 2))
    ]


def test_name_outside_a_class_is_not_guessed_at() -> None:
    prose = ">>> store.put('pen', 2)\n>>> store.count('pen')\n2\n"
    assert examples_of(prose, {"Store": "shop.Store"}) == []


def test_argument_may_be_a_public_name_of_the_branch() -> None:
    names = {"Order": "shop.Order"}
    text = ">>> order = Order(3, Order.large)\n>>> order.due()\n2\n"
    built = {
        "name": "order",
        "new": "shop.Order",
        "args": [3, {"$type": "public", "value": "shop.Order.large"}],
        "kwargs": {},
    }
    called = {"on": "order", "call": "due", "args": [], "kwargs": {}}
    assert examples_of(text, names) == [Example("shop.Order", "order.due()", (built,), (called,), (2,))]


def function(
    text: str, signature: str = "pair(s, n)"
) -> list[tuple[list[object], dict[str, object], tuple[object, ...]]]:
    """Arguments, keywords and stated answer of each example in the docstring of one function."""
    task = f'```python\ndef {signature}:\n    """\n    {text}\n    """\n```\n'
    found = examples_of(task, {"pair": "solution.pair"})
    assert all(one.calls[0]["call"] == "solution.pair" for one in found)
    return [(one.calls[0]["args"], one.calls[0]["kwargs"], one.expect) for one in found]


@pytest.mark.parametrize(
    "text",
    [
        "For s = 'ab', n = 2 the output should be 'ba'",
        "for n = 2 and s = 'ab', return 'ba'.",
        "If s='ab' and n=2 the result is `'ba'`",
        "- with s = 'ab', n = 2 -> 'ba'",
        "pair('ab', 2) ==> 'ba'",
        "pair('ab', 2) --> 'ba'",
        "pair(ab, 2) => 'ba'",
        "Input: s = 'ab', n = 2\n    Output: 'ba'",
        "**Input:** 'ab', 2\n\n    **Output:** 'ba'",
    ],
)
def test_sentence_that_gives_every_argument_and_the_answer_is_an_example(text: str) -> None:
    assert function(text) == [(["ab", 2], {}, ("ba",))]


@pytest.mark.parametrize(
    "text",
    [
        "For s = 'ab' the output should be 'ba'",
        "For s = 'ab', n = 2, k = 3 the output should be 'ba'",
        "For s = 'ab', n = 2 the output should be a text",
        "For s = 'ab', n = 2 it is not 'ba'",
        "For s = 'ab', n = m the output should be 'ba'",
        "For s = 'ab' + 'c', n = 2 the output should be 'ba'",
        "pair(s, 2) => 'ba'",
        "pair(str, 2) => 'ba'",
        "Input: 'ab'\n    Output: 'ba'",
        "Input: 'ab', 2\n\n\n\n\n    Output: 'ba'",
    ],
)
def test_sentence_that_leaves_something_open_is_no_example(text: str) -> None:
    assert function(text) == []


def test_argument_with_a_default_may_be_left_out_and_one_after_it_is_given_by_name() -> None:
    assert function("for s = 'a', n = 3 the answer is 4", "pair(s, k=1, n=2)") == [([], {"s": "a", "n": 3}, (4,))]
    assert function("for s = 'a' the answer is 4", "pair(s, k=1, n=2)") == [(["a"], {}, (4,))]


def test_sentence_in_the_prose_is_about_the_one_function_that_the_code_declares() -> None:
    names = {"pair": "solution.pair", "odd": "solution.odd"}
    prose = "For n = 3 the output is 4.\n\n```python\ndef odd(n):\n```\n"
    assert [one.subject for one in examples_of(prose, names)] == ["solution.odd"]
    assert examples_of(prose + "```python\ndef pair(n):\n```\n", names) == []
