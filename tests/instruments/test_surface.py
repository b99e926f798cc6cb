"""The surface is read in the branch's own interpreter and checked field by field."""

from __future__ import annotations

import dataclasses

import pytest

from pqa.core.job import JobResult
from pqa.core.surface import Class, Function, Parameter, Surface
from pqa.instruments.surface import read_surface, surface_of

PLAIN = "POSITIONAL_OR_KEYWORD"


def undigested(surface: Surface) -> Surface:
    """Without the digests, which other tests look at."""
    functions = tuple(dataclasses.replace(each, body_digest="") for each in surface.functions)
    classes = tuple(
        dataclasses.replace(
            each,
            body_digest="",
            methods=tuple(dataclasses.replace(method, body_digest="") for method in each.methods),
        )
        for each in surface.classes
    )
    return dataclasses.replace(surface, functions=functions, classes=classes, rest_digest="")


def test_functions_classes_and_methods_are_named_with_their_signatures(plant) -> None:
    code = '''
    """A module."""
    from collections import OrderedDict
    from typing import Optional

    def area(width: int, height: "int" = 2, *more, unit: Optional[str] = None, **rest) -> float:
        """The area."""
        return width * height * 1.5

    def _hidden(): pass

    class Box:
        """A box."""
        def __init__(self, size: int): self.size = size
        def grow(self, by): self.size += by
        def _secret(self): pass
        def __len__(self): return self.size
        @property
        def empty(self) -> bool: return not self.size
        @classmethod
        def unit(cls): return cls(1)
        @staticmethod
        def parse(text): return text
    '''
    branch, zygote = plant({"shapes.py": code, "setup.py": "raise SystemExit", "tests/test_x.py": "raise SystemExit\n"})
    file = "shapes.py"
    size = Parameter("size", PLAIN, annotation="int")
    assert undigested(read_surface(zygote, branch)) == Surface(
        functions=(
            Function(
                "shapes.area",
                (
                    Parameter("width", PLAIN, annotation="int"),
                    Parameter("height", PLAIN, True, "int", 2),
                    Parameter("more", "VAR_POSITIONAL"),
                    Parameter("unit", "KEYWORD_ONLY", True, "Optional[str]"),
                    Parameter("rest", "VAR_KEYWORD"),
                ),
                doc="The area.",
                file=file,
                line=6,
                returns="float",
            ),
        ),
        classes=(
            Class(
                "shapes.Box",
                (size,),
                (
                    Function("grow", (Parameter("by", PLAIN),), file=file, line=15, kind="method"),
                    Function("__len__", (), file=file, line=17, kind="method"),
                    Function("empty", (), file=file, line=18, kind="property", returns="bool"),
                    Function("unit", (), file=file, line=20, kind="classmethod"),
                    Function("parse", (Parameter("text", PLAIN),), file=file, line=22, kind="staticmethod"),
                ),
                doc="A box.",
                file=file,
                line=12,
            ),
        ),
        literals=(2, 1.5, 1),
    )


def test_all_is_honoured_and_re_exports_go_by_their_defining_module(plant) -> None:
    files = {
        "pkg/__init__.py": "from pkg.inner import shown\nfrom pkg._private import kept\n",
        "pkg/inner.py": "__all__ = ['shown']\ndef shown(): pass\ndef unlisted(): pass\n",
        "pkg/_private.py": "def kept(): pass\ndef dropped(): pass\n",
        "pkg/__main__.py": "raise SystemExit\n",
    }
    surface = read_surface(*reversed(plant(files)))
    assert [each.name for each in surface.functions] == ["pkg.inner.shown", "pkg.kept"]
    assert surface.unimportable == ()


def test_digests_ignore_place_layout_and_docstring_but_not_the_body(plant) -> None:
    code = '''
    def one(x):
        """Docs."""
        return x + 1
    def same(x): return (x  +  1)
    def other(x): return x + 2
    '''
    surface = read_surface(*reversed(plant({"m.py": code})))
    digests = {each.name: each.body_digest for each in surface.functions}
    assert digests["m.one"] == digests["m.same"] != digests["m.other"]
    assert all(len(each) == 16 for each in digests.values())


BODY = "def f(items):\n    total = 0\n    for item in items:\n        total += item\n    return total\n"
RENAMED = "def f(items):\n    s = 0\n    for x in items:\n        s += x\n    return s\n"
NESTED = "def f(n):\n    base = n\n    def g(y):\n        inner = y + base\n        return inner\n    return g(1)\n"


@pytest.mark.parametrize(
    ("left", "right", "alike"),
    [
        (BODY, RENAMED, True),
        (BODY, RENAMED.replace("return s", "return x"), False),
        (BODY, RENAMED.replace("items", "things"), False),
        (NESTED, NESTED.replace("base", "start").replace("inner", "out"), True),
        (NESTED, NESTED.replace("inner = y + base\n        return inner", "inner = y + base\n        return base"), False),
        ("def f(n):\n    a = n\n    def g(a): return a\n    return g(1)\n",
         "def f(n):\n    b = n\n    def g(a): return b\n    return g(1)\n", False),
        ("def f(n):\n    global a\n    a = n\n", "def f(n):\n    global b\n    b = n\n", False),
        ("def f(n):\n    import json as a\n    return a\n", "def f(n):\n    import json as b\n    return b\n", False),
        ("def f(n):\n    return len(n)\n", "def f(n):\n    return sum(n)\n", False),
        ("def f(n):\n    a = n\n    return locals()\n", "def f(n):\n    b = n\n    return locals()\n", False),
        ("class f:\n    a = 1\n    def g(self):\n        x = self.a\n        return x\n",
         "class f:\n    a = 1\n    def g(self):\n        y = self.a\n        return y\n", True),
        ("class f:\n    a = 1\n", "class f:\n    b = 1\n", False),
        ("def f(n):\n    a = n\n    class g:\n        a = 1\n    return g\n",
         "def f(n):\n    b = n\n    class g:\n        b = 1\n    return g\n", False),
        ("def f(n):\n    a = n\n    class g:\n        x = a\n    return g\n",
         "def f(n):\n    b = n\n    class g:\n        x = b\n    return g\n", True),
        ("def f(n):\n    return [a + 1 for a in n]\n", "def f(n):\n    return [b + 1 for b in n]\n", True),
        ("def f(n):\n    return [a for a in n], a\n", "def f(n):\n    return [b for b in n], b\n", False),
        ("def f(n):\n    return [a for a in a]\n", "def f(n):\n    return [b for b in b]\n", False),
        ("def f(n):\n    return {a: a for a in n}, [a for c in n]\n",
         "def f(n):\n    return {b: b for b in n}, [b for c in n]\n", False),
        ("def f(n):\n    a = 0\n    return [a for a in n], a\n", "def f(n):\n    b = 0\n    return [b for b in n], b\n", True),
    ],
)  # fmt: skip
def test_digests_ignore_the_names_of_local_variables_and_no_others(plant, left: str, right: str, alike: bool) -> None:
    surface = read_surface(*reversed(plant({"one.py": left, "two.py": right})))
    first, second = (each.body_digest for each in (*surface.functions, *surface.classes))
    assert (first == second) is alike
    assert first


HELPED = "import re\n\ndef f(n): return _f(n)\n\ndef _f(n):\n    found = n + 1\n    return found\n"


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (HELPED.replace("found", "result"), True),
        ('"""Docs."""\n' + HELPED.replace("return _f(n)", "return 1"), True),
        (HELPED.replace("n + 1", "n + 2"), False),
        (HELPED.replace("import re", "import json as re"), False),
        (HELPED + "STEP = 3\n", False),
    ],
)
def test_what_public_names_stand_on_has_a_digest_of_its_own(plant, other: str, alike: bool) -> None:
    first, second = (
        read_surface(*reversed(plant({"m.py": code}, name))) for code, name in ((HELPED, "b0"), (other, "b1"))
    )
    assert first.rest_digest
    assert (first.rest_digest == second.rest_digest) is alike


def test_modules_that_cannot_be_imported_are_said_and_the_others_read(plant) -> None:
    files = {
        "broken.py": "import no_such_library\n",
        "late.py": "while True: pass\n",
        "leaves.py": "import sys; sys.exit(3)\n",
        "fine.py": "def ok(): pass\n",
    }
    branch, zygote = plant(files)
    surface = read_surface(zygote, branch, module_seconds=0.5)
    assert [each.name for each in surface.functions] == ["fine.ok"]
    assert surface.unimportable == (
        ("broken", "ModuleNotFoundError: No module named 'no_such_library'"),
        ("late", "it took longer than 0.5 seconds to import"),
        ("leaves", "SystemExit: 3"),
    )


def test_a_module_that_ends_the_process_makes_the_whole_surface_doubtful(plant) -> None:
    surface = read_surface(*reversed(plant({"m.py": "import os; os._exit(0)\n"})))
    assert undigested(surface) == Surface(unimportable=(("*", "it ended without its end record (exit status 0)"),))
    assert surface.rest_digest


def test_a_module_loaded_from_elsewhere_is_a_stray(plant) -> None:
    first = "import sys; sys.path.insert(0, '/other'); sys.modules.pop('z', None); import z\n"
    branch, zygote = plant({"a.py": first, "z.py": "def f(): pass\n"}, other={"z.py": "def g(): pass\n"})
    surface = read_surface(zygote, branch)
    assert (surface.strays, surface.functions) == ((("z", "/other/z.py"),), ())


def test_malformed_claims_are_ignored() -> None:
    good = {
        "name": "m.f",
        "kind": "function",
        "parameters": [],
        "returns": "",
        "doc": "",
        "file": "m.py",
        "line": 1,
        "body_digest": "d",
    }
    bad = [
        {**good, "line": "1"},
        {**good, "name": 3},
        {**good, "kind": "x"},
        {**good, "parameters": [{"name": "a"}]},
        7,
    ]
    records = [{"function": each} for each in (good, *bad)] + [
        {"literal": []},
        {"literal": {"$type": "x"}},
        {"stray": 1, "path": ""},
    ]
    surface = surface_of(JobResult(records=tuple(records), complete=True, exit_code=0))
    assert surface == Surface(functions=(Function("m.f", file="m.py", line=1, body_digest="d"),))
