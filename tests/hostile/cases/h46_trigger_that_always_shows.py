"""HOLDS: a trigger that shows whatever the code does is vacuous and counts for nothing."""

KIND = "trigger"
FILES = {"solution.py": "def solve(x):\n    return x + 1\n"}
TRIGGER = {"kind": "program", "claim": "solve is wrong", "source": "import solution, sys\nsys.exit(10)\n"}
RIGHT = ("vacuous",)
DISCOUNTED = True
