"""Judgment: the ideas of a question, how a person weighs them, and the order that follows; an opinion, never a proof."""

from __future__ import annotations

from dataclasses import dataclass

from pqa.core.trigger import Json

SCHEMA = "pqa.judgment/1"
STANDING = "judgment, not verified"
NOT_WEIGHED = "no weighing was given: nothing was judged"


@dataclass(frozen=True, slots=True)
class Idea:
    """One answer to the question, as a digest."""

    idea_id: str
    title: str
    digest: str
    path: str = ""


@dataclass(frozen=True, slots=True)
class Weight:
    """What a person thinks of one idea on one criterion, from 0 to 10, and why."""

    idea_id: str
    criterion: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Weighing:
    """Scores, or an order with one reason; never both."""

    weights: tuple[Weight, ...] = ()
    order: tuple[str, ...] = ()
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """Where one idea came; ideas with the same score share a rank. `score` is the mean, None under a mere order."""

    rank: int
    idea_id: str
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Judgment:
    """The whole of one judgment. Without a weighing there are no places; `choice` is None when the first ones are level."""

    question: str
    criteria: tuple[str, ...]
    ideas: tuple[Idea, ...]
    weighing: Weighing | None = None
    places: tuple[Place, ...] = ()
    unweighed: tuple[str, ...] = ()
    choice: str | None = None

    @property
    def words(self) -> str:
        """What came out, in one line."""
        if self.weighing is None:
            return NOT_WEIGHED
        if self.choice is None:
            level = ", ".join(place.idea_id for place in self.places if place.rank == 1)
            return f"level: {level} ({STANDING})"
        return f"choice: {self.choice} ({STANDING})"


def judgment_to_json(judgment: Judgment) -> dict[str, Json]:
    """The document that `pqa judge --json` writes."""
    weighing = judgment.weighing
    return {
        "schema": SCHEMA,
        "standing": STANDING,
        "mode": "decide",
        "question": judgment.question,
        "criteria": list(judgment.criteria),
        "ideas": [
            {"idea_id": idea.idea_id, "title": idea.title, "digest": idea.digest, "path": idea.path}
            for idea in judgment.ideas
        ],
        "weighing": None if weighing is None else _weighing_to_json(weighing),
        "places": [
            {"rank": place.rank, "idea_id": place.idea_id, "score": place.score, "standing": STANDING}
            for place in judgment.places
        ],
        "unweighed": list(judgment.unweighed),
        "choice": judgment.choice,
        "words": judgment.words,
    }


def _weighing_to_json(weighing: Weighing) -> Json:
    if weighing.order:
        return {"order": list(weighing.order), "reason": weighing.reason}
    return [
        {"idea_id": one.idea_id, "criterion": one.criterion, "score": one.score, "reason": one.reason}
        for one in weighing.weights
    ]
