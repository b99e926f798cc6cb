"""pqa attack: check, verify and attack every branch, replay what was found, and leave the judgment for later."""

from __future__ import annotations

from pqa.cli.collide import (
    Attacks,
    Base,
    Branches,
    Budget,
    Json,
    Properties,
    Python,
    Reference,
    Refs,
    Seed,
    Task,
    Tests,
    Unsafe,
)
from pqa.cli.stage_run import STATUS, start

EPILOG = (
    """\b
Examples:
  pqa attack                         every branch in .pqa/branches/
  pqa attack --attacks differential --budget 30
  pqa attack && pqa defend --patch b0=fixed/b0 && pqa choose

"""
    + STATUS
)


def attack(
    branches: Branches = None,
    task: Task = None,
    refs: Refs = None,
    tests: Tests = None,
    base: Base = None,
    reference: Reference = None,
    attacks: Attacks = None,
    budget: Budget = None,
    seed: Seed = None,
    json: Json = None,
    python: Python = None,
    properties: Properties = None,
    unsafe_no_sandbox: Unsafe = False,
) -> None:
    """Attack every branch and replay what was found; `pqa choose` judges."""
    named = None if attacks is None else tuple(name for part in attacks.split(",") if (name := part.strip()))
    settings = {"attacks": named, "budget": budget, "seed": seed, "python": python, "properties": properties}
    words = {"task": task, "tests": tests, "base": base, "refs": tuple(refs or ()), "reference": reference}
    start("attack", branches, json, settings, unsafe_no_sandbox=unsafe_no_sandbox, **words)
