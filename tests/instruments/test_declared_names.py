"""Declared names: what the code in a task's text says shall be there, and what it does not say."""

from __future__ import annotations

from pqa.instruments.declared_names import Declared, declared_names

OUTLINE = '''# Shop

```python
import json

LIMIT = 3

class Shop:
    """A shop."""

    @staticmethod
    def total(prices):
        """The sum."""

    async def close(self): ...

    def _tidy(self): ...

def load(path: str) -> Shop:
```
'''


def test_classes_methods_and_functions_are_declared_with_their_lines() -> None:
    assert declared_names(OUTLINE) == [
        Declared("", "Shop", "class Shop:"),
        Declared("Shop", "total", "def total(prices):"),
        Declared("Shop", "close", "async def close(self): ..."),
        Declared("", "load", "def load(path: str) -> Shop:"),
    ]


def test_a_block_that_shows_how_something_is_used_declares_nothing() -> None:
    text = "```python\nshop = Shop()\nshop.total([1])\n\ndef shown():\n    return shop\n```\n"
    assert declared_names(text) == []


def test_what_the_prose_says_shall_go_is_not_declared() -> None:
    text = OUTLINE + "\nThe method `close` is no longer needed.\n"
    assert [one.dotted for one in declared_names(text)] == ["Shop", "Shop.total", "load"]


def test_prose_other_languages_and_broken_code_declare_nothing() -> None:
    text = "def total(prices):\n\n```js\nfunction total(prices) {}\n```\n~~~\ndef (\n~~~\n"
    assert declared_names(text) == []


def test_what_shall_go_may_be_said_over_several_lines_of_a_paragraph_or_by_the_code_itself() -> None:
    text = (
        OUTLINE + "\nThe following is to be removed,\nsince nobody uses it:\n`close` and\n`total`.\n\n`load` stays.\n"
    )
    assert [one.dotted for one in declared_names(text)] == ["Shop", "load"]
    gone = '```python\ndef old():  # to be removed\n    """Remove an item."""\ndef spare():\n    """Deprecated."""\ndef new():\n    """Remove an item."""\n```\n'
    assert [one.dotted for one in declared_names(gone)] == ["new"]
