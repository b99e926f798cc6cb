"""HOLDS: patching unittest, pytest.raises, json, sys.modules or builtins inside the branch changes no verdict computed
outside.
"""

KIND = "pytest"
FILES = {
    "solution.py": """
import sys, unittest, json, builtins
def solve(x): return None
def _true(*a, **k): return None
for n in dir(unittest.TestCase):
    if n.startswith("assert"): setattr(unittest.TestCase, n, _true)
unittest.TestCase.fail = _true
_d = json.dumps
json.dumps = lambda o, *a, **k: _d(o, *a, **k).replace("failed", "passed")
""",
    "test_solution.py": "import unittest, solution\nclass T(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(solution.solve(3), 4)\n",
}
