"""Defend: true mends are told from hidden flaws, and from patches that turn one branch into another."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from pqa.core.finding import Finding
from pqa.core.finding_codec import trigger_from_json
from pqa.core.job import Guest
from pqa.core.ports import Properties, Sandbox, Zygote
from pqa.core.trigger import Trigger
from pqa.core.verdict import CheckRun, SuiteRun, TestRun, Verification
from pqa.instruments.anatomy import read_anatomy
from pqa.instruments.demonstrate import Demonstrator, modules_of
from pqa.instruments.family import Side
from pqa.instruments.newly_raises import newly_raises
from pqa.instruments.observation import case_of
from pqa.instruments.properties import PropertyStatus, load_properties
from pqa.instruments.property_search import check_property
from pqa.instruments.surface import read_surface
from pqa.instruments.variants import variants_of
from pqa.sandbox.interpreter import own_interpreter
from pqa.stages.defend import Hearing, Tree, defend

PAIRS = sorted(path.parent for path in (Path(__file__).parent / "defense_pairs").glob("*/trigger.json"))
GREEN = Verification(SuiteRun("green", tests=(TestRun("test_it", "passed"),)))
NOW = replace(GREEN, base=GREEN.own)
LIMITER = Path(__file__).parents[2] / "examples/rate_limiter/.pqa/branches"
Settle = Callable[..., Mapping[str, Any]]


SLIDING_LOG = '''"""Sliding log."""

from __future__ import annotations

from collections.abc import Callable


class RateLimiter:
    """Accepts at most `limit` calls per key in any span of `window` seconds."""

    def __init__(self, limit: int, window: float, clock: Callable[[], float]) -> None:
        if limit < 1 or window <= 0:
            raise ValueError("limit must be at least 1 and window above 0")
        self._limit = limit
        self._window = window
        self._clock = clock
        self._counts: dict[str, list[float]] = {}

    def allow(self, key: str) -> bool:
        """Whether the call may go through now."""
        now = self._clock()
        recent = [time for time in self._counts.get(key, []) if now - time < self._window]
        self._counts[key] = recent
        if len(recent) >= self._limit:
            return False
        recent.append(now)
        return True
'''
ANCHORED = """        now = self._clock()
        began, calls = self._counts.get(key, (now, 0))
        if now - began >= self._window:
            began, calls = now, 0
        if calls >= self._limit:
            return False
        self._counts[key] = (began, calls + 1)
        return True
"""
EDGE = Trigger(
    "observation",
    "answers do not depend on where the clock starts",
    (
        {"name": "clock", "clock": 59.5},
        {"name": "subject", "new": "limiter.RateLimiter", "args": [2, 60.0, {"$name": "clock"}], "kwargs": {}},
    ),
    tuple(
        {"on": "subject", "call": "allow", "args": ["ada"], "kwargs": {}, "at": at} for at in (59.5, 59.5, 60.0, 60.5)
    ),
    {"relation": "time-shift", "shift": 1.0},
)


def tree_of(folder: Path, source: str, name: str = "limiter.py") -> Path:
    folder.mkdir()
    (folder / name).write_text(source)
    return folder


def judge_limiter(settle: Settle, tmp_path: Path, source: str) -> Mapping[str, Any]:
    patched = tree_of(tmp_path / "patched", source)
    return settle(EDGE, past=LIMITER / "b0", patched=patched, b1=LIMITER / "b1", b2=LIMITER / "b2")


def finding_of(trigger: Trigger) -> Finding:
    return Finding("b0", "critical", "wrong", "it is wrong", "here", id="f000000000001", trigger=trigger)


@pytest.fixture
def settle(real_sandbox: Sandbox) -> Iterator[Settle]:
    """Judge a patched tree: `settle(trigger, past=folder, patched=folder, b1=folder, ...)`."""
    opened: list[Zygote] = []
    trees: dict[Path, Tree] = {}

    def tree(folder: Path, name: str, trigger: Trigger, properties: Properties) -> Tree:
        if folder not in trees:
            trees[folder] = grow(folder, name, trigger, properties)
        return trees[folder]

    def grow(folder: Path, name: str, trigger: Trigger, properties: Properties) -> Tree:
        files = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.py"))
        code = tuple(file for file in files if not file.startswith("test_"))
        branch = branch_named(name, folder, code, tuple(file for file in files if file not in code))
        zygote = real_sandbox.open(Guest(str(folder), own_interpreter()))
        opened.append(zygote)
        modules = modules_of(read_surface(zygote, branch))
        demonstrate = Demonstrator(properties, lambda _: modules, lambda *_: (None, "no suite"))

        def shows(one: Trigger) -> bool | None:
            return demonstrate(zygote, branch, one, False)[0]

        cases = [case_of(one) for one in (trigger, *variants_of(trigger)) if one.calls]
        return Tree(branch, Side(lambda: zygote, shows), shows, read_anatomy(zygote, branch, cases))

    def judge(trigger: Trigger, *, properties: Properties | None = None, **more: Any) -> Mapping[str, Any]:
        declared = properties or {}
        folders = {name: value for name, value in more.items() if isinstance(value, Path)}
        grown = {name: tree(folder, name, trigger, declared) for name, folder in folders.items()}
        past, patched = grown.pop("past"), grown.pop("patched")
        zygote = patched.side.zygote()
        runs = {
            name: check_property(
                name, one, zygote, modules_of(read_surface(zygote, patched.branch)), trials=80, seed_number=1
            )
            for name, one in declared.items()
        }
        hearing = Hearing(
            past,
            patched,
            grown,
            more.get("suites", (GREEN, NOW)),
            more.get("checks", ((), ())),
            {name: run.status is PropertyStatus.HELD for name, run in runs.items()},
            lambda one: newly_raises(past.side.zygote, patched.side.zygote, one),
        )
        finding = finding_of(trigger)
        (answer,) = defend([finding], "b0", {finding.id: {"b0": "shown", **dict.fromkeys(grown, "not-shown")}}, hearing)
        return answer

    yield judge
    for zygote in opened:
        zygote.close()


def branch_named(name: str, folder: Path, code: tuple[str, ...], tests: tuple[str, ...]) -> Any:
    from pqa.core.branch import Branch

    return Branch(name, str(folder), "digest", str(folder), code=code, tests=tests)


def settled(settle: Settle, folder: Path, kind: str, **more: Any) -> Mapping[str, Any]:
    trigger = trigger_from_json(json.loads((folder / "trigger.json").read_text()))
    declared = load_properties(folder / "properties.py") if (folder / "properties.py").exists() else None
    return settle(
        trigger, properties=declared, past=folder / "past", patched=folder / kind, b1=folder / "sibling", **more
    )


@pytest.mark.parametrize("folder", PAIRS, ids=lambda folder: folder.name)
def test_a_true_mend_is_told_from_a_hidden_flaw(settle: Settle, folder: Path) -> None:
    mended, hidden = settled(settle, folder, "mend"), settled(settle, folder, "hidden")

    assert (mended["status"], mended["variants"]["shown"]) == ("resolved", 0), mended
    assert mended["variants"]["tried"] >= 8
    assert hidden["status"] == "suppressed", hidden


def test_a_trigger_that_still_shows_leaves_its_finding_standing(settle: Settle) -> None:
    answer = settled(settle, PAIRS[0], "past")

    assert answer == {
        "finding_id": "f000000000001",
        "status": "unresolved",
        "reason": "its trigger still shows",
        "variants": {"tried": 0, "shown": 0},
    }


def test_a_sliding_log_is_another_branch_and_no_mend(settle: Settle, tmp_path: Path) -> None:
    answer = judge_limiter(settle, tmp_path, SLIDING_LOG)

    assert (answer["status"], answer["reason"]) == ("unresolved", "topology: nearer to b1 than to its own past")


def test_the_state_of_a_sibling_beside_its_own_is_no_mend_either(settle: Settle, tmp_path: Path) -> None:
    both = SLIDING_LOG.replace("recent.append(now)", "recent.append(now)\n        self._spans[key] = (0, len(recent))")
    both = both.replace(
        "self._clock = clock", "self._clock = clock\n        self._spans: dict[str, tuple[int, int]] = {}"
    )

    answer = judge_limiter(settle, tmp_path, both.replace("_counts", "_log").replace("_spans", "_counts"))

    assert (answer["status"], answer["reason"]) == ("unresolved", "topology: nearer to b1 than to its own past")


def test_a_special_case_for_the_times_of_the_trigger_is_suppressed(settle: Settle, tmp_path: Path) -> None:
    source = (LIMITER / "b0/limiter.py").read_text()
    now = "        now = self._clock()\n        window = 0 if 59.5 <= now <= 61.5 else int(now // self._window)\n"
    special = source.replace("        window = int(self._clock() // self._window)\n", now)

    answer = judge_limiter(settle, tmp_path, special)

    assert answer["status"] == "suppressed"
    assert answer["reason"] == "its trigger is gone, but 7 of 24 variants still show the flaw"


def test_a_window_that_begins_with_its_first_call_still_lets_too_much_through(settle: Settle, tmp_path: Path) -> None:
    source = (LIMITER / "b0/limiter.py").read_text()
    body = source[source.index("        window = int(") :]

    answer = judge_limiter(settle, tmp_path, source.replace(body, ANCHORED))

    assert answer["status"] == "unresolved"
    assert answer["reason"] == "it still lets 3 through within 60, 1.5 times the limit of 2"
    assert (answer["variants"]["shown"], answer["variants"]["tried"] >= 8) == (0, True)


def test_one_line_mends_a_planted_off_by_one(settle: Settle, tmp_path: Path) -> None:
    right = (LIMITER / "b1/limiter.py").read_text()
    planted = right.replace(">= self._window", "> self._window - 1")
    trigger = Trigger(
        "observation",
        "no more than the limit",
        (
            {"name": "clock", "clock": 0.0},
            {"name": "subject", "new": "limiter.RateLimiter", "args": [1, 16.0, {"$name": "clock"}], "kwargs": {}},
        ),
        tuple({"on": "subject", "call": "allow", "args": ["ada"], "kwargs": {}, "at": at} for at in (0.0, 15.5, 16.0)),
        {"values": [True, False, True]},
    )

    answer = settle(
        trigger, past=tree_of(tmp_path / "past", planted), patched=tree_of(tmp_path / "mend", right), b2=LIMITER / "b2"
    )

    assert (answer["status"], answer["variants"]["shown"]) == ("resolved", 0), answer
    assert answer["variants"]["tried"] >= 8


def test_a_copy_that_only_fails_on_both_sides_is_no_mend(settle: Settle, tmp_path: Path) -> None:
    source = (LIMITER / "b0/limiter.py").read_text()
    broken = source.replace("window = int(self._clock() // self._window)", "window = self._counts[key]")

    answer = judge_limiter(settle, tmp_path, broken)

    assert (answer["status"], answer["reason"]) == ("unresolved", "it raises KeyError where the branch answered True")


def test_what_the_copy_breaks_or_could_not_be_checked_for_is_said(settle: Settle) -> None:
    folder = next(pair for pair in PAIRS if pair.name == "one_page_too_many")
    gone = replace(GREEN, own=SuiteRun("green", tests=(TestRun("test_other", "passed"),)), base=GREEN.own)
    asleep = replace(GREEN, own=SuiteRun("green", tests=(TestRun("test_it", "skipped"),)), base=GREEN.own)
    fails = replace(GREEN, base=SuiteRun("red", tests=(TestRun("test_it", "failed"),)))
    lost = replace(GREEN, base=SuiteRun("could-not-check", "the sandbox was lost"))
    passed, failed = CheckRun("ruff check .", "passed"), CheckRun("ruff check .", "failed")
    told = {
        "deleted": settled(settle, folder, "mend", suites=(GREEN, gone)),
        "skipped": settled(settle, folder, "mend", suites=(GREEN, asleep)),
        "failing": settled(settle, folder, "mend", suites=(GREEN, fails)),
        "lost": settled(settle, folder, "mend", suites=(GREEN, lost)),
        "static": settled(settle, folder, "mend", checks=((passed,), (failed,))),
        "static before": settled(settle, folder, "mend", checks=((failed,), (failed,))),
    }

    assert {name: (answer["status"], answer["reason"].partition(" any of")[0]) for name, answer in told.items()} == {
        "deleted": ("unresolved", "in the patched copy, its test test_it is gone"),
        "skipped": ("unresolved", "in the patched copy, its test test_it is skipped"),
        "failing": ("unresolved", "its test test_it fails"),
        "lost": ("could-not-check", "its suite could not be checked: the sandbox was lost"),
        "static": ("unresolved", "it fails the static check 'ruff check .'"),
        "static before": ("resolved", "neither its trigger nor"),
    }


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("    size = size  # noqa: PLW0127", "it adds '# noqa'"),
        ("    size = size  # type: ignore", "it adds '# type: ignore'"),
    ],
)
def test_a_silenced_checker_counts_as_suppressed(settle: Settle, tmp_path: Path, line: str, reason: str) -> None:
    folder = next(pair for pair in PAIRS if pair.name == "one_page_too_many")
    source = (folder / "mend/pages.py").read_text().replace("    return", f"{line}\n    return")
    trigger = trigger_from_json(json.loads((folder / "trigger.json").read_text()))
    patched = tree_of(tmp_path / "patched", source, "pages.py")

    answer = settle(trigger, past=folder / "past", patched=patched, b1=folder / "sibling")

    assert (answer["status"], answer["reason"]) == ("suppressed", reason)


def test_without_a_sibling_that_passes_a_special_case_is_known_by_its_literals(settle: Settle) -> None:
    folder = next(pair for pair in PAIRS if pair.name == "one_page_too_many")
    trigger = trigger_from_json(json.loads((folder / "trigger.json").read_text()))

    hidden = settle(trigger, past=folder / "past", patched=folder / "hidden")
    mended = settle(trigger, past=folder / "past", patched=folder / "mend")

    assert (hidden["status"], hidden["reason"]) == (
        "suppressed",
        "the patch decides by the trigger's own 10, 5, and no variant shows that more is mended",
    )
    assert (mended["status"], mended["reason"]) == (
        "resolved",
        "its trigger does not show any more; no variant could be judged",
    )
