"""Job: what is run in a sandbox, in which interpreter, on which code, within which limits, and what came back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pqa.core.trigger import Json

MIB = 1 << 20


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of one job; seconds and bytes. Files may tighten them, never loosen."""

    cpu_seconds: int = 60
    memory_bytes: int = 1024 * MIB
    processes: int = 64
    file_bytes: int = 32 * MIB
    disk_bytes: int = 256 * MIB
    open_files: int = 256
    output_bytes: int = MIB
    record_bytes: int = 16 * MIB
    record_line_bytes: int = MIB


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A trusted Python outside all branches: `prefixes` must be readable inside, `extra_paths` are appended to
    sys.path (pqa's own pytest for an environment of the same minor version that has none)."""

    executable: str
    version: tuple[int, int, int]
    prefixes: tuple[str, ...]
    has_pytest: bool = False
    has_coverage: bool = False
    extra_paths: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Mount:
    """A host path that the guest may read at `target`."""

    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Guest:
    """Whose code runs: the snapshot (seen read-only as `/src`), the interpreter, further read-only mounts."""

    snapshot: str
    interpreter: Interpreter
    import_roots: tuple[str, ...] = ("",)
    mounts: tuple[Mount, ...] = ()
    preload: tuple[str, ...] = ()
    hash_seed: int = 0
    limits: Limits = field(default_factory=Limits)


@dataclass(frozen=True, slots=True)
class JobResult:
    """What the parent saw of one job. `records` are the guest's claims, one dict a line, without the start and
    end records; `complete` is true only when both of those were seen and the process ended by itself with 0."""

    records: tuple[Mapping[str, Json], ...] = ()
    complete: bool = False
    exit_code: int | None = None
    signal: int | None = None
    timed_out: bool = False
    truncated: bool = False
    output: str = ""
    cpu_seconds: float = 0.0
    lost: str = ""

    @property
    def trouble(self) -> str:
        """In words, why the job does not count; "" when it does."""
        if self.lost:
            return self.lost
        if self.timed_out:
            return "it ran past its time limit"
        if self.signal is not None:
            return f"it was ended by signal {self.signal}"
        if self.truncated:
            return "it wrote more records than allowed"
        if not self.complete:
            return f"it ended without its end record (exit status {self.exit_code})"
        return ""


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What the parent saw of one command line run in the sandbox; `errors` only where it was given an input."""

    exit_code: int | None
    output: str
    timed_out: bool = False
    truncated: bool = False
    lost: str = ""
    errors: str = ""


@dataclass(frozen=True, slots=True)
class ProbeCheck:
    """One line of the self-probe: what was tried, whether it holds inside, and the fix when it does not."""

    name: str
    holds: bool
    tried: str
    answer: str
    fix: str = ""
