"""Hearing: all that is looked at to judge a patched copy: both trees, the siblings, suites, checks and properties."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost, UsageError
from pqa.core.event import Event
from pqa.core.trigger import Trigger
from pqa.core.verdict import Collision, Verification
from pqa.instruments.anatomy import Anatomy, read_anatomy
from pqa.instruments.demonstrate import Demonstrator, modules_of
from pqa.instruments.family import Side
from pqa.instruments.newly_raises import newly_raises
from pqa.instruments.observation import Case, case_of
from pqa.instruments.properties import PropertyStatus
from pqa.instruments.variants import variants_of
from pqa.intake import Caps, discard, take_branches
from pqa.stages.defend import Hearing, Tree, answerable
from pqa.stages.early_kill import died
from pqa.stages.replay import Demonstrate
from pqa.wiring.modules import Modules
from pqa.wiring.static_checks import StaticChecks
from pqa.wiring.suites import Suites
from pqa.wiring.toolbox import Toolbox
from pqa.wiring.workbench import Workbench

TRIALS = 240
SEED = 1
SHAPED = 60
"""How many cases the state of a tree is looked at after."""


@contextmanager
def hear(bench: Workbench, run: Collision, name: str, folder: str) -> Iterator[Hearing]:
    """Open sandboxes on the patched copy of branch `name` in `folder`; nothing of it is left behind."""
    scratch = Path(tempfile.mkdtemp(prefix="pqa-defense-"))
    bench.emit(Event("stage-started", name, {"stage": "defend"}))
    try:
        caps = Caps(exclude=bench.order.settings.exclude)
        patched = _take(bench.order.project / folder, bench.branches[name], scratch, caps)
        suites = Suites(bench.suites.locked, bench.branches[name], bench.emit)
        tools = _toolbox(bench, suites)
        try:
            yield _hearing(bench, run, patched, suites, tools, scratch)
        finally:
            tools.close()
    finally:
        discard(scratch)
        bench.emit(Event("stage-ended", name, {"stage": "defend"}))


def _take(path: Path, original: Branch, scratch: Path, caps: Caps) -> Branch:
    """The patched copy, as hostile as any branch, under the branch's own name."""
    name = original.branch_id
    if path.is_symlink() or not path.is_dir():
        raise UsageError(f"the patched copy '{path}' of branch '{name}' is not a directory", "name its folder")
    patched = take_branches([(name, path)], into=scratch / "snapshots", caps=caps)[0]
    if patched.digest == original.digest:
        raise UsageError(f"the patched copy '{path}' is the branch '{name}' as it was", "change something, then answer")
    return patched


def _toolbox(bench: Workbench, suites: Suites) -> Toolbox:
    tools = bench.tools
    own = {mount.target for mount in bench.suites.mounts}
    mounts = (*(mount for mount in tools.mounts if mount.target not in own), *suites.mounts)
    return Toolbox(
        tools.sandbox, tools.engine, tools.interpreter, tools.limits, mounts, bench.properties, time.monotonic
    )


def _hearing(
    bench: Workbench, run: Collision, patched: Branch, suites: Suites, tools: Toolbox, scratch: Path
) -> Hearing:
    name = patched.branch_id
    own = Demonstrator(bench.properties, Modules(tools, [patched]), suites.rerun)
    cases = _cases(run, name)
    live = {one: branch for one, branch in bench.branches.items() if one != name and not died(run.checks.get(one, ()))}
    grown = bench.tools.side_by_side(
        lambda branch: _tree(bench.tools, branch, bench.bench.demonstrate, cases), live.values()
    )
    past = _tree(bench.tools, bench.branches[name], bench.bench.demonstrate, cases)
    now = _tree(tools, patched, own, cases)
    checks = StaticChecks(
        bench.order.project, bench.order.settings.checks, None, tools.sandbox, tools, scratch / "checks"
    )
    return Hearing(
        past=past,
        patched=now,
        siblings=dict(zip(live, grown, strict=True)),
        suites=(_stored(run, name), suites.verify(patched, tools.zygote(patched))),
        checks=(run.checks.get(name, ()), checks.run([patched], bench.emit)[name]),
        properties=_properties(bench, tools, patched),
        raises=lambda trigger: newly_raises(past.side.zygote, now.side.zygote, trigger),
        changed_tests=_changed_tests(bench.branches[name], patched),
        reference=_reference(bench),
    )


def _side(tools: Toolbox, branch: Branch, demonstrate: Demonstrate) -> Side:
    def shows(trigger: Trigger) -> bool | None:
        try:
            return demonstrate(tools.zygote(branch), branch, trigger, False)[0]
        except GuestLost:
            return None

    return Side(lambda: tools.zygote(branch), shows)


def _tree(tools: Toolbox, branch: Branch, demonstrate: Demonstrate, cases: Sequence[Case]) -> Tree:
    def replayed(trigger: Trigger) -> bool | None:
        """In fresh sandboxes: shown if any run shows it, gone only if every run says so."""
        found = [_once(tools, branch, demonstrate, trigger, number) for number in range(max(1, trigger.runs))]
        return True if True in found else None if None in found else False

    return Tree(branch, _side(tools, branch, demonstrate), replayed, _anatomy(tools, branch, cases))


def _once(tools: Toolbox, branch: Branch, demonstrate: Demonstrate, trigger: Trigger, number: int) -> bool | None:
    try:
        with tools.fresh(branch, number) as zygote:
            return demonstrate(zygote, branch, trigger, False)[0]
    except GuestLost:
        return None


def _anatomy(tools: Toolbox, branch: Branch, cases: Sequence[Case]) -> Anatomy:
    try:
        return read_anatomy(tools.zygote(branch), branch, cases)
    except GuestLost as error:
        return Anatomy(trouble=str(error))


def _cases(run: Collision, name: str) -> list[Case]:
    """The branch's triggers and their variants: after these the state of every tree is looked at."""
    triggers = [finding.trigger for finding in answerable(run.findings, name) if finding.trigger is not None]
    found = [case_of(one) for trigger in triggers for one in (trigger, *variants_of(trigger)) if one.calls]
    return found[:SHAPED]


def _reference(bench: Workbench) -> Side | None:
    """The trusted implementation of the run, if it had one."""
    found = next((one for one in bench.bench.controls if one.branch_id == "reference"), None)
    return None if found is None else replace(_side(bench.tools, found, bench.bench.demonstrate), trusted=True)


def _stored(run: Collision, name: str) -> Verification:
    return run.verifications[name]


def _properties(bench: Workbench, tools: Toolbox, patched: Branch) -> Mapping[str, bool | None]:
    """Whether each declared property holds, searched anew with other draws than those of the run."""
    from pqa.instruments.property_search import check_property  # noqa: PLC0415 - it loads Hypothesis

    words = {PropertyStatus.HELD: True, PropertyStatus.BROKEN: False, PropertyStatus.COULD_NOT_CHECK: None}
    found: dict[str, bool | None] = {}
    for name, function in bench.properties.items():
        try:
            modules = modules_of(tools.surface(patched))
            run = check_property(name, function, tools.zygote(patched), modules, trials=TRIALS, seed_number=SEED)
            found[name] = words[run.status]
        except GuestLost:
            found[name] = None
    return found


def _changed_tests(original: Branch, patched: Branch) -> tuple[str, ...]:
    """Test files that are not the same bytes in both copies."""

    def content(branch: Branch, name: str) -> bytes | None:
        path = Path(branch.snapshot) / name
        return path.read_bytes() if path.is_file() and not path.is_symlink() else None

    names = sorted({*original.tests, *patched.tests})
    return tuple(name for name in names if content(original, name) != content(patched, name))
