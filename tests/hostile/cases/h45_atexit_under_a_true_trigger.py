"""HOLDS: an exit with 0 from atexit never turns a true trigger into 'not shown'."""

KIND = "trigger"
FILES = {"solution.py": "import atexit, os\natexit.register(os._exit, 0)\n\n\ndef solve(x):\n    return None\n"}
PROGRAM = "import sys\nfrom solution import solve\nsys.exit(10 if solve(3) != 4 else 0)\n"
TRIGGER = {"kind": "program", "claim": "solve(3) is not 4", "source": PROGRAM}
RIGHT = ("shown", "could-not-check")
DISCOUNTED = None
