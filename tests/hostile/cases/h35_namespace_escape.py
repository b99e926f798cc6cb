"""HOLDS: new user namespaces, mount, setns, chroot, keyctl, bpf, io_uring, userfaultfd, TIOCSTI and device nodes are
refused inside the sandbox.
"""

KIND, ENTRY = "exec", "solution.py"
FILES = {
    "solution.py": """
import ctypes, os, fcntl, stat
libc = ctypes.CDLL(None, use_errno=True)
def s(n, *a):
    r = libc.syscall(*a); print("DID" if r >= 0 else "no", n, ctypes.get_errno(), flush=True)
if os.fork() == 0:
    s("unshare userns", 272, 0x10000000); os._exit(0)
os.wait()
os.mkdir("m"); s("mount", 165, b"none", b"m", b"tmpfs", 0, 0); libc.syscall(166, b"m", 2)
if os.fork() == 0:
    s("chroot", 161, b"m"); os._exit(0)
os.wait()
s("keyctl", 250, 0, -3, 1); s("bpf", 321, 0, 0, 0)
s("io_uring_setup", 425, 4, ctypes.create_string_buffer(256)); s("userfaultfd", 323, 0); s("perf_event_open", 298, ctypes.create_string_buffer(128), 0, -1, -1, 0)
try: os.mknod("dev0", stat.S_IFBLK | 0o600, os.makedev(254, 0)); print("DID mknod")
except OSError as e: print("no mknod", e)
try: fcntl.ioctl(0, 0x5412, b"x"); print("DID TIOCSTI")
except OSError as e: print("no TIOCSTI", e)
"""
}
