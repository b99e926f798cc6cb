"""HOLDS: the scratch directory has a total quota (many small files beat RLIMIT_FSIZE), the host loses at most that much,
and clean-up removes all (bounded: 256 MiB).
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
n = 0
try:
    for i in range(256):
        with open("fill%03d.bin" % i, "wb") as f: n += f.write(b"x" * (1 << 20))
    print("DID MiB", n >> 20)
except OSError as e: print("no stopped at", n >> 20, e)
"""
}
