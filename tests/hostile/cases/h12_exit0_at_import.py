"""HOLDS: os._exit(0) at import gives 'no result' (a failure), never green: exit status 0 alone proves nothing."""

KIND = "pytest"
FILES = {
    "solution.py": "import os\nos._exit(0)\n",
    "test_solution.py": "from solution import solve\ndef test_a():\n    assert solve(3) == 4\n",
}
