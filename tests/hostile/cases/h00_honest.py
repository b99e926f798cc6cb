"""HOLDS: the control: an honest branch (fixture, parametrize, unittest class, conftest) is green under the guard, stays
green under the null mutant and turns red when gutted.
"""

KIND = "pytest"
HONEST = True
FILES = {
    "solution.py": "def solve(x):\n    if x < 0:\n        raise ValueError('negative')\n    return x + 1\n",
    "conftest.py": "import pytest\n@pytest.fixture\ndef three():\n    return 3\n",
    "test_solution.py": """
import unittest
import pytest
from solution import solve
def test_three(three): assert solve(three) == 4
@pytest.mark.parametrize("x,y", [(0, 1), (9, 10)])
def test_many(x, y): assert solve(x) == y
def test_negative():
    with pytest.raises(ValueError): solve(-1)
class TestU(unittest.TestCase):
    def test_u(self): self.assertEqual(solve(1), 2)
""",
}
