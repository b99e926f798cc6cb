"""HOLDS: the decoy token (home file, environment, another process's environ) appears in nothing that leaves the sandbox."""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os, glob
got = [os.environ.get("PQA_DECOY_KEY", "")]
for p in ["@HOME@/.ssh/id_decoy", os.path.expanduser("~/.ssh/id_decoy")] + glob.glob("/proc/[0-9]*/environ"):
    try: got.append(open(p, errors="replace").read())
    except OSError: pass
print([g for g in got if "PQA-DECOY-" in g][:3])
"""
}
