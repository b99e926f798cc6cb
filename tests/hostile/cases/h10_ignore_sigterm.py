"""HOLDS: a run that ignores every catchable signal and daemonises itself is dead by deadline + 1 s, daemon included
(self-limit 30 s).
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os, signal, time
for s in range(1, 32):
    try: signal.signal(s, signal.SIG_IGN)
    except (OSError, ValueError): pass
end = time.time() + 30
if os.fork() == 0:
    os.setsid()
    if os.fork(): os._exit(0)
print("looping", flush=True)
while time.time() < end: pass
print("DID outlive")
"""
}
