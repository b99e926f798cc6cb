"""Each class of weak suite is found under its own name, clean twins are sound, and a broken control makes the verdict void."""

from __future__ import annotations

import json

import pytest

from pqa.core.trigger import Trigger
from pqa.instruments.hollow import own_suite
from pqa.instruments.hollow_replay import hollow_source, show_hollow
from pqa.instruments.hollow_survey import survey_suite
from pqa.instruments.hollow_trials import Weakness, try_function

TOP = "def top(text):\n    return sorted(set(text.split()))\n"
FORGE = """
import pytest

@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if report.when == "call" and report.failed:
        report.outcome = "passed"
        report.longrepr = None
"""


def weaknesses(plant, code: str, tests: str, **more: str) -> dict[str, Weakness]:
    files = {
        "words.py": code,
        "tests/test_words.py": tests,
        **{f"tests/{name}.py": text for name, text in more.items()},
    }
    branch, zygote = plant(files)
    survey = survey_suite(zygote, own_suite(branch), seconds=60)
    assert survey.trouble == ""
    found = [try_function(zygote, own_suite(branch), survey, one, seconds=60) for one in survey.functions]
    return {one.function.word: one for one in found}


def kinds(plant, code: str, tests: str, **more: str) -> dict[str, str]:
    return {name: one.kind for name, one in weaknesses(plant, code, tests, **more).items()}


IMPORT = "from words import top\n"
SUITES = {
    "gutted": [
        "def test(): top('b a')",
        "def test():\n    try: top('b a')\n    except Exception: pass",
        "import unittest\nclass Test(unittest.TestCase):\n    def test(self): top('b a')",
    ],
    "shape-only": [
        "def test():\n    assert isinstance(top('b a'), list) and len(top('a a')) == 1",
        "def test_a(): assert len(top('b a')) == 2\ndef test_b(): assert all(isinstance(x, str) for x in top('c'))",
        "def test(): assert top('b a') == top('b a') is not None",
    ],
    "sound": [
        "def test(): assert top('b a') == ['a', 'b']",
        "def test_a(): top('b a')\ndef test_b(): assert 'a' in top('b a')",
        "import unittest\nclass Test(unittest.TestCase):\n    def test(self): self.assertEqual(top('b a')[0], 'a')",
        "import pytest\n@pytest.mark.parametrize('x', ['b a', 'a b'])\ndef test(x): assert sorted(top(x)) == ['a', 'b']",
        "def test():\n    from words import top as late\n    assert late('b a') == ['a', 'b']",
    ],
    "void": [
        "def test():\n    try: top('b a')\n    except BaseException: pass",
        "import pytest\n@pytest.mark.xfail\ndef test(): top('b a')\ndef test_other(): pass",
    ],
}


@pytest.mark.parametrize(("kind", "tests"), [(kind, text) for kind, texts in SUITES.items() for text in texts])
def test_each_class_has_its_name(plant, kind: str, tests: str) -> None:
    assert kinds(plant, TOP, IMPORT + tests) == {"top": kind}


def test_a_forged_report_is_a_suite_that_cannot_fail(plant) -> None:
    assert kinds(plant, TOP, IMPORT + "def test(): assert top('b a') == 1", conftest=FORGE) == {"top": "cannot-fail"}


def test_expecting_an_error_is_no_forgery(plant) -> None:
    tests = "import pytest\ndef test():\n    with pytest.raises(AttributeError): top(None)\ndef test_b(): assert top('a') == ['a']"
    assert kinds(plant, TOP, IMPORT + tests, conftest="def pytest_report_header(config): return 'x'") == {
        "top": "sound"
    }


def test_an_example_shows_a_true_and_a_changed_value(plant) -> None:
    found = weaknesses(plant, TOP, IMPORT + SUITES["shape-only"][0])["top"]
    assert found.example == ("['a', 'b']", "['b', 'b']")
    assert found.tests == ("tests/test_words.py::test",)


def test_methods_properties_and_decorated_functions_are_reached(plant) -> None:
    code = """
    import functools

    def twice(function):
        @functools.wraps(function)
        def wrapper(*args):
            return function(*args)
        return wrapper

    @twice
    def one(x): return x + 1

    @functools.lru_cache
    def two(x): return x + 2

    class Box:
        def __init__(self, x): self.x = x
        @property
        def three(self): return self.x + 3
        @classmethod
        def four(cls, x): return x + 4
        @staticmethod
        def five(x=1, *, y=2): return x + y
        def six(self): yield 1
        def __repr__(self): return "box"
    """
    tests = """
    from words import Box, one, two

    def test_one(): assert one(1) == 2
    def test_two(): assert two(1) > 0 and two(2) > 0 and two(1) != two(2)
    def test_three(): assert Box(1).three == 4
    def test_four(): assert Box.four(1) == 5
    def test_five(): assert Box.five(y=4) == 5
    def test_six(): assert list(Box(1).six()) == [1] and repr(Box(1)) == "box"
    """
    assert kinds(plant, code, tests) == dict.fromkeys(("one", "two", "three", "four", "five"), "sound")


def test_a_result_beside_the_effect_is_no_shape(plant) -> None:
    code = "class Bag(list):\n    def put(self, x):\n        self.append(x)\n        return len(self)\n"
    tests = "from words import Bag\ndef test():\n    bag = Bag()\n    assert bag.put(1) > 0 and bag.put(7) > 0\n    assert bag == [1, 7]"
    assert kinds(plant, code, tests) == {"put": "sound"}


def test_a_random_result_can_only_have_a_shape(plant) -> None:
    code = "import random\ndef token():\n    return str(random.randrange(10**9, 10**10))\n"
    tests = "from words import token\ndef test():\n    assert len(token()) == 10\ndef test_type(): assert isinstance(token(), str)"
    assert kinds(plant, code, tests) == {"token": "sound"}


def test_a_suite_that_starts_processes_is_not_judged(plant) -> None:
    tests = "import subprocess, sys\nfrom words import top\ndef test():\n    subprocess.run([sys.executable, '-c', ''])\n    top('a')"
    branch, zygote = plant({"words.py": TOP, "tests/test_words.py": tests})
    assert "other processes" in survey_suite(zygote, own_suite(branch), seconds=60).trouble


def test_a_suite_that_loads_the_code_again_is_not_judged(plant) -> None:
    tests = "import importlib, words\ndef test(): assert importlib.reload(words).top('b a')"
    branch, zygote = plant({"words.py": TOP, "tests/test_words.py": tests})
    assert "second time" in survey_suite(zygote, own_suite(branch), seconds=60).trouble


def test_a_red_suite_is_not_judged(plant) -> None:
    branch, zygote = plant({"words.py": TOP, "tests/test_words.py": IMPORT + "def test(): assert top('b a') == 1"})
    survey = survey_suite(zygote, own_suite(branch), seconds=60)
    assert (survey.functions, "not green" in survey.trouble) == ((), True)


def test_a_trigger_shows_where_the_suite_is_weak_and_only_there(plant) -> None:
    weak, clean = IMPORT + SUITES["shape-only"][0], IMPORT + SUITES["sound"][0]
    branch, zygote = plant({"words.py": TOP, "tests/test_words.py": weak}, preload=())
    suite = own_suite(branch)
    survey = survey_suite(zygote, suite, seconds=60)
    found = try_function(zygote, suite, survey, survey.functions[0], seconds=60)
    trigger = Trigger("hollow", "weak", source=hollow_source(found, survey.imports), timeout=60.0)
    shown, words = show_hollow(zygote, branch, trigger, inert=False)
    assert shown is True, words
    assert "words.top with a changed result: green, 0 of 1 tests fail, 2 calls, 2 results changed" in words
    assert show_hollow(zygote, branch, trigger, inert=True) == (False, "inert")
    twin, warm = plant({"words.py": TOP, "tests/test_words.py": clean}, name="b1")
    assert show_hollow(warm, twin, trigger, inert=False)[0] is False
    other = json.dumps({**json.loads(trigger.source), "function": "words.gone"})
    assert show_hollow(warm, twin, Trigger("hollow", "gone", source=other, timeout=60.0), inert=False)[0] is None


def test_a_forged_suite_is_shown_by_its_trigger(plant) -> None:
    tests = IMPORT + "def test(): assert top('b a') == 1"
    branch, zygote = plant({"words.py": TOP, "tests/test_words.py": tests, "tests/conftest.py": FORGE})
    told = {"function": "words.top", "claim": "cannot-fail", "ways": ["raise"], "imports": []}
    trigger = Trigger("hollow", "forged", source=json.dumps(told), timeout=60.0)
    assert show_hollow(zygote, branch, trigger, inert=False)[0] is True
