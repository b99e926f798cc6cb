"""HOLDS: branch b1 can neither read nor change branch b2 (no copying of a rival's answer, no sabotage of it), nor the
ledger.
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
for p in ("../b2/solution.py", "@ROOT@/branches/b2/solution.py", "@ROOT@/ledger.sqlite"):
    try: print("DID read", open(p, "rb").read(80))
    except OSError as e: print("no", e)
    try: open(p, "ab").write(b"# sabotage PWNED"); print("DID write", p)
    except OSError as e: print("no", e)
"""
}
