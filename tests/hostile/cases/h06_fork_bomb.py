"""HOLDS: forking stops at the pids limit, the run ends by its deadline with verdict 'limit', and no process of it
survives (bounded: 200 forks, 8 s each).
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os, time
n = 0
try:
    for i in range(200):
        if os.fork() == 0:
            os.setsid(); time.sleep(8); os._exit(0)
        n += 1
    print("DID forks", n)
except OSError as e: print("no stopped at", n, e)
"""
}
