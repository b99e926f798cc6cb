"""HOLDS: links that a job leaves in its folders lead the clean-up nowhere."""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os, tempfile
for folder in (".", tempfile.gettempdir(), os.path.expanduser("~")):
    for target in ("@ROOT@/outside", "@ROOT@/outside/canary.txt", "@HOME@", "/"):
        try:
            os.symlink(target, os.path.join(folder, "link" + str(abs(hash(target)))))
        except OSError as error:
            print("no", error)
os.makedirs("a/b")
os.rename("a", "c")
os.symlink("@ROOT@/outside", "a")
"""
}
