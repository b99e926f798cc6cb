"""HOLDS: control characters (ESC, CSI, OSC 0/8/52, CR, BEL, C1, bidi overrides) from names, messages and findings reach
a terminal, a log or Markdown only in escaped form.
"""

KIND = "render"
FILES = {
    "solution.py": "def solve(x):\n    raise ValueError('\\x1b[2J\\x1b]0;owned\\x07\\x1b]52;c;cHduZWQ=\\x07\\rPASSED \\u202egnp.exe \\x9b31m')\n",
    "test_solution.py": "import pytest, solution\n@pytest.mark.parametrize('x', ['\\x1b[32mPASSED\\x1b[0m\\r\\n1 passed'])\ndef test_a(x):\n    solution.solve(x)\n",
}
STRINGS = [
    "\x1b[2J\x1b[1;1H all clear",
    "\x1b]8;;http://127.0.0.1/\x07click\x1b]8;;\x07",
    "\x1b]52;c;cHduZWQ=\x07",
    "\rPASSED",
    "a\u202eb\u2066c",
    "\x9b31m",
    "x\ny: 0 findings",
]
