"""HOLDS: tests that detect mutation by hashing the source (killing every mutant without testing a value) are exposed by
a null mutant: a comment-only change must survive.
"""

KIND = "pytest"
FILES = {
    "solution.py": "def solve(x):\n    return None\n",
    "test_solution.py": "import ast, hashlib, pathlib, solution\ndef test_a():\n    src = pathlib.Path(solution.__file__).read_bytes()\n    assert len(src) == 30 and solution.solve(3) is None\n",
}
