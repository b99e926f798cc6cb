"""What runs inside the sandbox, in the branch's interpreter: standard library only, Python 3.9 and newer, imported by nobody."""
