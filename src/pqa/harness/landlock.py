"""Landlock: what a trial may write, and a wall between it and the processes outside its own trial."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 444, 445, 446
ASK_VERSION, PATH_BENEATH, PR_SET_NO_NEW_PRIVS = 1, 1, 38
EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
TRUNCATE, IOCTL_DEV = 1 << 14, 1 << 15
READING = EXECUTE | READ_FILE | READ_DIR
OF_FILES = EXECUTE | WRITE_FILE | READ_FILE | TRUNCATE | IOCTL_DEV
RIGHTS_BY_VERSION = {1: 13, 2: 14, 3: 15, 4: 15}  # newer: 16 rights
SCOPE_SOCKETS_AND_SIGNALS = 3


class Refused(OSError):
    """The kernel would not take a step."""


class Landlock:
    """One ruleset, built before the fork and entered after it."""

    def __init__(self) -> None:
        self.libc = ctypes.CDLL(None, use_errno=True)
        self.libc.syscall.restype = ctypes.c_long
        self.version = int(self.libc.syscall(CREATE_RULESET, None, ctypes.c_size_t(0), ASK_VERSION))

    def missing(self) -> str:
        """Why the kernel gives less than is wanted; "" when it gives all."""
        if self.version < 1:
            return "landlock is not available"
        if self.version < 6:
            return f"landlock version {self.version} cannot fence off signals"
        return ""

    def enter(self, readable: Iterable[str], writable: Iterable[str]) -> None:
        """Confine this process and its descendants; networking stays as the namespace has it."""
        rights = (1 << RIGHTS_BY_VERSION.get(self.version, 16)) - 1
        attributes = struct.pack("=Q", rights)
        if self.version >= 6:
            attributes += struct.pack("=QQ", 0, SCOPE_SOCKETS_AND_SIGNALS)
        ruleset = self._call(CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
        try:
            for path in readable:
                self._allow(ruleset, path, rights & READING)
            for path in writable:
                self._allow(ruleset, path, rights)
            if self.libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0):
                raise Refused(ctypes.get_errno(), "no_new_privs")
            self._call(RESTRICT_SELF, ctypes.c_int(ruleset), 0)
        finally:
            os.close(ruleset)

    def _allow(self, ruleset: int, path: str, rights: int) -> None:
        try:
            place = os.open(path, os.O_PATH | os.O_CLOEXEC)
        except FileNotFoundError:
            return
        try:
            if not os.path.isdir(path):
                rights &= OF_FILES
            rule = struct.pack("=Qi", rights, place)
            self._call(ADD_RULE, ctypes.c_int(ruleset), PATH_BENEATH, rule, 0)
        finally:
            os.close(place)

    def _call(self, number: int, *arguments: object) -> int:
        result = int(self.libc.syscall(number, *arguments))
        if result < 0:
            raise Refused(ctypes.get_errno(), f"landlock call {number}")
        return result
