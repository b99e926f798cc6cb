"""Early kill: which branches fail the project's own static checks? A check that cannot run kills nobody.

Every check also runs on a control: the base, or a tree in which nothing can be wrong. What fails there, or alike in
every branch, speaks of the check and not of the branch.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.event import Event
from pqa.core.job import CommandResult, Guest, Mount
from pqa.core.ports import Sandbox, Zygote
from pqa.core.verdict import CheckRun
from pqa.instruments.overlay import control_tree, overlay
from pqa.instruments.toolchain import configuration_of, for_checks

DEATH_REASON = "failed static checks before collision"
COMPILATION = "compilation"
CONTROL = "control"
SECONDS = 180.0
OUTPUT = 4_000
CANNOT_START = (126, 127)
NOTHING_CHECKED = re.compile(
    r"^(?:warning: |error: |mypy: )*(?:no python files found|checked 0 files|no source files|there are no \.py\[i\] files"
    r"|success: no issues found in 0 source files)",
    re.IGNORECASE | re.MULTILINE,
)
"""At the beginning of a line, where no text from a branch's source can stand."""
WANTS_NETWORK = re.compile(
    r"name resolution|network is unreachable|enotfound|eai_again|getaddrinfo|connection refused", re.IGNORECASE
)
ERROR_LINE = re.compile(r"\berror: ", re.I)
MISSING_IMPORT = re.compile(r"\[import-(?:not-found|untyped)\]$|error: Import \"[\w.]+\" could not be resolved")
ANSI = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]")
VARYING = re.compile(r"0x[0-9a-f]+|\d+(\.\d+)? ?(ms|s|sec|seconds)\b")


@dataclass(frozen=True, slots=True)
class Checking:
    """How checks are run: the sandbox, the branch's guest, what checkers need, a folder to build trees in; `zygote_for` gives
    a branch's fork server where the run has one anyway."""

    sandbox: Sandbox
    guest_for: Callable[[Branch], Guest]
    scratch: Path
    mounts: tuple[Mount, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    seconds: float = SECONDS
    workers: int = 2
    zygote_for: Callable[[Branch], Zygote] | None = None

    def compiler(self, branch: Branch, guest: Guest) -> AbstractContextManager[Zygote]:
        """A fork server to compile the files of a branch in; nothing of the branch is imported there."""
        if self.zygote_for is not None and guest == self.guest_for(branch):
            return nullcontext(self.zygote_for(branch))
        return self.sandbox.open(replace(guest, preload=()))


def early_kill(
    branches: Sequence[Branch],
    *,
    checks: Sequence[str],
    control: Branch | None,
    configuration: Path | None,
    checking: Checking,
    emit: Callable[[Event], None],
) -> Mapping[str, tuple[CheckRun, ...]]:
    """Compilation and each command line, on every branch; `died` tells whom they kill.

    `control` is the base's snapshot, if there is a base; the checkers' configuration is the base's, else that of the
    folder `configuration`, and never a branch's own.
    """
    runs: dict[str, list[CheckRun]] = {branch.branch_id: [] for branch in branches}
    if not branches:
        return {}
    for branch_id, run in _compile_all(branches, control, checking).items():
        runs[branch_id].append(run)
    left = [branch for branch in branches if runs[branch.branch_id][0].status != "failed"]
    if left and checks:
        trees = _build_trees(left, control, configuration, checking.scratch)
        for command in checks:
            for branch_id, run in _check_all(command, left, trees, checking).items():
                runs[branch_id].append(run)
    for branch in branches:
        failed = [run.command for run in runs[branch.branch_id] if run.status == "failed"]
        if failed:
            emit(Event("branch-died", branch.branch_id, {"reason": DEATH_REASON, "checks": failed}))
    return {branch_id: tuple(each) for branch_id, each in runs.items()}


def died(runs: Sequence[CheckRun]) -> bool:
    """Whether a branch's checks kill it."""
    return any(run.status == "failed" for run in runs)


def _build_trees(
    branches: Sequence[Branch], control: Branch | None, configuration: Path | None, scratch: Path
) -> dict[str, Path]:
    """One tree a branch, and the control's."""
    origin = Path(control.snapshot) if control is not None else configuration
    settings = dict(configuration_of(origin)) if origin is not None else {}
    trees = {branch.branch_id: scratch / f"branch-{number}" for number, branch in enumerate(branches)}
    for branch in branches:
        overlay(Path(branch.snapshot), settings, trees[branch.branch_id])
    trees[CONTROL] = scratch / CONTROL
    if control is not None:
        overlay(Path(control.snapshot), settings, trees[CONTROL])
    else:
        control_tree((*branches[0].code, *branches[0].tests), settings, trees[CONTROL])
    return trees


def _check_all(
    command: str, branches: Sequence[Branch], trees: Mapping[str, Path], checking: Checking
) -> dict[str, CheckRun]:
    guests = {branch.branch_id: checking.guest_for(branch) for branch in branches}
    first = guests[branches[0].branch_id]

    def execute(name: str) -> CommandResult:
        guest = for_checks(replace(guests.get(name, first), snapshot=str(trees[name])), checking.mounts)
        return checking.sandbox.execute(guest, ["sh", "-c", command], env=checking.env, seconds=checking.seconds)

    trouble = _trouble(execute(CONTROL), command, first)
    if trouble:
        return {branch.branch_id: CheckRun(command, "could-not-check", why=trouble) for branch in branches}
    names = [branch.branch_id for branch in branches]
    with ThreadPoolExecutor(max_workers=max(1, checking.workers)) as pool:
        results = dict(zip(names, pool.map(execute, names), strict=True))
    found = {name: _read(result, command, first) for name, result in results.items()}
    return _unless_alike(found)


def _trouble(result: CommandResult, command: str, guest: Guest) -> str:
    """Why the check says nothing, seen on the control; "" when it passes there."""
    cannot = _cannot_run(result, command, guest)
    if cannot:
        return cannot
    if result.exit_code == 0:
        return ""
    if re.search(r"No module named '?\w", result.output):
        return _install(command, guest, result)
    if WANTS_NETWORK.search(result.output):
        return f"'{command}' wants the network, which checks do not have: {_tail(result.output)}"
    return f"'{command}' fails on the control as well (exit status {result.exit_code}): {_tail(result.output)}"


def _cannot_run(result: CommandResult, command: str, guest: Guest) -> str:
    """Why a command did not run to its end, or had nothing to look at."""
    if result.lost or result.exit_code is None:
        return result.lost or ("it ran past its time limit" if result.timed_out else "it was ended by a signal")
    if result.exit_code in CANNOT_START:
        return _install(command, guest, result)
    if NOTHING_CHECKED.search(result.output):
        return f"'{command}' looked at no file: {_tail(result.output, 200)}"
    return ""


def _install(command: str, guest: Guest, result: CommandResult) -> str:
    tool = (re.findall(r"No module named '?([\w.]+)", result.output) or command.split() or [command])[0]
    place = guest.interpreter.prefixes[0] if guest.interpreter.prefixes else guest.interpreter.executable
    return f"'{command}' cannot start: install {tool} in {place} ({_tail(result.output, 200)})"


def _read(result: CommandResult, command: str, guest: Guest) -> CheckRun:
    output = ANSI.sub("", result.output)[-OUTPUT:]
    cannot = _cannot_run(result, command, guest)
    if cannot:
        return CheckRun(command, "could-not-check", output, cannot)
    if result.exit_code == 0:
        return CheckRun(command, "passed", output)
    errors = [line for line in output.splitlines() if ERROR_LINE.search(line)]
    if errors and all(MISSING_IMPORT.search(line) for line in errors):
        return CheckRun(command, "could-not-check", output, f"it imports what is not installed: {errors[0][:300]}")
    return CheckRun(command, "failed", output)


def _unless_alike(found: Mapping[str, CheckRun]) -> dict[str, CheckRun]:
    """A failure that all of two or more branches share speaks of what they share."""
    outputs = {_normalised(run.output) for run in found.values()}
    if len(found) >= 2 and len(outputs) == 1 and all(run.status == "failed" for run in found.values()):
        why = f"it fails alike on all {len(found)} branches"
        return {name: replace(run, status="could-not-check", why=why) for name, run in found.items()}
    return dict(found)


def _normalised(output: str) -> str:
    return " ".join(VARYING.sub("", output).split())


def _tail(output: str, length: int = 600) -> str:
    return ANSI.sub("", output).strip()[-length:]


def _compile_all(branches: Sequence[Branch], control: Branch | None, checking: Checking) -> dict[str, CheckRun]:
    """Compile every code file in the branch's interpreter."""
    with ThreadPoolExecutor(max_workers=max(1, checking.workers)) as pool:
        results = list(pool.map(lambda branch: _compile(branch, checking.guest_for(branch), checking), branches))
    base: dict[str, str] = {}
    if control is not None:
        guest = replace(checking.guest_for(branches[0]), snapshot=control.snapshot, import_roots=control.import_roots)
        base = _compile(control, guest, checking)[0]
    shared = set(base.items())
    if len(branches) >= 2:
        shared |= set.intersection(*(set(errors.items()) for errors, _ in results))
    return {
        branch.branch_id: _compilation(errors, why, shared)
        for branch, (errors, why) in zip(branches, results, strict=True)
    }


def _compile(branch: Branch, guest: Guest, checking: Checking) -> tuple[dict[str, str], str]:
    """(error by file, why it could not be checked)."""
    try:
        with checking.compiler(branch, guest) as zygote:
            result = zygote.run("compile", {"files": list(branch.code)}, seconds=checking.seconds)
    except GuestLost as lost:
        return {}, str(lost)
    errors = {
        str(record["file"]): f"line {record.get('line')}: {record['error']}"
        for record in result.records
        if record.get("file") in branch.code and record.get("error")
    }
    seen = {record.get("file") for record in result.records}
    return errors, result.trouble or ("" if seen == set(branch.code) else "not every file was reported")


def _compilation(errors: Mapping[str, str], why: str, shared: set[tuple[str, str]]) -> CheckRun:
    own = {name: error for name, error in errors.items() if (name, error) not in shared}
    output = "\n".join(f"{name}: {error}" for name, error in sorted(errors.items()))
    if why:
        return CheckRun(COMPILATION, "could-not-check", output, why)
    if own:
        return CheckRun(COMPILATION, "failed", output)
    if errors:
        return CheckRun(COMPILATION, "could-not-check", output, "they fail alike in the base or in all branches")
    return CheckRun(COMPILATION, "passed")
