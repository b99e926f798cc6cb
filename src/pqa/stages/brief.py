"""Brief: one adversary's orders for one live branch: by path, never its code (S6); the same size whatever the branch's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pqa.core.branch import Branch
from pqa.core.errors import NothingToAttack, UsageError
from pqa.core.finding import Finding
from pqa.core.finding_codec import finding_to_json, question_to_json
from pqa.core.trigger import Json
from pqa.core.verdict import Collision
from pqa.instruments.brief_text import LAYERS, ORACLES, RULES, SEVERITIES, TRIGGERS, answer_form
from pqa.instruments.shingles import refuse_code, texts_of

SCHEMA = "pqa.brief/1"
ADVERSARY = "adversary"
HIGH = "high"
Brief = dict[str, Json]


@dataclass(frozen=True, slots=True)
class Context:
    """What a brief says besides the run: who gets it, how its claims fared so far, the properties, where branches lie."""

    adversary: str
    rates: Mapping[str, Json] = field(default_factory=dict)
    properties: Sequence[str] = ()
    paths: Mapping[str, str] = field(default_factory=dict)


Maker = Callable[[Collision, Branch, Context], Brief]


def adversary_brief(collision: Collision, branch: Branch, context: Context) -> Brief:
    """The brief of who attacks one branch."""
    name = branch.branch_id
    return {
        "kind": ADVERSARY,
        "branch_id": name,
        "path": context.paths.get(name, branch.path),
        "order": "Attack this branch. Read its code and its notes.md at the path, in your own context.",
        "task": collision.task.text,
        "properties": list(context.properties),
        "layers": LAYERS,
        "severities": SEVERITIES,
        "rules": list(RULES),
        "oracles": ORACLES,
        "triggers": TRIGGERS,
        "proved": [_told(one) for one in _proved(collision, name)],
        "questions": [question_to_json(one) for one in _open_questions(collision, name)],
        "conviction": None if branch.conviction is None else {"level": branch.conviction.level},
        "effort": effort_of(branch),
        "calibration": calibration_line(context.adversary, context.rates),
        "answer": answer_form(),
    }


MAKERS: dict[str, Maker] = {ADVERSARY: adversary_brief}
"""By kind; another kind of brief is added here, and is checked for code like this one."""


def effort_of(branch: Branch) -> int:
    """High conviction protects from pruning, never from attack: it doubles the effort (S10)."""
    return 2 if branch.conviction is not None and branch.conviction.level.strip().lower() == HIGH else 1


def make_briefs(
    collision: Collision, context: Context, sources: Mapping[str, Mapping[str, str]], *, kind: str = ADVERSARY,
    only: str | None = None,
) -> list[Brief]:  # fmt: skip
    """One brief a live branch. `sources` are the texts of each branch's files, to refuse a brief that holds a line.

    Raises UsageError for an `only` that is no live branch, NothingToAttack where none lives.
    """
    alive = [name for name, verdict in collision.verdicts.items() if verdict.alive]
    if only is not None and only not in alive:
        state = "is dead" if only in collision.verdicts else "is no branch of the run"
        raise UsageError(f"'{only}' {state}", f"name one of {', '.join(map(repr, alive)) or 'none'}")
    if not alive:
        raise NothingToAttack("no branch of the run is alive", "there is nothing to attack")
    found = []
    for branch in collision.branches:
        name = branch.branch_id
        if name in alive and only in (None, name):
            brief = MAKERS[kind](collision, branch, context)
            check_brief(brief, collision, sources[name])
            found.append(brief)
    return found


def check_brief(brief: Brief, collision: Collision, sources: Mapping[str, str]) -> None:
    """Refuse a brief that holds a line of the branch, other than what the run or every brief says anyway."""
    fixed = [LAYERS, SEVERITIES, RULES, ORACLES, TRIGGERS, answer_form()]
    said = [collision.task.text, *map(texts_of, fixed)]
    said += [texts_of(finding_to_json(one)) for one in collision.findings]
    said += [texts_of(question_to_json(one)) for one in collision.questions]
    refuse_code(texts_of(brief), sources, said)


def envelope(run_id: str, briefs: Sequence[Brief]) -> dict[str, Json]:
    """What `pqa brief` prints."""
    return {"schema": SCHEMA, "run_id": run_id, "briefs": list(briefs)}


def calibration_line(adversary: str, rates: Mapping[str, Json]) -> str:
    """How often what this adversary claimed was proved, over all runs that the ledger knows."""
    levels = rates.get("adversaries", {}).get(adversary, {})
    parts = [
        f"{levels[level]['proved']} of {levels[level]['claimed']} {level}" for level in SEVERITIES if level in levels
    ]
    return f"proved as claimed so far: {', '.join(parts)}" if parts else "no finding of yours is on record yet"


def _proved(collision: Collision, name: str) -> list[Finding]:
    mine = [one for one in collision.findings if one.branch_id == name and not one.discounted]
    return [one for one in mine if one.replay is not None]


def _told(finding: Finding) -> dict[str, Json]:
    """Without what the branch printed: that is long, and hostile to whoever reads it."""
    document = finding_to_json(finding)
    if finding.replay is not None:
        document = finding_to_json(replace(finding, replay=replace(finding.replay, output="")))
    return document


def _open_questions(collision: Collision, name: str) -> list[Json]:
    return [one for one in collision.questions if one.is_open and any(name in g for g in one.separates)]
