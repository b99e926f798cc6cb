"""Evidence codec: what the choice weighs comes back as it was, and partings of runs that counted less are read too."""

from __future__ import annotations

import json

import pytest

from pqa.core.evidence import Evidence, Kinship, Parting, Weighed
from pqa.core.evidence_codec import evidence_from_json, evidence_to_json

PARTED = Parting("differential", "T0", (("b0", "b1"), ("b2",)), (False, True), 4, (0, 3))


@pytest.mark.parametrize("item", [Evidence("b0", "task", "failed-examples", 1, 4), PARTED, Kinship("b1", "b0")])
def test_every_kind_comes_back_through_json_as_it_was(item: Weighed) -> None:
    assert evidence_from_json(json.loads(json.dumps(evidence_to_json(item)))) == item


def test_a_parting_is_written_with_all_that_is_known_of_its_groups() -> None:
    assert evidence_to_json(PARTED) == {
        "kind": "parting",
        "attack": "differential",
        "tier": "T0",
        "groups": [["b0", "b1"], ["b2"]],
        "crashed": [False, True],
        "count": 4,
        "irregular": [0, 3],
    }


def test_a_parting_without_broken_regularities_is_read_as_one_that_broke_none() -> None:
    document = {key: value for key, value in evidence_to_json(PARTED).items() if key != "irregular"}
    assert evidence_from_json(document) == Parting("differential", "T0", PARTED.groups, (False, True), 4)
