"""Vain tests: tests that pass whatever their assertions say, or whatever the code does, shown by running them so.

A sign in their text proposes; the run decides: the tests pass although every assertion in them was replaced by a false
one, or they pass on code whose bodies are stopped, because they patch the function that they call.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from pqa.core.branch import Branch
from pqa.core.ports import Zygote
from pqa.core.trigger import Json, Trigger
from pqa.core.verdict import SuiteRun
from pqa.instruments.suite import files_with_tests, read_suite, run_suite, run_with_sentinel
from pqa.instruments.transplant import pack_suite

SWALLOWED, DEAD, MOCKED = "swallowed", "dead", "mocked"
SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Sign:
    """One test with a sign in its text; `name` is the function that it patches and calls."""

    node_id: str
    kind: str
    name: str


def find_signs(zygote: Zygote, branch: Branch, names: Collection[str], *, left_out: Collection[str]) -> list[Sign]:
    """The signs in the branch's test files; nothing is run."""
    files = [name for name in files_with_tests(branch.tests) if name not in left_out]
    done = zygote.run("vain_tests", {"files": files, "names": sorted(names)}, seconds=SECONDS)
    records = [one for one in done.records if one.get("file") in files and not done.trouble]
    return [Sign(f"{one['file']}::{one['test']}", str(one["sign"]), str(one.get("name", ""))) for one in records]


def prove(zygote: Zygote, branch: Branch, kind: str, tests: Sequence[str]) -> tuple[str, ...] | None:
    """Those of the tests that pass regardless; None where that could not be run."""
    run = _stopped(zygote, branch) if kind == MOCKED else _falsified(zygote, branch, tests)
    if run is None or run.status not in ("green", "red"):
        return None
    outcomes: dict[str, set[str]] = {}
    for test in run.tests:
        outcomes.setdefault(test.node_id.partition("[")[0], set()).add(test.outcome)
    return tuple(test for test in tests if outcomes.get(test) == {"passed"})


def _falsified(zygote: Zygote, branch: Branch, tests: Sequence[str]) -> SuiteRun:
    falsify: dict[str, list[str]] = {}
    for test in tests:
        file, _, name = test.partition("::")
        falsify.setdefault(file, []).append(name)
    paths = sorted(falsify)
    job: Mapping[str, Json] = {"paths": paths, "root": "", "code": list(branch.code), "falsify": falsify}
    sentinel, result = run_with_sentinel(zygote, "vain_tests", job, paths[0], seconds=SECONDS)
    return read_suite(result, code=branch.code, measured=False, sentinel=sentinel)


def _stopped(zygote: Zygote, branch: Branch) -> SuiteRun | None:
    packed = pack_suite(branch)
    if packed.trouble:
        return None
    return run_suite(zygote, packed.paths, code=branch.code, files=packed.files, inert=True, seconds=SECONDS)


def vain_source(kind: str, tests: Sequence[str]) -> str:
    """The source of a trigger that shows these tests pass regardless."""
    return json.dumps({"kind": kind, "tests": list(tests)})


def show_vain(zygote: Zygote, branch: Branch, trigger: Trigger, *, inert: bool) -> tuple[bool | None, str]:
    """Shown: all of the tests pass regardless. Not shown on a branch that does not bring them, nor on an inert double."""
    try:
        told = json.loads(trigger.source or "")
        kind, tests = str(told["kind"]), [str(test) for test in told["tests"]]
    except (ValueError, TypeError, KeyError):
        return None, "the trigger is malformed"
    if inert or not {test.partition("::")[0] for test in tests} <= set(branch.tests):
        return False, "inert" if inert else "it brings no such tests"
    found = prove(zygote, branch, kind, tests)
    if found is None:
        return None, "its tests could not be run so"
    return set(found) == set(tests), f"{len(found)} of {len(tests)} tests pass regardless"
