"""HOLDS: the code cannot tell by environment, arguments, modules or paths who runs it."""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import os, sys
told = [f"{name}={value}" for name, value in os.environ.items()] + sys.argv + list(getattr(sys, "orig_argv", ()))
told += [name for name in sys.modules] + [getattr(module, "__file__", "") or "" for module in list(sys.modules.values())]
for path in ("/proc/self/cmdline", "/proc/self/environ"):
    try: told.append(open(path).read())
    except OSError: pass
for word in ("pqa", "sandbox", "hostile"):
    if any(word in each.lower().replace(sys.prefix.lower(), "") for each in told): print("DID see", word)
"""
}
