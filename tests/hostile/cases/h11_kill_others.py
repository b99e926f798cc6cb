"""HOLDS: no process outside the sandbox can be signalled, traced or read (decoy pid stays alive); killing the in-sandbox
supervisor gives verdict 'crashed', never 'passed'.
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os, signal
for what in (lambda: os.kill(@PID@, signal.SIGTERM), lambda: os.kill(@PID@, 0), lambda: open("/proc/@PID@/mem", "rb"), lambda: os.readlink("/proc/@PID@/fd/1")):
    try: what(); print("DID")
    except OSError as e: print("no", e)
"""
}
