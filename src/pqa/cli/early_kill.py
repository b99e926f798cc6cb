"""pqa early-kill: run the project's static checks on every branch; what fails is dead before any attack."""

from __future__ import annotations

from pqa.cli.collide import Base, Branches, Json, Python, Refs, Task, Unsafe
from pqa.cli.stage_run import STATUS, start

EPILOG = (
    """\b
Examples:
  pqa early-kill                     every branch in .pqa/branches/
  pqa early-kill work/a work/b --json -

"""
    + STATUS
)


def early_kill(
    branches: Branches = None,
    task: Task = None,
    refs: Refs = None,
    base: Base = None,
    json: Json = None,
    python: Python = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Run the static checks only, and keep the run."""
    words = {"task": task, "base": base, "refs": tuple(refs or ()), "unsafe_no_sandbox": unsafe_no_sandbox}
    start("early-kill", branches, json, {"python": python}, **words)
