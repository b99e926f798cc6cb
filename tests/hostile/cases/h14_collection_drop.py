"""HOLDS: tests that vanish between the static count (AST, outside) and the executed count are reported; a suite emptied
or deselected by conftest is not green.
"""

KIND = "pytest"
FILES = {
    "solution.py": "def solve(x):\n    return None\n",
    "test_solution.py": "from solution import solve\ndef test_trivial():\n    assert True\ndef test_a():\n    assert solve(3) == 4\ndef test_b():\n    assert solve(4) == 5\n",
    "conftest.py": "def pytest_collection_modifyitems(session, config, items):\n    items[:] = [i for i in items if 'trivial' in i.name]\n",
}
