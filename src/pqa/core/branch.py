"""Branch: one candidate implementation, by path and digest, with its notes and its conviction."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Conviction:
    """How sure the branch's author was (S10): protects from pruning, never from attack."""

    level: str
    basis: str = ""


@dataclass(frozen=True, slots=True)
class Branch:
    """One candidate. `path` is the user's, `snapshot` pqa's read-only copy; `code` and `tests` are relative POSIX paths.

    `import_roots` are folders inside the snapshot ("" is its root) that hold importable modules, in search order.
    """

    branch_id: str
    path: str
    digest: str
    snapshot: str
    code: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    import_roots: tuple[str, ...] = ("",)
    notes: str = ""
    conviction: Conviction | None = None
    topology_axis: str | None = None
    source: str = "dir"
    skipped: tuple[str, ...] = ()
