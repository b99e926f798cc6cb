"""Bare code: what of a source file is left when all that says nothing of how it works is taken away."""

from __future__ import annotations

import pytest

from pqa.instruments.bare_code import bare_words


@pytest.mark.parametrize(
    ("source", "bare"),
    [
        ("x = y\n", "name = name newline"),
        ("# Why.\nx = 1  # because\n\n", "name = 1 newline"),
        ("import os, re\nfrom typing import (\n    Any,\n)\nx = 1\n", "name = 1 newline"),
        ('"""Doc."""\nx = """text"""\n', "name = text newline"),
        ("x = 'text'\n", "name = text newline"),
        ("x: list[int] = [1]\n", "name = [ 1 ] newline"),
        ("class Point:\n    x: int\n    y: int = 0\n",
         "class name : newline indent name newline name = 0 newline dedent"),
        ("self.x: dict[str, int] = {'a': 1}\n", "name . name = { a : 1 } newline"),
        ("def f(x: int, *, y: str = 'a', **z: int) -> dict[str, int]:\n    return x\n",
         "def name ( name , * , name = a , ** name ) : newline indent return name newline dedent"),
        ("async def f(\n    x: int,\n) -> None: await g\n", "async def name ( name , ) : await name newline"),
        ("def f(key=lambda x: x[1:], d={1: 2}): return {1: 2}\n",
         "def name ( name = lambda name : name [ 1 : ] , name = { 1 : 2 } ) : return { 1 : 2 } newline"),
        ("f = lambda x: x\n", "name = lambda name : name newline"),
        ("f(lambda x: x)\n", "name ( lambda name : name ) newline"),
        ("x[1:2] = y\n", "name [ 1 : 2 ] = name newline"),
        ("if x: y = 1\n", "if name : name = 1 newline"),
        ("match x:\n    case 1: y = 2\n", "name name : newline indent name 1 : name = 2 newline dedent"),
        ("if x:\n        y\n", "if name : newline indent name newline dedent"),
        ("x = (1\n", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_only_what_says_how_the_code_works_is_left(source: str, bare: str) -> None:
    assert " ".join(bare_words(source.encode())) == bare
    assert " ".join(bare_words(b"\xef\xbb\xbf" + source.replace("\n", "\r\n").encode())) == bare


def test_code_before_what_cannot_be_read_is_kept() -> None:
    assert " ".join(bare_words(b"x = 1\ny = (2\n")) == "name = 1 newline"
    assert " ".join(bare_words(b"x = 1\ny = '\xff'\n")) == ""


def test_encoding_that_a_file_declares_is_not_used_to_read_it() -> None:
    assert " ".join(bare_words(b"# coding: hex\nx = 1\n")) == "name = 1 newline"
    assert " ".join(bare_words(b"\xef\xbb\xbf# coding: idna\nx = 1\n")) == "name = 1 newline"
