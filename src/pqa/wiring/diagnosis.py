"""Diagnosis: which sandbox and interpreter hold here, found by trying them."""

from __future__ import annotations

import os
from pathlib import Path

from pqa.config import Diagnosis, Settings
from pqa.core.errors import NoSandbox, UsageError
from pqa.core.job import Interpreter
from pqa.sandbox.choose import choose_sandbox, why_not_full
from pqa.sandbox.interpreter import find_interpreter


def doctor(project: Path, settings: Settings) -> Diagnosis:
    """The self-probe of the sandbox that a run would use."""
    interpreter, trouble = _interpreter(project, settings)
    try:
        sandbox = choose_sandbox(unsafe=False, environ=os.environ)
    except NoSandbox as error:
        return Diagnosis("none", (), interpreter, f"{error.message}; {error.next_step}".rstrip("; "))
    try:
        if sandbox.tier == "reduced":
            trouble = "; ".join(filter(None, [trouble, f"not the tier 'full': {why_not_full(os.environ)}"]))
        return Diagnosis(sandbox.tier, tuple(sandbox.probe()), interpreter, trouble)
    finally:
        sandbox.close()


def _interpreter(project: Path, settings: Settings) -> tuple[Interpreter | None, str]:
    try:
        return find_interpreter(settings.python, project, os.environ), ""
    except UsageError as error:
        return None, error.message
