"""HOLDS: no file outside the branch's scratch is created, changed, chmod-ed or removed (canary, sibling branch, home,
/tmp, site-packages).
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os, sys, sysconfig
for p in ("@ROOT@/outside/canary.txt", "../../outside/canary.txt", "../b2/solution.py", "@HOME@/.bashrc", "@ROOT@/outside/new.txt", os.path.join(sysconfig.get_paths()["purelib"], "pqa_hostile_probe.pth")):
    for act in (lambda: open(p, "a").write("PWNED"), lambda: os.chmod(p, 0o777), lambda: os.utime(p, (1, 1)), lambda: os.truncate(p, 0)):
        try: act(); print("DID", p)
        except OSError as e: print("no", p, e)
"""
}
