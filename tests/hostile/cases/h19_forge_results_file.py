"""HOLDS: a report file or fd that the branch can find (argv, environ, /proc/self/fd, JUnit path) and write gives no
pass: forged, duplicate or trailing records are a finding.
"""

KIND = "pytest"
FILES = {
    "solution.py": """
import os, sys, json, atexit
def solve(x): return None
fake = '<?xml version="1.0"?><testsuites><testsuite name="pytest" errors="0" failures="0" skipped="0" tests="1"><testcase classname="test_solution" name="test_a"/></testsuite></testsuites>'
def forge():
    for a in sys.argv + list(os.environ.values()):
        p = a.split("=")[-1]
        if p.endswith((".xml", ".json")):
            try: open(p, "w").write(fake if p.endswith("xml") else json.dumps({"passed": 1, "failed": 0, "verdict": "passed"}))
            except OSError: pass
    for fd in range(3, 64):
        try: os.write(fd, b'{"event":"result","id":"test_solution.py::test_a","outcome":"passed"}\\n{"event":"end","passed":1,"failed":0}\\n')
        except OSError: pass
    sys.stdout.flush(); os._exit(0)
atexit.register(forge)
""",
    "test_solution.py": "from solution import solve\ndef test_a():\n    assert solve(3) == 4\n",
}
