"""Evidence codec: JSON for what the choice weighs, by kind: "count", "parting" or "kinship"."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

from pqa.core.evidence import Evidence, Kinship, Parting, Weighed
from pqa.core.trigger import Json

KINDS: dict[str, type[Evidence] | type[Parting] | type[Kinship]] = {
    "count": Evidence,
    "parting": Parting,
    "kinship": Kinship,
}
BY_GROUP = ("crashed", "irregular")


def evidence_to_json(item: Weighed) -> dict[str, Json]:
    """The item with its kind."""
    kind = next(name for name, known in KINDS.items() if type(item) is known)
    values = asdict(item)
    if isinstance(item, Parting):
        values["groups"] = [list(group) for group in item.groups]
        values |= {name: list(values[name]) for name in BY_GROUP}
    return {"kind": kind, **values}


def evidence_from_json(document: Mapping[str, Json]) -> Weighed:
    """What `evidence_to_json` wrote."""
    values = {key: value for key, value in document.items() if key != "kind"}
    if document["kind"] == "parting":
        values["groups"] = tuple(tuple(group) for group in values["groups"])
        values |= {name: tuple(values.get(name, ())) for name in BY_GROUP}
    return KINDS[str(document["kind"])](**values)
