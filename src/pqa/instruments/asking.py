"""Asking: put a split into words that a person can answer."""

from __future__ import annotations

import hashlib

from pqa.core.finding import Question
from pqa.core.values import canonical
from pqa.instruments.demonstrate import call_text, setup_text
from pqa.instruments.divergence import Split

SHOWN_CALLS = 14


def ask(split: Split) -> Question:
    """The question that a split leaves open; its id depends on the subject and the witness alone."""
    words = split.words()
    said = [f"{' and '.join(group)}: {words[group[0]]}" for group in split.groups]
    kind = "contract" if split.relation else "value"
    question_id = "q" + hashlib.sha256(f"{split.subject}{canonical(split.case)}".encode()).hexdigest()[:10]
    which = "which is meant, is either fine, or can it not happen?"
    text = f"{story(split)}: {'; '.join(said)}: {which}"
    if split.relation:
        text = f"{split.relation} {story(split)} breaks it, and there {'; '.join(said)}."
    return Question(question_id, kind, text, dict(split.case), words, split.groups, None, False, split.subject, split.relation, split.tier)


def story(split: Split) -> str:
    """The witness in one line: how the subject is built and what is called, runs of the same call folded."""
    builds = [setup_text(item) for item in split.case["setup"] if "clock" not in item]
    calls = [call_text(call) for call in split.case["calls"]]
    folded: list[tuple[str, int]] = []
    for text in calls:
        if folded and folded[-1][0] == text:
            folded[-1] = (text, folded[-1][1] + 1)
        else:
            folded.append((text, 1))
    shown = [text if count == 1 else f"{count} x {text}" for text, count in folded[:SHOWN_CALLS]]
    rest = ["..."] if len(folded) > SHOWN_CALLS else []
    return "after " + "; ".join([*builds, *shown[:-1], *rest, shown[-1]]) if builds else "; ".join(shown)
