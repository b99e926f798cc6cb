"""A missing test is green on the original and red on the change, also where the change shows in an argument alone."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from pqa.instruments.hollow import own_suite
from pqa.instruments.missing_test import in_words, missing_test
from pqa.instruments.mutant_witness import cases_for, find_witness
from pqa.instruments.mutation import Mutation
from pqa.instruments.suite import run_suite

CASES = {
    "an argument by place": (
        "def audit(records, entry):\n    records.append(entry)\n",
        "m.audit([], 'a')\n    m.audit([], 'b')",
        "pass",
        ("given = []", "audit(given, '')", "assert given == ['']"),
        ("None, with its argument left as [''],", "None, with its argument left as []"),
    ),
    "an argument by name": (
        "def count(name, *, seen):\n    seen[name] = 1\n    return 1\n",
        "m.count('a', seen={})\n    m.count('b', seen={'a': 1})",
        "pass",
        ("given = {}", "count('', seen=given)", "assert given == {'': 1}"),
        ("1, with its argument left as {'': 1},", "1, with its argument left as {}"),
    ),
    "an answer": (
        "def same(n):\n    return n + 1\n",
        "m.same(3)\n    m.same(4)",
        "return n - 1",
        ("assert same(3) == 4",),
        ("4", "2"),
    ),
}


def run(folder: Path, code: str, test: str) -> int:
    (folder / "m.py").write_text(code, encoding="utf-8")
    (folder / "test_m.py").write_text(test, encoding="utf-8")
    command = [sys.executable, "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir=.", "test_m.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False, env={"PYTHONPATH": "."}).returncode


@pytest.mark.parametrize("kind", list(CASES))
def test_missing_test_is_green_on_the_original_and_red_on_the_change(plant, tmp_path: Path, kind: str) -> None:
    code, calls, after, lines, words = CASES[kind]
    branch, zygote = plant({"m.py": code, "tests/test_m.py": f"import m\n\ndef test_m():\n    {calls}\n"})
    recording = run_suite(zygote, branch.tests, code=branch.code, record=True, seconds=60).recording
    with Mutation(zygote, own_suite(branch), seconds=300) as mutation:
        mutant = next(one for one in mutation.mutants() if one.after == after)
        changed = mutation.source(mutant.number)
    witness = find_witness(zygote, mutant, cases_for(mutant, [recording], 0))
    assert witness is not None
    text = missing_test(witness, mutant.function)

    assert tuple(text.split("\n\n\n")[1].replace("    ", "").splitlines()[1:]) == lines
    assert in_words(witness) == words
    assert run(tmp_path, code, text) == 0
    assert run(tmp_path, changed, text) == 1
