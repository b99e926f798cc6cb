"""Defense brief: all that a branch's defender may read: its own findings, and the rules of its one answer."""

from __future__ import annotations

from pqa.core.codec import finding_to_json
from pqa.core.errors import UsageError
from pqa.core.trigger import Json
from pqa.core.verdict import Collision

SCHEMA = "pqa.brief/1"
RULES = (
    "You defend one branch. Read only its own files at `path` and the findings below.",
    "You may answer once: with a patched copy of the branch, or in words.",
    "A patched copy: copy the folder, mend the flaw itself, and name the copy: pqa defend {run} --patch {branch}=DIR.",
    "Words: a JSON list of {{finding_id, claim, contract_line (optional)}}: pqa defend {run} --rebuttal {branch}=FILE.",
    "Words never resolve a finding: they become a question to a person, or a proposal for the contract.",
    "`resolved` is computed: the trigger and its variants must be gone, no sibling's trigger may show, all tests and"
    " checks must pass, and no test may be deleted, skipped or loosened.",
    "A special case for the trigger's values, a swallowed exception or a silenced check counts as suppressed.",
    "Keep the approach: the kinds of state, the imports and the shape of the calls. A patch that turns the branch into"
    " another approach does not save it.",
    "Add a test that fails before your patch and passes after it.",
)


def defense_brief(collision: Collision, branch_id: str) -> dict[str, Json]:
    """The brief of one branch; raises UsageError where nothing stands against it."""
    paths = {branch.branch_id: branch.path for branch in collision.branches}
    if branch_id not in paths:
        known = ", ".join(paths)
        raise UsageError(f"the run '{collision.run_id}' holds no branch '{branch_id}'", f"its branches: {known}")
    own = [one for one in collision.findings if one.branch_id == branch_id and not one.resolved and not one.discounted]
    if not own:
        raise UsageError(f"no unresolved finding stands against the branch '{branch_id}'", "there is nothing to answer")
    return {
        "schema": SCHEMA,
        "kind": "defense",
        "branch_id": branch_id,
        "path": paths[branch_id],
        "findings": [finding_to_json(one) for one in own],
        "rules": [rule.format(run=collision.run_id, branch=branch_id) for rule in RULES],
    }


def defense_briefs(collision: Collision) -> list[dict[str, Json]]:
    """A brief for every branch that findings stand against."""
    standing = {one.branch_id for one in collision.findings if not one.resolved and not one.discounted}
    names = [branch.branch_id for branch in collision.branches if branch.branch_id in standing]
    return [defense_brief(collision, name) for name in names]
