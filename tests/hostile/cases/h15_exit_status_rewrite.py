"""HOLDS: sessionfinish, atexit and sys.exit tricks that turn a failing run's exit status into 0 do not give green
(status and record must agree).
"""

KIND = "pytest"
FILES = {
    "solution.py": "def solve(x):\n    return None\n",
    "test_solution.py": "from solution import solve\ndef test_a():\n    assert solve(3) == 4\n",
    "conftest.py": """
import atexit, os
atexit.register(os._exit, 0)
def pytest_sessionfinish(session, exitstatus):
    session.exitstatus = 0
""",
}
