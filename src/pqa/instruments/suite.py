"""Suite: runs a test suite in the sandbox and says what the parent may conclude; doubt is never green."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import PurePosixPath

from pqa.core.job import JobResult
from pqa.core.ports import Zygote
from pqa.core.recording import Recording
from pqa.core.trigger import Json
from pqa.core.verdict import SuiteRun, TestRun
from pqa.instruments.recorder import read_recording
from pqa.instruments.sentinel import Sentinel, draw_sentinel

PRELOAD = ("pytest", "coverage")
"""What a guest's zygote should preload, so that no branch can put its own in their place."""
LOCKED_MOUNT, BASE_MOUNT = "/locked", "/base"
OUTCOMES = ("passed", "failed", "error", "skipped", "xfailed", "xpassed")
OK, FAILED, INTERRUPTED, NOTHING_COLLECTED = 0, 1, 2, 5
SHOWN_OUTPUT = 600
NOT_RUNNABLE = "not runnable here"
"""How the reason of a test begins that failed because the sandbox, having no namespaces, refused it something honest."""


def files_with_tests(files: Sequence[str]) -> tuple[str, ...]:
    """The files among a branch's test files that hold tests: not conftest, packages' `__init__` or helpers."""
    sources = [name for name in files if PurePosixPath(name).suffix == ".py"]
    named = [name for name in sources if _is_named_as_test(PurePosixPath(name).name)]
    others = [name for name in sources if PurePosixPath(name).name not in ("conftest.py", "__init__.py")]
    return tuple(sorted(named or others))


def _is_named_as_test(name: str) -> bool:
    return name.startswith("test_") or name.endswith("_test.py") or name in ("test.py", "tests.py")


def run_suite(
    zygote: Zygote,
    paths: Sequence[str],
    *,
    code: Sequence[str] = (),
    root: str = "",
    copy_from: str = "",
    skip: Sequence[str] = (),
    files: Mapping[str, str] | None = None,
    inert: bool = False,
    record: bool = False,
    coverage: bool = False,
    select: Sequence[str] = (),
    extra: Sequence[str] = (),
    seconds: float,
) -> SuiteRun:
    """Run the tests in `paths` once.

    With `copy_from` the suite is not the branch's: the mounted folder is copied into the work folder without the
    files in `skip`, and neither the branch's conftest nor its pytest plug-ins apply; `files` is such a suite by content,
    in base64. With `inert` the code has no bodies. `code` are the branch's code files; what is loaded under their names
    from elsewhere makes the run void.
    """
    if not paths and not select:
        return SuiteRun("absent", why="there are no test files")
    job: dict[str, Json] = {
        "paths": list(paths),
        "root": root,
        "record": record,
        "coverage": coverage,
        "code": list(code),
        "select": list(select),
        "extra": list(extra),
        "inert": inert,
    }
    if files is not None or copy_from:
        job["copy"] = {"files": dict(files)} if files is not None else {"from": copy_from, "skip": list(skip)}
    sentinel, result = run_with_sentinel(zygote, "suite", job, (*select, *paths)[0], seconds=seconds)
    return read_suite(result, code=code, measured=coverage, sentinel=sentinel)


def run_with_sentinel(
    zygote: Zygote, kind: str, job: Mapping[str, Json], first: str, *, seconds: float
) -> tuple[Sentinel, JobResult]:
    """Run a suite with a fresh pair beside it; where no unittest case can begin there, once more with plain functions."""
    sentinel = draw_sentinel(first)
    result = zygote.run(kind, {**job, "sentinel": sentinel.job()}, seconds=seconds)
    if sentinel.stumbled(result.records):
        sentinel = draw_sentinel(first, plain=True)
        result = zygote.run(kind, {**job, "sentinel": sentinel.job()}, seconds=seconds)
    return sentinel, result


def read_suite(result: JobResult, *, code: Sequence[str], measured: bool, sentinel: Sentinel | None = None) -> SuiteRun:
    """What one run of the harness's `suite` job shows; the sentinel's tests are looked at and left out."""
    placed = bool(result.records) and result.records[0].get("sentinel") is True
    seen = _Seen(result.records, sentinel if placed else None)
    status, why = _judge(result, seen, code)
    coverage, coverage_why = seen.coverage if measured else (None, "")
    return SuiteRun(
        status=status,
        why=why,
        tests=(*seen.errors(), *seen.excused(seen.tests)),
        coverage=coverage,
        coverage_why=coverage_why,
        missed_lines=seen.missed,
        recording=read_recording(result.records) if result.complete else Recording(),
    )


def _judge(result: JobResult, seen: _Seen, code: Sequence[str]) -> tuple[str, str]:
    if any(record.get("missing") == "pytest" for record in result.records):
        return "could-not-check", "the tests need pytest: install pytest in the interpreter that runs the branch"
    if result.trouble:
        return "could-not-check", _with_output(result.trouble, result)
    for name, path in seen.strays:
        return "could-not-check", f"tests import {path} as '{name}', which is not the branch's code"
    own = {part.removesuffix(".py") for name in code for part in name.split("/")}
    for _, message, missing in seen.collection_errors:
        if missing and missing.split(".")[0] not in own:
            return "could-not-check", f"the tests need '{missing}', which is not installed: {message.splitlines()[-1]}"
    disagreement = _disagreement(seen)
    if disagreement:
        return "could-not-check", _with_output(disagreement, result)
    if seen.refused:
        number, first = len(seen.refused), min(seen.refused)
        return (
            "could-not-check",
            f"{NOT_RUNNABLE}: {number} tests or files of tests are refused what this sandbox cannot give: {first}",
        )
    if seen.collection_errors or seen.count("failed") or seen.count("error"):
        return "red", ""
    return _green_or_nothing(seen)


def _disagreement(seen: _Seen) -> str:
    """Why the records contradict each other or the exit status; "" when they do not."""
    reported = [test.node_id for test in seen.tests]
    bad = seen.count("failed") + seen.count("error")
    if seen.exits is None:
        return "the suite ended without its exit status"
    if seen.malformed:
        return "the suite's records are malformed"
    if not in_sequence(seen.numbers):
        return "the suite's records are out of sequence: some are lost or were written by others"
    if seen.collection_errors:
        fits = seen.exits == INTERRUPTED and not bad
        return "" if fits else f"tests could not be read, yet pytest's exit status is {seen.exits}"
    if len(set(reported)) != len(reported) or len(set(seen.collected)) != len(seen.collected):
        return "a test was reported twice"
    if set(reported) != set(seen.collected):
        lost = sorted(set(seen.collected) ^ set(reported))
        return f"{len(seen.collected)} tests were collected and {len(reported)} reported; they differ in '{lost[0]}'"
    altered = seen.sentinel.complaint(seen.sentinel_outcomes) if seen.sentinel else ""
    if altered:
        return altered
    expected = FAILED if bad or seen.sentinel else OK if reported else NOTHING_COLLECTED
    if seen.exits != expected:
        return f"pytest's exit status is {seen.exits}, but its records say {expected}"
    return ""


def _green_or_nothing(seen: _Seen) -> tuple[str, str]:
    number = len(seen.tests)
    if not number and seen.deselected:
        return "could-not-check", f"no test ran: all {seen.deselected} deselected"
    if not number:
        return "empty", "no test was collected"
    if seen.count("skipped") == number:
        return "could-not-check", f"no test ran: all {number} skipped"
    if not seen.count("passed"):
        return "could-not-check", f"no test passed: {seen.count('xfailed')} of {number} were expected to fail"
    return "green", ""


def _with_output(why: str, result: JobResult) -> str:
    tail = result.output.strip()[-SHOWN_OUTPUT:]
    return f"{why}: {tail}" if tail else why


def in_sequence(numbers: Sequence[Json]) -> bool:
    """Whether records count up from 0 without a gap; those of an older harness have no numbers at all."""
    return all(number is None for number in numbers) or list(numbers) == list(range(len(numbers)))


class _Seen:
    """The records of one suite run, sorted; those of a wrong type only count as malformed."""

    def __init__(self, records: Sequence[Mapping[str, Json]], sentinel: Sentinel | None) -> None:
        self.sentinel = sentinel
        self.collected: list[str] = []
        self.tests: list[TestRun] = []
        self.collection_errors: list[tuple[str, str, str]] = []
        self.strays: list[tuple[str, str]] = []
        self.missed: dict[str, tuple[int, ...]] = {}
        self.coverage: tuple[float | None, str] = (None, "coverage was not reported")
        self.deselected = 0
        self.exits: int | None = None
        self.malformed = False
        self.refused: set[str] = set()
        self.numbers = [record.get("seq") for record in records]
        for record in records:
            self._take(record)
        self.sentinel_outcomes = [(test.node_id, test.outcome) for test in self.tests]
        if sentinel is not None:
            self.tests = [test for test in self.tests if not sentinel.owns(test.node_id)]
            self.collected = [name for name in self.collected if not sentinel.owns(name)]

    def _take(self, record: Mapping[str, Json]) -> None:
        if "test" in record and "outcome" in record and "args" not in record:
            self._take_test(record)
        elif "collected" in record:
            ids = record["collected"]
            self.malformed |= not isinstance(ids, list) or not all(isinstance(each, str) for each in ids)
            self.collected += [str(each) for each in ids] if isinstance(ids, list) else []
        elif "collect_error" in record:
            if record.get("refused") is True:
                self.refused.add(str(record["collect_error"]))
            self.collection_errors.append(
                (str(record["collect_error"]), str(record.get("message", "")), str(record.get("missing") or ""))
            )
        elif "stray" in record:
            self.strays.append((str(record["stray"]), str(record.get("path"))))
        elif isinstance(record.get("deselected"), int):
            self.deselected += record["deselected"]
        elif "exit" in record:
            self.malformed |= self.exits is not None or type(record["exit"]) is not int
            self.exits = record["exit"] if type(record["exit"]) is int else None
        else:
            self._take_coverage(record)

    def _take_test(self, record: Mapping[str, Json]) -> None:
        node_id, outcome = record["test"], record["outcome"]
        if not isinstance(node_id, str) or outcome not in OUTCOMES:
            self.malformed = True
            return
        outcome = "passed" if outcome == "xpassed" else outcome
        self.tests.append(TestRun(node_id, outcome, str(record.get("message", ""))))
        if record.get("refused") is True and outcome in ("failed", "error"):
            self.refused.add(node_id)

    def excused(self, tests: Sequence[TestRun]) -> list[TestRun]:
        """The same tests; one that was refused something by the sandbox was not runnable here, and shows nothing."""
        return [
            replace(test, outcome="skipped", message=f"{NOT_RUNNABLE}: {test.message}")
            if test.node_id in self.refused
            else test
            for test in tests
        ]

    def _take_coverage(self, record: Mapping[str, Json]) -> None:
        name, lines = record.get("missed"), record.get("lines")
        if isinstance(name, str) and isinstance(lines, list) and all(type(line) is int for line in lines):
            self.missed[name] = tuple(lines)
        elif "coverage" in record:
            percent = record["coverage"]
            is_number = isinstance(percent, int | float) and not isinstance(percent, bool) and 0 <= percent <= 100
            self.coverage = (float(percent) if is_number else None, str(record.get("why", "")))

    def errors(self) -> list[TestRun]:
        """Files that could not be read, as tests in error."""
        found = [TestRun(node_id, "error", message) for node_id, message, _ in self.collection_errors]
        return self.excused(found)

    def count(self, outcome: str) -> int:
        """How many tests ended so."""
        return sum(test.outcome == outcome for test in self.tests)
