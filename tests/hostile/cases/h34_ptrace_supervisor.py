"""HOLDS: the branch can neither trace, read, write nor steal fds of the in-sandbox supervisor or zygote (ptrace,
process_vm_writev, pidfd_getfd, /proc/PID/mem, /proc/PID/fd).
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True); pp = os.getppid()
def t(n, f):
    try: r = f()
    except OSError as e: print("no", n, e); return
    print("DID" if r is None or r >= 0 else "no", n, r, ctypes.get_errno())
if pp:
    t("ptrace attach", lambda: libc.syscall(101, 16902, pp, 0, 0))
    t("proc mem", lambda: os.open("/proc/%d/mem" % pp, os.O_RDWR))
    for fd in range(0, 16):
        if os.path.lexists("/proc/%d/fd/%d" % (pp, fd)): t("proc fd", lambda: os.open("/proc/%d/fd/%d" % (pp, fd), os.O_WRONLY | os.O_NONBLOCK))
    t("pidfd_getfd", lambda: libc.syscall(438, libc.syscall(434, pp, 0), 1, 0))
"""
}
