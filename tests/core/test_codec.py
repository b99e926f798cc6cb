"""Codec: the run's document has stable keys and bytes, comes back as it was, and its schema describes every key."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pqa.core.branch import Branch, Conviction
from pqa.core.codec import (
    dump,
    finding_from_json,
    finding_to_json,
    from_json,
    load,
    replay_from_json,
    replay_to_json,
    to_json,
    trigger_from_json,
    trigger_to_json,
)
from pqa.core.errors import FindingError, InternalError, UsageError
from pqa.core.finding import Finding, Note, Question
from pqa.core.task import Task
from pqa.core.trigger import Replay, ReplayStatus, Trigger
from pqa.core.verdict import (
    AttackRun,
    CheckRun,
    Choice,
    Collision,
    Defense,
    SuiteRun,
    Verdict,
    Verification,
)
from pqa.core.verdict import TestRun as OneTest

SCHEMA = json.loads((files("pqa") / "schema/run-1.schema.json").read_text(encoding="utf-8"))
SEED = {
    "branch_id": "b0",
    "severity": "critical",
    "category": "boundary",
    "title": "Burst at window boundary admits twice the limit",
    "detail": "100 requests at 09:59:59.9 and 100 at 10:00:00.1 against 100 a minute",
    "resolved": False,
}
TRIGGER = Trigger(
    "observation",
    "twice the limit passes",
    ({"name": "clock", "clock": 0.0},),
    ({"on": None, "call": "limiter.allow", "args": ["k"], "kwargs": {}, "at": 9.9},),
    {"values": [True]},
    {"calls": []},
)
RAN = AttackRun("differential", "boundaries", "ran", trials=200)


def whole() -> Collision:
    """A run in which every part of the document has content."""
    cases = (OneTest("t.py::a", "passed"), OneTest("t.py::b", "failed", "assert 1 == 2"))
    red = SuiteRun("red", "", cases, ("t.py::c",), 91.5, "", {"limiter.py": (3, 4)})
    finding = Finding(
        **SEED, attack="differential", trigger=TRIGGER, replay=Replay(ReplayStatus.SHOWN, 2, 2, "out", "full")
    )
    return Collision(
        run_id="r1",
        task=Task("Limit calls.", "build", "main", ".pqa/task.md"),
        sandbox="full",
        seed=7,
        branches=(
            Branch(
                "b0",
                "x/b0",
                "d0",
                "",
                ("a.py",),
                ("t.py",),
                ("src", ""),
                "note",
                Conviction("high", "x"),
                "window",
                "ref",
                ("link",),
            ),
            Branch("b1", "x/b1", "d1", ""),
        ),
        checks={"b0": (CheckRun("ruff check .", "passed"),)},
        verifications={"b0": Verification(red, SuiteRun("green"), SuiteRun("absent", "no base"))},
        attacked={"b0": (RAN,), "b1": (AttackRun("scaling", "scaling", "skipped", "no numbers"),)},
        findings=(finding,),
        kill_matrix={finding.id: {"b0": "shown", "b1": "not-shown"}},
        questions=(
            Question(
                "q1",
                "value",
                "3 or 4?",
                {"calls": []},
                {"b0": "3", "b1": "4"},
                (("b0",), ("b1",)),
                {"kind": "value", "value": 3},
            ),
        ),
        notes=(Note("suite", "weak", "b1"),),
        defenses=(Defense("b0", "rebuttal", ({"finding_id": finding.id, "text": "no"},)),),
        verdicts={
            "b0": Verdict("b0", False, 0.0, SEED["title"], ("critical: x",), (RAN,)),  # type: ignore[arg-type]
            "b1": Verdict("b1", True, 100.0),
        },
        choice=Choice("b1", False, "the only survivor", None, "all", ("a finding",)),
        suite={"shared": False},
        cost={"usd": 0.0},
        timing={"seconds": 1.5},
        history={"prior_deaths": []},
        versions={"pqa": "0.1.0"},
        stamps=("sandbox: full",),
    )


def problems(document: Any) -> list[str]:
    return [error.message for error in jsonschema.Draft202012Validator(SCHEMA).iter_errors(document)]


def test_document_has_exactly_the_published_keys() -> None:
    document = to_json(whole())

    assert list(document) == [
        *[
            "schema",
            "run_id",
            "task",
            "mode",
            "sandbox",
            "stamps",
            "seed",
            "versions",
            "branches",
            "findings",
            "kill_matrix",
        ],
        *["questions", "notes", "evidence", "defenses", "history", "choice", "suite", "cost", "timing"],
    ]
    assert list(document["branches"][0]) == [
        *[
            "branch_id",
            "path",
            "digest",
            "state",
            "death_reason",
            "conviction",
            "verification",
            "score",
            "attacks",
            "checks",
        ],
        *["source", "topology_axis", "notes", "code", "tests", "import_roots", "skipped"],
    ]


def test_branch_says_its_state_score_and_suites() -> None:
    dead, alive = to_json(whole())["branches"]

    assert (dead["state"], dead["death_reason"]) == ("dead", SEED["title"])
    assert dead["score"] == {"value": 0.0, "reasons": ["critical: x"]}
    verification = dead["verification"]
    assert {key: verification[key] for key in ("has_tests", "verified", "status", "coverage")} == {
        "has_tests": True,
        "verified": False,
        "status": "red",
        "coverage": 91.5,
    }
    assert {key: value for key, value in verification["tests"].items() if key != "cases"} == {
        "status": "red",
        "why": "",
        "passed": 1,
        "failed": 1,
        "errors": 0,
        "skipped": 0,
        "xfailed": 0,
        "flaky": ["t.py::c"],
        "coverage": 91.5,
        "coverage_why": "",
        "missed_lines": {"limiter.py": [3, 4]},
    }
    assert (alive["state"], alive["death_reason"], alive["verification"]) == ("alive", None, None)
    assert alive["score"] == {"value": 100.0, "reasons": [], "attacked": []}


def test_branch_that_was_not_scored_has_no_score() -> None:
    run = Collision("r", Task(), "full", 0, (Branch("b0", "p", "d", ""),))

    assert to_json(run)["branches"][0]["score"] is None
    assert from_json(to_json(run)) == run


def test_whole_run_comes_back_as_it_was() -> None:
    assert from_json(to_json(whole())) == whole()
    assert load(dump(to_json(whole()))) == whole()


def test_bytes_are_stable_and_end_with_a_newline() -> None:
    assert dump(to_json(whole())) == dump(to_json(load(dump(to_json(whole())))))
    assert dump({"b": 1, "a": [2]}) == '{\n "b": 1,\n "a": [\n  2\n ]\n}\n'


def test_dump_lets_no_control_character_or_surrogate_through() -> None:
    text = dump({"k": "\x1b[2J\x7f\x9b é \ud800\u2028"})

    assert text == '{\n "k": "\\u001b[2J\\u007f\\u009b \\u00e9 \\ud800\\u2028"\n}\n'
    assert json.loads(text) == {"k": "\x1b[2J\x7f\x9b é \ud800\u2028"}


def test_dump_writes_valid_json_for_floats_that_json_does_not_know() -> None:
    assert json.loads(dump([float("nan"), float("-inf"), 1.5]), parse_constant=pytest.fail) == [
        {"$type": "float", "value": "nan"},
        {"$type": "float", "value": "-inf"},
        1.5,
    ]


def test_real_documents_satisfy_the_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)

    assert problems(to_json(whole())) == []
    assert problems(to_json(Collision("r", Task(), "full", 0, ()))) == []
    assert problems(json.loads(dump(to_json(whole())))) == []


def test_schema_refuses_a_stray_key_and_a_missing_one() -> None:
    stray, short = to_json(whole()), to_json(whole())
    stray["branches"][0]["mood"] = "good"
    del short["choice"]

    assert problems(stray) == ["Additional properties are not allowed ('mood' was unexpected)"]
    assert problems(short) == ["'choice' is a required property"]


def bare_keys(schema: Any, path: str = "$") -> list[str]:
    """Paths of properties without a description."""
    if isinstance(schema, list):
        return [found for number, item in enumerate(schema) for found in bare_keys(item, f"{path}[{number}]")]
    if not isinstance(schema, dict):
        return []
    named = schema.get("properties", {})
    found = [f"{path}.{key}" for key, value in named.items() if not value.get("description")]
    return found + [one for key, value in schema.items() for one in bare_keys(value, f"{path}.{key}")]


def test_every_key_of_the_schema_has_a_description() -> None:
    assert bare_keys(SCHEMA) == []
    assert bare_keys({"properties": {"a": {}}}) == ["$.a"]


def test_what_is_said_of_a_stranger_is_not_dropped_silently() -> None:
    run = Collision("r", Task(), "full", 0, (), verdicts={"b9": Verdict("b9", True, 1.0)})

    with pytest.raises(InternalError, match="'verdicts' speaks of 'b9', which is no branch of the run"):
        to_json(run)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "the document's schema is None, expected 'pqa.run/1'"),
        ('{"schema": "pqa.run/2"}', "the document's schema is 'pqa.run/2', expected 'pqa.run/1'"),
        ('{"schema": "pqa.run/1"}', "the run document is damaged: KeyError('branches')"),
        (
            "{",
            "the run document is not JSON: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)",
        ),
    ],
)
def test_document_of_another_kind_is_refused(text: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(text)

    assert caught.value.message == message
    assert caught.value.next_step


def test_six_keys_suffice_for_a_finding() -> None:
    assert finding_from_json(SEED) == Finding(**SEED)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"patch": "--- a"}, f"finding {SEED['title']!r}: unknown key 'patch'; known are "),
        ({"title": None}, "finding: 'title' must be text, not None"),
        ({"resolved": "false"}, f"finding {SEED['title']!r}: 'resolved' must be true or false, not 'false'"),
        ({"resolved": 0}, f"finding {SEED['title']!r}: 'resolved' must be true or false, not 0"),
        ({"quote": 3}, f"finding {SEED['title']!r}: 'quote' must be text or null, not 3"),
        ({"trigger": {"kind": "observation"}}, f"finding {SEED['title']!r}: trigger: missing key 'claim'"),
        (
            {"trigger": {"kind": "program", "claim": "c", "diff": ""}},
            f"finding {SEED['title']!r}: trigger: unknown key 'diff'",
        ),
        (
            {"trigger": {"kind": "program", "claim": "c", "calls": [1]}},
            f"finding {SEED['title']!r}: trigger: an item of 'calls' must be an object, not 1",
        ),
        (
            {"trigger": {"kind": "program", "claim": "c", "runs": "2"}},
            f"finding {SEED['title']!r}: trigger: 'runs' must be a number, not '2'",
        ),
        ({"replay": {"status": "maybe"}}, f"finding {SEED['title']!r}: replay: 'status' must be one of shown, "),
    ],
)
def test_bad_submitted_finding_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FindingError) as caught:
        finding_from_json({**SEED, **change})

    assert str(caught.value).startswith(message)


def test_missing_keys_and_non_objects_are_named() -> None:
    with pytest.raises(
        FindingError, match=r"^finding: missing key 'severity', 'category', 'title', 'detail', 'resolved'$"
    ):
        finding_from_json({"branch_id": "b0"})
    with pytest.raises(FindingError, match=r"^finding must be an object, not \[1\]$"):
        finding_from_json([1])


TEXT = st.text(st.characters(codec=None), max_size=8)
OPTIONAL = st.none() | TEXT
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=5,
)
OBJECTS = st.dictionaries(TEXT, JSON, max_size=3)
TRIGGERS = st.builds(
    Trigger,
    TEXT,
    TEXT,
    *[st.lists(OBJECTS, max_size=2).map(tuple)] * 2,
    *[st.none() | OBJECTS] * 2,
    OPTIONAL,
    st.floats(0, 100),
    *[st.integers(0, 9)] * 2,
)
REPLAYS = st.builds(Replay, st.sampled_from(ReplayStatus), *[st.integers(0, 9)] * 2, TEXT, TEXT)
LEVELS = st.sampled_from(["critical", "HIGH", "medium", "low", "dire"])
FINDINGS = st.builds(
    Finding, TEXT, LEVELS, TEXT, TEXT, TEXT, st.booleans(), TEXT, *[OPTIONAL] * 4, st.none() | TRIGGERS, st.none() | REPLAYS,
    *[OPTIONAL] * 4, st.booleans(), st.booleans(), *[OPTIONAL] * 2,
)  # fmt: skip
SUITES = st.builds(
    SuiteRun,
    st.sampled_from(["green", "red", "absent"]),
    TEXT,
    st.lists(st.builds(OneTest, TEXT, st.sampled_from(["passed", "error"]), TEXT), max_size=3).map(tuple),
    st.lists(TEXT, max_size=2).map(tuple),
    st.none() | st.floats(0, 100),
    TEXT,
    st.dictionaries(TEXT, st.lists(st.integers(1, 99), max_size=3).map(tuple), max_size=2),
)


@given(TRIGGERS)
def test_any_trigger_comes_back_as_it_was(trigger: Trigger) -> None:
    assert trigger_from_json(json.loads(dump(trigger_to_json(trigger)))) == trigger


@given(REPLAYS)
def test_any_replay_comes_back_as_it_was(replay: Replay) -> None:
    assert replay_from_json(json.loads(dump(replay_to_json(replay)))) == replay


@given(FINDINGS)
def test_any_finding_comes_back_as_it_was(finding: Finding) -> None:
    assert finding_from_json(json.loads(dump(finding_to_json(finding)))) == finding


@settings(max_examples=50)
@given(st.lists(FINDINGS, max_size=2).map(tuple), SUITES, st.none() | SUITES, OBJECTS, TEXT, OPTIONAL)
def test_any_run_comes_back_as_it_was(
    findings: tuple[Finding, ...],
    own: SuiteRun,
    locked: SuiteRun | None,
    free: dict[str, Any],
    text: str,
    maybe: str | None,
) -> None:
    branch = Branch(text, text, text, "", (text,), (), (text,), text, None, maybe, text, (text,))
    run = Collision(
        text,
        Task(text, text, maybe, maybe),
        text,
        3,
        (branch,),
        verifications={text: Verification(own, locked)},
        findings=findings,
        questions=(Question(text, text, text, free, {text: text}, ((text,), ()), None, True, text, maybe, text),),
        verdicts={text: Verdict(text, False, 0.0, maybe, (text,))},
        history=free,
        cost=free,
    )

    assert load(dump(to_json(run))) == run
