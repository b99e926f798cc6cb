"""Seccomp: the system calls that no branch needs are answered with EPERM; a second line behind the namespaces."""

from __future__ import annotations

import ctypes
import platform
import struct

PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS, SECCOMP_MODE_FILTER = 22, 38, 2
LOAD, EQUAL, AT_LEAST, ANY_BIT, RETURN, MASK = 0x20, 0x15, 0x35, 0x45, 0x06, 0x54
ALLOW, KILL, ERROR = 0x7FFF0000, 0x80000000, 0x00050000
EPERM, ENOSYS = 1, 38
NUMBER, ARCHITECTURE, ARGUMENTS = 0, 4, 16
X32_BIT = 0x40000000
FAMILIES = (1, 2, 10)  # AF_UNIX, AF_INET, AF_INET6
ONE_STREAM = 1  # SOCK_STREAM: a pair of it cannot be turned to another address
TERMINAL_INPUT = (0x5412, 0x541C)  # TIOCSTI, TIOCLINUX
NAMESPACE_FLAGS = 0x7E020000  # mount, cgroup, uts, ipc, user, pid, net

# Numbers that are the same everywhere, then (x86-64, aarch64).
SHARED = {
    "pidfd_getfd": 438,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "fspick": 433,
    "process_madvise": 440,
    "mount_setattr": 442,
    "memfd_secret": 447,
}
DENIED = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "kcmp": (312, 272),
    "bpf": (321, 280),
    "userfaultfd": (323, 282),
    "perf_event_open": (298, 241),
    "fanotify_init": (300, 262),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "unshare": (272, 97),
    "setns": (308, 268),
    "kexec_load": (246, 104),
    "kexec_file_load": (320, 294),
    "init_module": (175, 105),
    "finit_module": (313, 273),
    "delete_module": (176, 106),
    "swapon": (167, 224),
    "swapoff": (168, 225),
    "reboot": (169, 142),
    "acct": (163, 89),
    "quotactl": (179, 60),
    "syslog": (103, 116),
    "vhangup": (153, 58),
    "settimeofday": (164, 170),
    "clock_settime": (227, 112),
    "clock_adjtime": (305, 266),
    "adjtimex": (159, 171),
    "sethostname": (170, 161),
    "setdomainname": (171, 162),
    "move_pages": (279, 239),
    "migrate_pages": (256, 238),
    "name_to_handle_at": (303, 264),
    "open_by_handle_at": (304, 265),
    "personality": (135, 92),
}
HIDDEN_MEMORY = {"memfd_create": (319, 279), "shmget": (29, 194)}
# Without namespaces also refused: what changes files by their name's owner and dates, what all processes share, and
# what reaches other processes of the same user. A missing number is a call that the machine does not have.
SHARED_WITHOUT_NAMESPACES = {"fchmodat2": 452, "setxattrat": 463, "removexattrat": 466, "file_setattr": 469}
WITHOUT_NAMESPACES = {
    "chmod": (90, None),
    "fchmod": (91, 52),
    "fchmodat": (268, 53),
    "chown": (92, None),
    "fchown": (93, 55),
    "lchown": (94, None),
    "fchownat": (260, 54),
    "utime": (132, None),
    "utimes": (235, None),
    "futimesat": (261, None),
    "utimensat": (280, 88),
    "setxattr": (188, 5),
    "lsetxattr": (189, 6),
    "fsetxattr": (190, 7),
    "removexattr": (197, 14),
    "lremovexattr": (198, 15),
    "fremovexattr": (199, 16),
    "shmget": (29, 194),
    "shmat": (30, 196),
    "shmctl": (31, 195),
    "msgget": (68, 186),
    "msgsnd": (69, 189),
    "msgrcv": (70, 188),
    "msgctl": (71, 187),
    "semget": (64, 190),
    "semop": (65, 193),
    "semtimedop": (220, 192),
    "semctl": (66, 191),
    "mq_open": (240, 180),
    "mq_unlink": (241, 181),
    "inotify_add_watch": (254, 27),
    "connect": (42, 203),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setaffinity": (203, 122),
    "sched_setattr": (314, 274),
    "ioprio_set": (251, 30),
}
X86_ONLY = {"modify_ldt": 154, "iopl": 172, "ioperm": 173}
MACHINES = {
    "x86_64": (
        0,
        0xC000003E,
        {"clone": 56, "clone3": 435, "ioctl": 16, "socket": 41, "socketpair": 53, "prlimit": 302},
    ),
    "aarch64": (
        1,
        0xC00000B7,
        {"clone": 220, "clone3": 435, "ioctl": 29, "socket": 198, "socketpair": 199, "prlimit": 261},
    ),
}


def instruction(code: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    """One instruction of the classic packet filter machine."""
    return struct.pack("=HBBI", code, yes, no, value & 0xFFFFFFFF)


def when_equal(value: int, body: list[bytes]) -> list[bytes]:
    """`body`, skipped unless the accumulator is `value`; a body ends in a return."""
    return [instruction(EQUAL, value, 0, len(body)), *body]


def answer(verdict: int) -> bytes:
    """Return from the filter with `verdict`."""
    return instruction(RETURN, verdict)


def argument(index: int) -> bytes:
    """Load the low half of a system call's argument; both machines are little-endian."""
    return instruction(LOAD, ARGUMENTS + 8 * index)


def without_namespaces(column: int) -> list[int]:
    """The further numbers that are refused where no namespace stands in front."""
    pairs = [pair[column] for pair in WITHOUT_NAMESPACES.values()]
    return [*SHARED_WITHOUT_NAMESPACES.values(), *(number for number in pairs if number is not None)]


def sockets(special: dict[str, int], *, bare: bool) -> list[bytes]:
    """Which sockets can be made: of three families; where there is no namespace, only pairs joined to each other."""
    refuse, allow = answer(ERROR | EPERM), answer(ALLOW)
    if bare:
        stream = [argument(1), instruction(MASK, 0xF), *when_equal(ONE_STREAM, [allow]), refuse]
        pair = [argument(0), *when_equal(FAMILIES[0], stream), refuse]
        other = [argument(0), *when_equal(0, [allow]), refuse]  # limits of other processes
        calls = {"socket": [refuse], "socketpair": pair, "prlimit": other}
    else:
        families = [line for family in FAMILIES for line in when_equal(family, [allow])]
        calls = {name: [argument(0), *families, refuse] for name in ("socket", "socketpair")}
    return [line for name, body in calls.items() for line in when_equal(special[name], body)]


def build_filter(machine: str, *, hidden_memory: bool, bare: bool = False) -> bytes:
    """The whole program for one machine; `hidden_memory` permits memory that no limit but a cgroup sees, `bare` is for a
    process that no namespace confines."""
    column, architecture, special = MACHINES[machine]
    refuse, allow = answer(ERROR | EPERM), answer(ALLOW)
    program = [instruction(LOAD, ARCHITECTURE), instruction(EQUAL, architecture, 1, 0), answer(KILL)]
    program.append(instruction(LOAD, NUMBER))
    numbers = [*SHARED.values(), *(pair[column] for pair in DENIED.values())]
    if machine == "x86_64":
        program += [instruction(AT_LEAST, X32_BIT, 0, 1), answer(KILL)]
        numbers += X86_ONLY.values()
    if not hidden_memory:
        numbers += [pair[column] for pair in HIDDEN_MEMORY.values()]
    if bare:
        numbers += without_namespaces(column)
    program += when_equal(special["clone3"], [answer(ERROR | ENOSYS)])
    for number in numbers:
        program += when_equal(number, [refuse])
    program += sockets(special, bare=bare)
    program += when_equal(special["clone"], [argument(0), instruction(ANY_BIT, NAMESPACE_FLAGS, 0, 1), refuse, allow])
    requests = [line for request in TERMINAL_INPUT for line in when_equal(request, [refuse])]
    program += when_equal(special["ioctl"], [argument(1), *requests, allow])
    return b"".join([*program, allow])


def restrict_system_calls(*, hidden_memory: bool = True, bare: bool = False) -> str:
    """Install the filter for this process and all that it starts; "" or the reason why not."""
    machine = platform.machine()
    if machine not in MACHINES:
        return f"no system call table for {machine}"
    code = build_filter(machine, hidden_memory=hidden_memory, bare=bare)
    text = ctypes.create_string_buffer(code, len(code))
    program = ctypes.create_string_buffer(struct.pack("@HP", len(code) // 8, ctypes.addressof(text)))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
        return f"no_new_privs refused, errno {ctypes.get_errno()}"
    if libc.prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0):
        return f"seccomp refused, errno {ctypes.get_errno()}"
    return ""
