"""HOLDS: a conftest that forges only the tests of its own module is exposed by code without bodies."""

KIND = "pytest"
FILES = {
    "solution.py": "def solve(x):\n    return x + 1\n",
    "test_solution.py": "from solution import solve\n\n\ndef test_a():\n    assert solve(3) == 4\n",
    "conftest.py": """
import pytest


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if "solution" in vars(item.module).get("__name__", "") and report.failed:
        report.outcome = "passed"
        report.longrepr = None
""",
}
