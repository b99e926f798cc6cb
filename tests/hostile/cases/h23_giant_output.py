"""HOLDS: 64 MiB on one line of stdout, and as much on stderr, are drained, cut at the limit and marked 'truncated'; the
harness's memory stays flat and the run does not block.
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os
for i in range(64):
    for fd in (1, 2):
        try: os.write(fd, b"A" * (1 << 20))
        except OSError: raise SystemExit(3)
"""
}
