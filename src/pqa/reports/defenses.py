"""Defenses: how each attacked branch answered, or that no defense was offered and how to offer one."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from rich.text import Text

from pqa.core.trigger import Json
from pqa.core.verdict import Collision, Defense
from pqa.reports.text import plain

STYLES = {"resolved": "green", "suppressed": "bold red", "unresolved": "red", "could-not-check": "bold yellow"}
NONE_OFFERED = "no defense was offered"


def undefended(collision: Collision) -> list[str]:
    """The branches that findings of weight stand against and that have not answered, in order."""
    answered = {defense.branch_id for defense in collision.defenses}
    attacked = {
        finding.branch_id
        for finding in collision.findings
        if not finding.resolved and not finding.discounted and finding.severity != "low"
    }
    names = [branch.branch_id for branch in collision.branches]
    return [name for name in names if name in attacked and name not in answered]


def offer(collision: Collision, branch_id: str) -> str:
    """How to offer a defense."""
    return f"pqa defend {plain(collision.run_id)} --patch {plain(branch_id)}=DIR"


def defense_lines(collision: Collision) -> Iterator[Text]:
    """What every output says of defenses: each answer, then who gave none."""
    yield from answer_lines(collision, {defense.branch_id for defense in collision.defenses})
    for name in undefended(collision):
        yield Text.assemble((plain(name), "bold"), f"  {NONE_OFFERED}: ", (offer(collision, name), "cyan"))


def answer_lines(collision: Collision, names: Collection[str]) -> Iterator[Text]:
    """One line for each finding that one of these branches answered."""
    for defense in collision.defenses:
        if defense.branch_id in names:
            yield from (_line(defense, answer) for answer in defense.answers)


def _line(defense: Defense, answer: Mapping[str, Json]) -> Text:
    status = str(answer.get("status", ""))
    line = Text.assemble((plain(defense.branch_id), "bold"), f"  {plain(answer.get('finding_id', ''))} ")
    line.append(status.replace("-", " "), style=STYLES.get(status, ""))
    line.append(f" by {plain(defense.kind)}: {plain(answer.get('reason', ''), length=300)}")
    variants = answer.get("variants")
    if isinstance(variants, Mapping) and variants.get("tried"):
        line.append(f" ({variants.get('shown')} of {variants['tried']} variants show)")
    if answer.get("contract_line"):
        line.append(f" Proposed for .pqa/contract.toml: {plain(answer['contract_line'], length=300)}")
    return line
