"""pqa verify: static checks, then the tests: is each branch green by its own, the locked and the base's suite?"""

from __future__ import annotations

from pqa.cli.collide import Base, Branches, Json, Python, Refs, Task, Tests, Unsafe
from pqa.cli.stage_run import STATUS, start

EPILOG = (
    """\b
Examples:
  pqa verify                         every branch in .pqa/branches/
  pqa verify work/a work/b --tests acceptance/

"""
    + STATUS
)


def verify(
    branches: Branches = None,
    task: Task = None,
    refs: Refs = None,
    tests: Tests = None,
    base: Base = None,
    json: Json = None,
    python: Python = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Run the static checks and the tests, and keep the run."""
    words = {"task": task, "tests": tests, "base": base, "refs": tuple(refs or ())}
    start("verify", branches, json, {"python": python}, unsafe_no_sandbox=unsafe_no_sandbox, **words)
