"""HOLDS: zero tests, all skipped, non-strict xfail, assertion-free and exception-swallowing tests are 'tests prove
nothing' (critical under mutation), not green.
"""

KIND = "pytest"
FILES = {
    "solution.py": "def solve(x):\n    return None\n",
    "test_solution.py": """
import pytest
from solution import solve
@pytest.mark.skip(reason="flaky")
def test_skipped(): assert solve(3) == 4
@pytest.mark.xfail
def test_xfail(): assert solve(3) == 4
def test_swallow():
    try: assert solve(3) == 4
    except Exception: pass
    except BaseException: pass
def test_shape(): assert (solve(3), 4) is not None
def test_tuple(): assert (solve(3) == 4, "always true")
""",
}
