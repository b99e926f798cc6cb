"""HOLDS: code that ends every process with 3 is 'could not check', never 'not shown'."""

KIND = "trigger"
FILES = {"solution.py": "import os\n\n\ndef solve(x):\n    os._exit(3)\n"}
TRIGGER = {
    "kind": "observation",
    "claim": "solve(3) is not 4",
    "calls": ({"on": None, "call": "solution.solve", "args": [3], "kwargs": {}},),
    "expect": {"values": [4]},
}
RIGHT = ("could-not-check",)
DISCOUNTED = None
