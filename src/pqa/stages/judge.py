"""Judge: decide mode has no code to attack, so a person's weighing of the idea digests is checked and added up; no more."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping, Sequence

from pqa.core.errors import UsageError
from pqa.core.judgment import Idea, Judgment, Place, Weighing, Weight
from pqa.core.task import Task
from pqa.core.trigger import Json

USUAL_CRITERIA = ("answers the question", "risk", "cost", "easy to undo")
HEADING = re.compile(r"#{1,6}\s*(?P<title>.*?)\s*#*")
BULLET = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?P<text>.+)")
REASON_LENGTH = 4_000
WEIGHT_KEYS = ("idea_id", "criterion", "score", "reason")
ORDER_KEYS = ("order", "reason")
FORM = 'expected a list of {"idea_id", "criterion", "score", "reason"}, or {"order": [...], "reason"}'


def criteria_of(task: Task) -> tuple[str, ...]:
    """The list under a heading "Criteria" in the task, each item up to its colon; the usual ones without it."""
    found: list[str] = []
    inside = False
    for line in task.text.splitlines():
        heading, bullet = HEADING.fullmatch(line), BULLET.fullmatch(line)
        if heading:
            inside = heading["title"].rstrip(":").lower() == "criteria"
        elif inside and bullet:
            found.append(bullet["text"].partition(":")[0].strip(" *_`"))
    return tuple(dict.fromkeys(name for name in found if name)) or USUAL_CRITERIA


def judge(task: Task, ideas: Sequence[Idea], document: Json = None) -> Judgment:
    """The order that the weighing in `document` gives; without one (None), the ideas and what is asked of them."""
    criteria = criteria_of(task)
    if document is None:
        return Judgment(task.text.strip(), criteria, tuple(ideas))
    weighing = read_weighing(document, ideas, criteria)
    places = _places(weighing, ideas)
    used = {one.criterion for one in weighing.weights}
    unweighed = tuple(name for name in criteria if used and name not in used)
    first = [place.idea_id for place in places if place.rank == 1]
    choice = first[0] if len(first) == 1 else None
    return Judgment(task.text.strip(), criteria, tuple(ideas), weighing, places, unweighed, choice)


def read_weighing(document: Json, ideas: Sequence[Idea], criteria: Sequence[str]) -> Weighing:
    """The weighing in a JSON document; an error names the entry and what was expected."""
    names = [idea.idea_id for idea in ideas]
    if isinstance(document, Mapping):
        return _order(document, names)
    if not isinstance(document, list) or not document:
        raise _wrong("the weighing", _shown(document), FORM)
    weights = tuple(_weight(number, entry, names, criteria) for number, entry in enumerate(document, 1))
    _check_complete(weights, names)
    return Weighing(weights)


def _order(document: Mapping[str, Json], names: Sequence[str]) -> Weighing:
    _check_keys("the weighing", document, ORDER_KEYS)
    order = document["order"]
    if not isinstance(order, list):
        raise _wrong("the weighing: 'order'", _shown(order), "expected a list of idea ids")
    for number, name in enumerate(order, 1):
        _check_known(f"the weighing: 'order' entry {number}", name, names, "idea")
    expected = f"expected each of {_listed(names)} once"
    if sorted(order) != sorted(names):
        raise _wrong("the weighing: 'order'", _shown(order), expected)
    return Weighing(order=tuple(order), reason=_reason("the weighing", document["reason"]))


def _weight(number: int, entry: Json, names: Sequence[str], criteria: Sequence[str]) -> Weight:
    where = f"weighing entry {number}"
    if not isinstance(entry, Mapping):
        raise _wrong(where, _shown(entry), 'expected {"idea_id", "criterion", "score", "reason"}')
    _check_keys(where, entry, WEIGHT_KEYS)
    _check_known(f"{where}: 'idea_id'", entry["idea_id"], names, "idea")
    _check_known(f"{where}: 'criterion'", entry["criterion"], criteria, "criterion")
    score = entry["score"]
    is_number = isinstance(score, int | float) and not isinstance(score, bool) and math.isfinite(score)
    if not is_number or not 0 <= score <= 10:
        raise _wrong(f"{where}: 'score'", _shown(score), "expected a number from 0 to 10")
    return Weight(entry["idea_id"], entry["criterion"], float(score), _reason(where, entry["reason"]))


def _check_complete(weights: Sequence[Weight], names: Sequence[str]) -> None:
    """Each idea is weighed once on each criterion that any is weighed on: means over different criteria say nothing."""
    seen: dict[tuple[str, str], int] = {}
    for number, weight in enumerate(weights, 1):
        earlier = seen.setdefault((weight.idea_id, weight.criterion), number)
        if earlier != number:
            what = f"weighs '{weight.idea_id}' on '{weight.criterion}' again, after entry {earlier}"
            raise UsageError(f"weighing entry {number} {what}; expected one entry", "remove one of the two")
    for criterion in dict.fromkeys(weight.criterion for weight in weights):
        for name in names:
            if (name, criterion) not in seen:
                message = f"the weighing says nothing of '{name}' on '{criterion}'; expected one entry for every idea"
                raise UsageError(message, f"add it, or leave '{criterion}' out for all")


def _places(weighing: Weighing, ideas: Sequence[Idea]) -> tuple[Place, ...]:
    if weighing.order:
        return tuple(Place(rank, name) for rank, name in enumerate(weighing.order, 1))
    means = {idea.idea_id: _mean(weighing.weights, idea.idea_id) for idea in ideas}
    ranked = sorted(means, key=lambda name: -means[name])
    return tuple(Place(1 + sum(mean > means[name] for mean in means.values()), name, means[name]) for name in ranked)


def _mean(weights: Sequence[Weight], name: str) -> float:
    scores = [weight.score for weight in weights if weight.idea_id == name]
    return round(math.fsum(scores) / len(scores), 6)


def _check_keys(where: str, document: Mapping[str, Json], keys: Sequence[str]) -> None:
    expected = f"expected the keys {_listed(keys)}"
    missing = [key for key in keys if key not in document]
    unknown = [key for key in document if key not in keys]
    if missing or unknown:
        what = f"no '{missing[0]}'" if missing else f"an unknown key '{unknown[0]}'"
        raise UsageError(f"{where} has {what}; {expected}", "mend it")


def _check_known(where: str, name: Json, names: Sequence[str], noun: str) -> None:
    if name in names:
        return
    near = difflib.get_close_matches(str(name), names, 1)
    hint = f"did you mean '{near[0]}'?" if near else "mend it"
    raise UsageError(f"{where} is {_shown(name)}, no {noun}; expected one of {_listed(names)}", hint)


def _reason(where: str, reason: Json) -> str:
    if not isinstance(reason, str) or not reason.strip() or len(reason) > REASON_LENGTH:
        raise _wrong(f"{where}: 'reason'", _shown(reason), f"expected a text of 1 to {REASON_LENGTH} characters")
    return reason.strip()


def _wrong(where: str, shown: str, expected: str) -> UsageError:
    return UsageError(f"{where} is {shown}; {expected}", "mend it")


def _listed(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names)


def _shown(value: Json) -> str:
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
