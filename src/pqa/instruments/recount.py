"""Recount: findings that rest on a vote, counted again among the living: the dead were shown to be wrong and have no vote."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from pqa.core.finding import Finding
from pqa.instruments import crash_vote, sibling_vote

Row = Mapping[str, str]
VOTES: dict[str, tuple[Callable[[Row, Collection[str], Mapping[str, str]], bool], str]] = {
    sibling_vote.ROOT: (
        sibling_vote.carried,
        "more than two thirds of the branches that live do not answer otherwise",
    ),
    sibling_vote.ROOT_OF_MANY: (
        sibling_vote.carried,
        "more than two thirds of the branches that live do not answer otherwise",
    ),
    crash_vote.ROOT: (crash_vote.carried, "fewer than half of the branches that live answer there"),
}


def recount(
    findings: Sequence[Finding], matrix: Mapping[str, Row], living: Collection[str], kin: Mapping[str, str]
) -> tuple[Finding, ...]:
    """The findings, of which those that rest on a vote are discounted where the living do not carry it."""
    return tuple(_recounted(one, matrix.get(one.id, {}), living, kin) for one in findings)


def _recounted(finding: Finding, row: Row, living: Collection[str], kin: Mapping[str, str]) -> Finding:
    vote = next((vote for root, vote in VOTES.items() if (finding.root or "").startswith(root)), None)
    if vote is None or finding.discounted:
        return finding
    if vote[0](row, living, kin):
        return _weighed(finding, living, kin)
    return replace(finding, severity="low", discounted=True, discount_reason=vote[1])


def _weighed(finding: Finding, living: Collection[str], kin: Mapping[str, str]) -> Finding:
    """Medium at most where few calls show the contract and too few are left to vote."""
    leans = (finding.root or "").startswith(sibling_vote.ROOT_OF_MANY)
    if not leans or finding.severity != "high" or sibling_vote.carried_by_many(living, kin):
        return finding
    return replace(finding, severity="medium", qualified=False)
