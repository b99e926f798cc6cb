"""Score: an unresolved critical kills, volume never outweighs severity, and what cannot be scored is named."""

from __future__ import annotations

from typing import Any

import pytest

from pqa.core.errors import FindingError
from pqa.core.finding import Finding
from pqa.core.verdict import Verdict
from pqa.stages.score import score_all

SEED = {
    "branch_id": "b0",
    "severity": "critical",
    "category": "boundary",
    "title": "Burst at window boundary admits twice the limit",
    "detail": "100 requests at 09:59:59.9 and 100 at 10:00:00.1 against 100 a minute; "
    "no test calls allow() on both sides of an edge",
    "resolved": False,
}


def claim(severity: str = "high", branch_id: str = "b0", **changes: Any) -> dict[str, Any]:
    return {**SEED, "severity": severity, "branch_id": branch_id, "title": f"a {severity} one", **changes}


def score_of(*severities: str) -> float:
    return score_all([claim(severity) for severity in severities], ["b0"])["b0"].score


def test_seed_example_kills_its_branch_and_spares_the_clean_one() -> None:
    assert score_all([SEED], ["b0", "b1"]) == {
        "b0": Verdict("b0", False, 0.0, SEED["title"], (f"critical: {SEED['title']}",)),  # type: ignore[arg-type]
        "b1": Verdict("b1", True, 100.0),
    }


def test_finding_objects_score_as_mappings_do() -> None:
    assert score_all([Finding(**SEED)], ["b0"]) == score_all([SEED], ["b0"])  # type: ignore[arg-type]


def test_collision_module_offers_the_same_function() -> None:
    collision = pytest.importorskip("pqa.collision")

    assert collision.score_all([collision.Finding(**SEED)])["b0"].alive is False


def test_branches_come_from_the_findings_where_none_are_given() -> None:
    found = score_all([claim("low", "b2"), claim("high", "b1")])

    assert [(name, verdict.score) for name, verdict in found.items()] == [("b2", 100.0), ("b1", 85.0)]
    assert score_all([]) == {}


def test_branches_keep_the_order_in_which_they_are_given() -> None:
    assert list(score_all([SEED], ["b1", "b0"])) == ["b1", "b0"]


@pytest.mark.parametrize("change", [{"resolved": True}, {"discounted": True}])
def test_resolved_and_discounted_findings_weigh_nothing(change: dict[str, bool]) -> None:
    assert score_all([{**SEED, **change}], ["b0"])["b0"] == Verdict("b0", True, 100.0)


@pytest.mark.parametrize("word", ["CRITICAL", " Critical "])
def test_severity_counts_in_any_case(word: str) -> None:
    assert score_all([claim(word)])["b0"].alive is False


def test_levels_weigh_as_they_should() -> None:
    assert [score_of(level) for level in ("critical", "high", "medium", "low")] == [0.0, 85.0, 96.0, 100.0]
    assert score_of("high", "high", "medium") == 66.0


def test_volume_does_not_outweigh_what_is_worse() -> None:
    assert score_of(*["low"] * 500) == 100.0
    assert score_of(*["medium"] * 500) > score_of("high")
    assert score_of(*["high"] * 500, *["medium"] * 500) > 0.0


def test_style_in_volume_does_not_hide_the_one_critical() -> None:
    verdict = score_all([*[claim("low")] * 100, claim("medium"), SEED])["b0"]

    assert (verdict.alive, verdict.death_reason) == (False, SEED["title"])
    assert verdict.reasons == (f"critical: {SEED['title']}", "medium: a medium one")


def test_one_finding_too_many_resolved_does_not_save_a_branch() -> None:
    assert score_all([{**SEED, "resolved": True}, SEED])["b0"].alive is False


def test_first_unresolved_critical_gives_the_death_reason() -> None:
    claims = [
        claim("critical", title="answered", resolved=True),
        claim("critical", title="one"),
        claim("critical", title="two"),
    ]

    assert score_all(claims)["b0"].death_reason == "one"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"severity": "dire"}, "unknown severity 'dire'; known are critical, high, medium, low"),
        ({"severity": None}, "unknown severity None; known are critical, high, medium, low"),
        ({"branch_id": "b9"}, "unknown branch_id 'b9'; known are 'b0'"),
        ({"branch_id": 0}, "branch_id must be text, not 0"),
        ({"resolved": 0}, "resolved must be true or false, not 0"),
        ({"resolved": "false"}, "resolved must be true or false, not 'false'"),
        ({"resolved": None}, "resolved must be true or false, not None"),
        ({"discounted": 1}, "discounted must be true or false, not 1"),
    ],
)
def test_claim_that_cannot_be_scored_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(FindingError) as caught:
        score_all([SEED, {**SEED, "title": "T", **change}], ["b0"])

    assert str(caught.value) == f"finding 1 'T': {message}"


@pytest.mark.parametrize("resolved", [0, "false", None])
def test_finding_object_with_a_resolved_that_is_no_boolean_is_refused(resolved: Any) -> None:
    with pytest.raises(FindingError, match=f"resolved must be true or false, not {resolved!r}"):
        score_all([Finding(**{**SEED, "resolved": resolved})])  # type: ignore[arg-type]


@pytest.mark.parametrize("key", list(SEED))
def test_missing_key_is_named(key: str) -> None:
    short = {name: value for name, value in SEED.items() if name != key}

    with pytest.raises(ValueError, match=f"^finding 0.*: missing key '{key}'$"):
        score_all([short])


def test_branch_ids_that_contradict_themselves_are_refused() -> None:
    with pytest.raises(FindingError, match=r"^branch_ids: 'b0' is given twice$"):
        score_all([], ["b0", "b1", "b0"])
    with pytest.raises(FindingError, match=r"^branch_ids must be a list of ids, not the text 'b0'$"):
        score_all([], "b0")


def test_something_that_is_no_finding_is_refused() -> None:
    with pytest.raises(FindingError, match=r"^finding 0: neither a Finding nor a mapping but 3$"):
        score_all([3])  # type: ignore[list-item]
