"""HOLDS: an object whose __eq__ always says True is unequal to 4: the oracle compares plain re-built values (exact type
and content), never the branch's objects.
"""

KIND = "oracle"
FILES = {
    "solution.py": """
class Any:
    def __eq__(self, o): return True
    def __ne__(self, o): return False
    def __bool__(self): return True
    def __hash__(self): return hash(4)
    def __repr__(self): return "4"
    def __len__(self): return 4
def solve(x): return Any()
"""
}
