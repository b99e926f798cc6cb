"""Asking: put a split into words that a person can answer."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from dataclasses import replace
from itertools import combinations

from pqa.core.finding import Question
from pqa.core.trigger import Json
from pqa.core.values import canonical
from pqa.instruments.contract import relation_question
from pqa.instruments.demonstrate import call_text, setup_text
from pqa.instruments.divergence import Split, parts_by_refusal

SHOWN_CALLS = 14


def ask(split: Split) -> Question:
    """The question that a split leaves open; its id depends on the subject and the witness alone."""
    question_id = "q" + hashlib.sha256(f"{split.subject}{canonical(split.case)}".encode()).hexdigest()[:10]
    question = Question(
        question_id,
        kind="contract" if split.relation else "value",
        text="",
        witness=dict(split.case),
        outcomes=split.words(),
        separates=split.groups,
        function=split.subject,
        relation=split.relation,
        tier=split.tier,
        observed=_outcomes(split),
    )
    return replace(question, text=word(question))


def _outcomes(split: Split) -> dict[str, Json]:
    seen = {name: one for name, one in sorted(split.observed.items()) if one.complete}
    return {name: [dict(outcome) for outcome in one.outcomes] for name, one in seen.items()}


def among(question: Question, living: Collection[str]) -> Question | None:
    """The question as it stands between the living; None when it tells none of them apart."""
    groups = tuple(tuple(name for name in group if name in living) for group in question.separates)
    groups = tuple(sorted((group for group in groups if group), key=lambda group: -len(group)))
    if "finding_id" in question.witness:
        return question if any(name in living for name in question.separates[0]) else None
    if len(groups) < 2:
        return None
    outcomes = {name: words for name, words in question.outcomes.items() if name in living}
    observed = {name: seen for name, seen in question.observed.items() if name in living}
    narrowed = replace(question, separates=groups, outcomes=outcomes, observed=observed)
    return replace(narrowed, text=word(narrowed))


def can_settle(question: Question) -> bool:
    """Whether some answer can prove one of its groups wrong: where they part because a branch refuses on purpose, none can."""
    if not question.observed:
        return True
    firsts = [question.observed[group[0]] for group in question.separates]
    return any(not parts_by_refusal(left, right) for left, right in combinations(firsts, 2))


def word(question: Question) -> str:
    """The question in words that a person can answer."""
    if "calls" not in question.witness:
        return question.text
    said = [f"{' and '.join(group)}: {question.outcomes[group[0]]}" for group in question.separates]
    told = story(question.witness)
    if question.relation:
        return f"{relation_question(question.relation)} Here it is broken: {told} gives {'; '.join(said)}"
    return f"{told}: {'; '.join(said)}: which is meant, is either fine, or can it not happen?"


def story(case: Mapping[str, Json]) -> str:
    """The witness in one line: how the subject is built and what is called, runs of the same call folded."""
    builds = [setup_text(item) for item in case["setup"] if "clock" not in item]
    calls = [call_text(call) for call in case["calls"]]
    folded: list[tuple[str, int]] = []
    for text in calls:
        if folded and folded[-1][0] == text:
            folded[-1] = (text, folded[-1][1] + 1)
        else:
            folded.append((text, 1))
    shown = [text if count == 1 else f"{count} x {text}" for text, count in folded[:SHOWN_CALLS]]
    rest = ["..."] if len(folded) > SHOWN_CALLS else []
    return "after " + "; ".join([*builds, *shown[:-1], *rest, shown[-1]]) if builds else "; ".join(shown)
