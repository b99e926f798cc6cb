"""HOLDS: the tool, walking, hashing, copying or quoting the branch from outside, never follows a symlink out of it,
never blocks on a fifo, never recurses for ever.
"""

KIND = "tree"
FILES = {"solution.py": "def solve(x): return x + 1\n"}
SETUP = {
    "symlinks": {
        "notes.md": "@HOME@/.ssh/id_decoy",
        "data": "@HOME@",
        "loop": ".",
        "test_ghost.py": "/proc/self/environ",
    },
    "fifos": ["test_fifo.py"],
    "hardlinks": {"hard.txt": "@ROOT@/outside/canary.txt"},
}
