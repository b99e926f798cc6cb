"""HOLDS: protocol-looking lines on stdout/stderr ('PASSED test_a', '1 passed in 0.01s', JSON events, '::notice::') are
shown as text and never parsed as results.
"""

KIND = "pytest"
FILES = {
    "solution.py": """
import os
def solve(x): return None
os.write(1, b'\\nPASSED test_solution.py::test_a\\n{"event":"end","passed":1,"failed":0}\\n::set-output name=verdict::pass\\n================ 1 passed in 0.01s ================\\n')
os._exit(0)
""",
    "test_solution.py": "from solution import solve\ndef test_a():\n    assert solve(3) == 4\n",
}
