"""Does the branch keep what a person, or a trusted implementation, has answered?

Answers stand in the contract file and outlive their run: each one's witness is run on every branch. An answer kills only
inside the contract, value against value or by an exception that the branch did not raise on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator

from pqa.core.evidence import Evidence, Weighed
from pqa.core.finding import Finding, Note, Question
from pqa.core.ports import Tools
from pqa.core.task import Brief
from pqa.instruments.answering import claim
from pqa.instruments.observation import observe

LAYER = "contract"
SCOPE = "branch"
CALL_SECONDS = 1.5
SECONDS = 30.0


def attack(brief: Brief, tools: Tools) -> Iterator[Finding | Question | Note | Weighed]:
    """Run the witnesses of all answers on one branch."""
    branch = brief.branches[0]
    answers = [answer for answer in tools.agreed().answers if not answer.outside]
    if not answers:
        return
    cases = [answer.witness for answer in answers]
    seen = observe(tools.zygote(branch), cases, call_seconds=CALL_SECONDS, seconds=SECONDS)
    for answer, observed in zip(answers, seen, strict=True):
        if not observed.complete:
            text = f"the answer to question {answer.question_id}: {observed.trouble}"
            yield Note("could-not-check", text, branch.branch_id)
            continue
        finding = claim(answer, branch.branch_id, observed.outcomes, seed=brief.seed)
        if finding is not None:
            yield finding
            yield Evidence(branch.branch_id, brief.attack, "contradicted-answers", 1, len(answers))
