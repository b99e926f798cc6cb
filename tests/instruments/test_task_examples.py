"""Task examples: what a task's text states, as cases; what it does not state is never guessed at."""

from __future__ import annotations

from pqa.instruments.task_examples import ANY, Example, examples_of

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
