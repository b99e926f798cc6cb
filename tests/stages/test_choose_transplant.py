"""The transplant's place among the steps of the choice: after how branches parted, before medium findings."""

from __future__ import annotations

from pqa.core.evidence import Evidence, Parting
from pqa.core.finding import Finding
from pqa.core.verdict import AttackRun, SuiteRun, Verification
from pqa.stages.choose import prefer, records

GREEN = Verification(SuiteRun("green", coverage=90.0))
RAN = (AttackRun("differential", "assumptions", "ran"), AttackRun("transplant", "suite", "ran"))
NAMES = ("b0", "b1", "b2")


def preferred(*evidence: Evidence | Parting, findings: tuple[Finding, ...] = ()) -> tuple[int, str]:
    found = records(
        NAMES,
        verifications=dict.fromkeys(NAMES, GREEN),
        attacked=dict.fromkeys(NAMES, RAN),
        findings=findings,
        evidence=evidence,
        living=NAMES,
    )
    return prefer(found[0], found[1])


FAILS = Evidence("b1", "transplant", "transplant", 2, 5)


def test_fewer_failures_of_tests_that_pass_elsewhere_are_preferred() -> None:
    reason = "fewer failures of other branches' tests that pass elsewhere too (0 against 2)"

    assert preferred(FAILS) == (-1, reason)


def test_standing_apart_on_the_contract_weighs_more() -> None:
    apart = Parting("differential", "T0", (("b1", "b2"), ("b0",)), (False, False), 1)

    assert preferred(FAILS, apart)[0] == 1


def test_a_medium_finding_weighs_less() -> None:
    medium = Finding("b0", "medium", "gaming", "title", "detail", attack="transplant")

    assert preferred(FAILS, findings=(medium,))[0] == -1


def test_what_passes_of_each_suite_is_shown_and_not_weighed() -> None:
    assert preferred(Evidence("b1", "transplant", "suite-of:b0", 3, 4)) == (0, "")
