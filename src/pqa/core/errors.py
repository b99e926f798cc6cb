"""Errors that a user can meet: each says what was wrong, the next step, and carries its exit code."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """What the process says when it ends (DESIGN section 8)."""

    SURVIVOR = 0
    NO_SURVIVOR = 1
    USAGE = 2
    NO_SANDBOX = 3
    ADVERSARY_FAILED = 4
    NOTHING_TO_ATTACK = 5
    INTERRUPTED = 130


PRECEDENCE = (
    ExitCode.INTERRUPTED,
    ExitCode.USAGE,
    ExitCode.NO_SANDBOX,
    ExitCode.NOTHING_TO_ATTACK,
    ExitCode.ADVERSARY_FAILED,
    ExitCode.NO_SURVIVOR,
    ExitCode.SURVIVOR,
)


class PqaError(Exception):
    """Something the user can mend; the message names the thing in quotes, `next_step` says what to do."""

    exit_code: ExitCode = ExitCode.USAGE

    def __init__(self, message: str, next_step: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step


class UsageError(PqaError):
    """A bad argument, file or configuration."""


class NothingToAttack(PqaError):
    """There is no branch that any attack can touch."""

    exit_code = ExitCode.NOTHING_TO_ATTACK


class NoSandbox(PqaError):
    """Foreign code cannot be contained on this machine, so none was run."""

    exit_code = ExitCode.NO_SANDBOX


class InternalError(PqaError):
    """A part of pqa itself failed; nothing is claimed about any branch."""

    exit_code = ExitCode.NO_SANDBOX


class FindingError(ValueError):
    """A finding that cannot be scored: unknown severity or branch, or `resolved` that is no boolean."""


class GuestLost(Exception):
    """The sandboxed process tree is gone; what it was asked is 'could not check', never 'clean'."""
