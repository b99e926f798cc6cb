"""Does each branch pass what the other branches' tests ask of the interface that they share?

The suite of each branch is run on the code of every other one in its sandbox. That says which tests pass on anything,
which are welded to one implementation, and which hold a promise that one branch alone makes. A foreign test that fails
accuses nobody: the test may be wrong. Where all branches share one suite, there is nothing to transplant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pqa.core.branch import Branch
from pqa.core.errors import GuestLost
from pqa.core.evidence import Evidence, Weighed
from pqa.core.finding import Note
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.instruments.suite import files_with_tests
from pqa.instruments.suite_digest import suite_digest
from pqa.instruments.transplant import Cell, Packed, pack_suite, run_on
from pqa.instruments.transplant_reading import Grafted, code_families, failures, test_keys

LAYER = "suite"
SCOPE = "set"
MOST = 12
SECONDS = 20.0
TOLD = 4
OF_SUITE = "suite-of:"


def attack(brief: Brief, tools: Tools) -> Iterator[Note | Weighed]:
    """Every suite on every branch that does not bring it; equal suites once."""
    groups, why = _suites(brief, tools)
    if why:
        yield Note("skipped", why)
        return
    grafted: list[Grafted] = []
    for owners in groups[:MOST]:
        if tools.expired(brief):
            yield Note("transplant-stopped", f"the time was over after {len(grafted)} of {len(groups)} suites")
            return
        grafted.append(_graft(brief, tools, owners))
    left = len(groups) - len(grafted) + max(0, len(brief.branches) - MOST)
    if left:
        yield Note("transplant-not-compared", f"only {MOST} suites and branches are crossed; {left} were left out")
    yield from _matrix(brief, grafted)
    families = code_families(brief.branches)
    for name, (bad, told) in sorted(failures(grafted, families).items()):
        yield Evidence(name, brief.attack, "transplant", bad, told)
    for suite in grafted:
        yield from _notes(suite)


def _suites(brief: Brief, tools: Tools) -> tuple[list[list[Branch]], str]:
    """The branches by the suite that they bring, and why nothing can be transplanted."""
    if len(brief.branches) < 2:
        return [], "there is no other branch"
    groups: dict[str, list[Branch]] = {}
    for branch in brief.branches:
        if files_with_tests(branch.tests) and tools.verification(branch).own.status in ("green", "red"):
            groups.setdefault(suite_digest(branch), []).append(branch)
    if not groups:
        return [], "no branch brings tests of its own that could be run"
    if len(groups) == 1 and len(next(iter(groups.values()))) == len(brief.branches):
        return [], "all branches share one suite"
    return list(groups.values()), ""


def _graft(brief: Brief, tools: Tools, owners: Sequence[Branch]) -> Grafted:
    first = owners[0]
    packed = pack_suite(first)
    own = [{test.node_id for test in tools.verification(one).own.tests if test.outcome == "passed"} for one in owners]
    passing = set.intersection(*own)
    tests = tuple(test.node_id for test in tools.verification(first).own.tests if test.node_id in passing)
    others = [branch for branch in brief.branches[:MOST] if branch not in owners]

    def run(branch: Branch) -> Cell:
        return _run(tools, packed, branch, inert=branch is first)

    inert, *cells = tools.side_by_side(run, [first, *others])
    names = [branch.branch_id for branch in others]
    known = test_keys(first, tests)
    return Grafted(tuple(one.branch_id for one in owners), tests, dict(zip(names, cells, strict=True)), inert, known)


def _run(tools: Tools, packed: Packed, branch: Branch, *, inert: bool) -> Cell:
    try:
        return run_on(tools.zygote(branch), packed, branch, inert=inert, seconds=SECONDS)
    except GuestLost as error:
        return Cell(trouble=f"the sandbox was lost: {error}")


def _matrix(brief: Brief, grafted: Sequence[Grafted]) -> Iterator[Evidence | Note]:
    """What of each suite does not pass, on each branch that offers what it asks for."""
    for suite in grafted:
        measure, number = OF_SUITE + ",".join(suite.owners), len(suite.tests)
        for name in suite.owners:
            yield Evidence(name, brief.attack, measure, 0, number)
        for name, cell in suite.cells.items():
            passed = suite.passed(name)
            if cell.trouble:
                text = f"the suite of {', '.join(suite.owners)} could not be run on it: {cell.trouble[:300]}"
                yield Note("transplant-not-compared", text, name)
            elif passed is not None:
                yield Evidence(name, brief.attack, measure, number - passed, number)


def _notes(suite: Grafted) -> Iterator[Note]:
    """What its tests are worth beside others; it accuses nobody."""
    holder = suite.owners[0] if len(suite.owners) == 1 else None
    whose = "its suite" if holder else f"the suite that {', '.join(suite.owners)} share"
    if suite.nothing():
        text = "tests that pass on every other branch, and on code whose bodies are stopped, prove nothing of its functions"
        yield Note("transplant-proves-nothing", f"{whose}: {text}: {_some(suite.nothing())}", holder)
    if suite.welded():
        text = "tests that ask for names or signatures that no other branch offers are welded to one implementation"
        yield Note("transplant-welded", f"{whose}: {text}: {_some(suite.welded())}", holder)
    if suite.alone():
        text = "tests that fail on every other branch, although the names are there, are a promise that it alone makes, or wrong"
        yield Note("transplant-alone", f"{whose}: {text}: {_some(suite.alone())}", holder)


def _some(tests: Sequence[str]) -> str:
    more = f" and {len(tests) - TOLD} more" if len(tests) > TOLD else ""
    return ", ".join(tests[:TOLD]) + more
