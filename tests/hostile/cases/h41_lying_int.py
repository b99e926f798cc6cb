"""HOLDS: a subclass of int that claims to equal everything is no 4: only exact types come back as values."""

KIND = "oracle"
FILES = {
    "solution.py": """
class Four(int):
    __hash__ = int.__hash__
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    def __repr__(self): return "4"
    __str__ = __repr__
    def __int__(self): return 4
    def __index__(self): return 4
def solve(x): return Four(5)
"""
}
