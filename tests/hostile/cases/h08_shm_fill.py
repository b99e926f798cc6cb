"""HOLDS: memory-backed files (/dev/shm, /tmp tmpfs, memfd, shared mmap) count against a limit too: RLIMIT_AS alone does
not stop them (bounded: 256 MiB each).
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os
def fill(name, fd):
    n = 0
    try:
        for i in range(256): n += os.write(fd, b"x" * (1 << 20))
        print("DID", name, n >> 20)
    except OSError as e: print("no", name, n >> 20, e)
for d in ("/dev/shm", "/tmp", os.environ.get("HOME", "/nonexistent")):
    try:
        p = d + "/pqa_fill"; fill(d, os.open(p, os.O_CREAT | os.O_WRONLY)); os.unlink(p)
    except OSError as e: print("no", d, e)
fill("memfd", os.memfd_create("pqa"))
"""
}
