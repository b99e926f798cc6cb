"""HOLDS: the process is stopped at the memory limit (MemoryError or OOM kill), the harness and the other branches live
on (bounded: 1 GiB).
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
x = []
try:
    for i in range(64): x.append(bytearray(b"x") * (16 << 20))
    print("DID MiB", 16 * len(x))
except MemoryError: print("no stopped at MiB", 16 * len(x))
"""
}
